// SPDX-License-Identifier: Apache-2.0
// Starts other programs and ends them. Each program runs in its own POSIX session under a guard: a small process that adopts every descendant of the program, also those that left its
// session. A program has ended when all its descendants have ended. If this process ends for any
// reason, even by SIGKILL, the guards end their programs.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <sys/types.h>

struct pps_process_start {
    char *const *args;      // program, searched in PATH, and its arguments; ends with NULL
    char *const *variables; // the whole environment, ends with NULL; NULL: of this process
    const char *folder;     // working folder; NULL: of this process
    int input;      // stdin, or 0: /dev/null; the caller closes this descriptor and the others
    int output;     // receives stdout, and stderr without `errors`
    int errors;     // receives stderr; or 0
    double grace_s; // seconds from SIGTERM to SIGKILL when the program is stopped
};

// A started program. One thread at a time may use it.
struct pps_process {
    pid_t guard;
    int link;      // readable when the program has ended; for poll()
    pid_t program; // the leader of its POSIX session
};

struct pps_process_end {
    int exit_status; // of the program; if it succeeded, of a descendant that failed later
    int signal;      // that ended it, or 0
};

// Starts a program. Returns PPS_E_MACHINE and sets errno if the program cannot be started
// (ENOENT: there is no such program or folder). Signals have their default actions
// in the program, and none is blocked.
PPS_MUST_CHECK enum pps_status pps_process_start(struct pps_process *process,
                                                 const struct pps_process_start *start,
                                                 struct pps_error *err);

// Asks the guard to end the program and all its descendants: SIGTERM, then SIGKILL after the grace
// period. Returns at once; further calls do nothing.
void pps_process_stop(struct pps_process *process);

// Returns true, with *end filled, if the program and all its descendants have ended. Nothing of the
// process remains then. Returns false at once if it still runs.
bool pps_process_ended(struct pps_process *process, struct pps_process_end *end);

// Waits until the program and all its descendants have ended.
void pps_process_wait(struct pps_process *process, struct pps_process_end *end);
