// SPDX-License-Identifier: Apache-2.0
// Started programs, seen from the process that starts them.
#include "base/system/process.h"

#include "base/system/process_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The program gets a POSIX session of its own (setsid), and no blocked or ignored signals.
static int prepare(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int why = posix_spawnattr_init(attributes);
    if (why != 0)
        return why;
    why = posix_spawnattr_setsigmask(attributes, &none);
    if (why == 0)
        why = posix_spawnattr_setsigdefault(attributes, &all);
    if (why == 0)
        why = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                       POSIX_SPAWN_SETSIGDEF);
    if (why != 0)
        posix_spawnattr_destroy(attributes);
    return why;
}

static enum pps_status cannot_start(int why, const char *program, struct pps_error *err)
{
    if (why == ENOMEM) // also in the guard, whose notes end with it
        pps_memory_note();
    errno = why;
    (void)pps_fail_errno(err, "cannot start", program);
    errno = why;
    return PPS_E_MACHINE;
}

// Reads one report. Returns false if there is none: not yet without `wait`, or because the guard was
// killed, which *gone tells.
static bool read_report(int link, bool wait, struct pps_guard_report *report, bool *gone)
{
    ssize_t n;
    do
        n = recv(link, report, sizeof *report, wait ? 0 : MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    *gone = n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    return n == (ssize_t)sizeof *report;
}

static void close_process(struct pps_process *process)
{
    int state;
    close(process->link);
    while (waitpid(process->guard, &state, 0) < 0 && errno == EINTR)
        ;
    *process = (struct pps_process){.link = -1};
}

// Forks the guard; *link is the end of this process.
static int fork_guard(const struct pps_process_start *start,
                      const posix_spawnattr_t *attributes, struct pps_process *process)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    process->guard = fork();
    if (process->guard == 0) {
        close(ends[0]);
        pps_guard_run((struct pps_guard){ends[1], start, attributes});
    }
    const int why = process->guard < 0 ? errno : 0;
    close(ends[1]);
    process->link = ends[0];
    if (why != 0)
        close(ends[0]);
    return why;
}

enum pps_status pps_process_start(struct pps_process *process,
                                  const struct pps_process_start *start, struct pps_error *err)
{
    posix_spawnattr_t attributes;
    struct pps_guard_report report = {.error = 0};
    bool gone = false;
    *process = (struct pps_process){.link = -1};
    int why = prepare(&attributes);
    if (why != 0)
        return cannot_start(why, start->args[0], err);
    why = fork_guard(start, &attributes, process);
    posix_spawnattr_destroy(&attributes);
    if (why != 0)
        return cannot_start(why, start->args[0], err);
    if (!read_report(process->link, true, &report, &gone))
        report.error = ECHILD;
    process->program = report.program;
    if (report.error == 0)
        return PPS_OK;
    close_process(process);
    return cannot_start(report.error, start->args[0], err);
}

void pps_process_stop(struct pps_process *process)
{
    (void)shutdown(process->link, SHUT_WR);
}

// A killed guard cannot end its program, so its POSIX session is ended here.
static bool take_end(struct pps_process *process, bool wait, struct pps_process_end *end)
{
    struct pps_guard_report report;
    bool gone = false;
    if (read_report(process->link, wait, &report, &gone)) {
        *end = report.end;
    } else if (gone) {
        kill(-process->program, SIGKILL);
        *end = (struct pps_process_end){.signal = SIGKILL};
    } else {
        return false;
    }
    close_process(process);
    return true;
}

bool pps_process_ended(struct pps_process *process, struct pps_process_end *end)
{
    return take_end(process, false, end);
}

void pps_process_wait(struct pps_process *process, struct pps_process_end *end)
{
    (void)take_end(process, true, end);
}
