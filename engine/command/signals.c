// SPDX-License-Identifier: Apache-2.0
// Holds the only variables of the program that are neither local nor const: a signal handler
// can reach nothing else.
#include "engine/command/signals.h"

#include "base/text/status.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define SOONEST 1e-3 // shortest timer, in seconds

static atomic_bool stop;
static const char *_Atomic last_line; // or NULL

void pps_signals_end_at_once(const char *line)
{
    atomic_store(&last_line, line);
}

static void end(void)
{
    _exit(pps_exit_status(PPS_E_STOPPED));
}

static void say_and_end(void)
{
    const char *line = atomic_load(&last_line);
    if (line == NULL)
        return;
    (void)!write(STDERR_FILENO, line, strlen(line));
    end();
}

static void on_signal(int number)
{
    (void)number;
    say_and_end();
    if (atomic_exchange(&stop, true))
        end();
}

// Of the alarm and of SIGHUP, which a closed terminal may send twice.
static void ask_once(int number)
{
    (void)number;
    say_and_end();
    atomic_store(&stop, true);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

atomic_bool *pps_signals_alarm(double seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    if (seconds < SOONEST) { // a small run could end before the timer
        atomic_store(&stop, true);
        return &stop;
    }
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    handle(SIGALRM, ask_once);
    setitimer(ITIMER_REAL, &timer, NULL);
    return &stop;
}

atomic_bool *pps_signals_install(void)
{
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    if (!is_ignored(SIGHUP)) // as under nohup
        handle(SIGHUP, ask_once);
    return &stop;
}
