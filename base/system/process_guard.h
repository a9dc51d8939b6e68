// SPDX-License-Identifier: Apache-2.0
// The guard of a started program: its whole life, from fork to _exit.
#pragma once

#include "base/system/process.h"

#include <spawn.h>

// What the guard writes to the link: first whether the program was started, then how it ended.
struct pps_guard_report {
    int error;     // errno of the start, or 0
    pid_t program; // started
    struct pps_process_end end;
};

struct pps_guard {
    int link; // a socket; its other end belongs to the process that started the guard
    const struct pps_process_start *start;
    const posix_spawnattr_t *attributes;
};

// Runs the guard in a child process that was just forked. Does not return.
_Noreturn void pps_guard_run(struct pps_guard guard);
