// SPDX-License-Identifier: Apache-2.0
// The only variable of the program that is neither local nor const: a signal handler can reach
// nothing else.
#include "signals.h"

#include "engine/status.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static atomic_bool stop;

static void on_signal(int number)
{
    (void)number;
    if (atomic_exchange(&stop, true))
        _exit(pps_exit_status(PPS_E_STOPPED));
}

const atomic_bool *pps_signals_install(bool interrupt_reads)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = interrupt_reads ? 0 : SA_RESTART;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop;
}
