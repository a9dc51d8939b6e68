// SPDX-License-Identifier: Apache-2.0
// Runs a list of configurations, several at a time, and keeps their states.
#pragma once

#include "planner/nd/runs/devices.h"
#include "planner/nd/runs/run.h"

#include <stdatomic.h>
#include <stddef.h>

struct nd_runs {
    struct nd_recipe recipe;
    struct nd_slots slots;
    struct nd_run *list;
    size_t n;
    const char *output; // absolute folder
    double limit_s;     // of a run; 0: none
    double grace_s;     // from SIGTERM to SIGKILL
    int port;           // of the first place
    bool force;         // run all again
    bool retry_failed;  // run failures of earlier calls again
    const atomic_bool *stop;
};

// The place of a run: devices and port. slot -1: not yet known.
struct nd_place nd_runs_place(const struct nd_runs *runs, const struct nd_run *run, int slot);

// Runs everything that has not been run with these bytes and this command. Prints a line for each
// event on stderr. Returns PPS_OK also if runs failed or the stop flag was set; states are in the list.
// Returns PPS_E_MACHINE if a file cannot be written or a process cannot be started; no process is left.
PPS_MUST_CHECK enum pps_status nd_runs_run(struct nd_runs *runs, struct pps_error *err);

// Prints the table of all runs.
void nd_runs_print(const struct nd_runs *runs);
