// SPDX-License-Identifier: Apache-2.0
// A run: one process of a configuration, its files, its state, and the state that an earlier call left.
#pragma once

#include "base/system/process.h"
#include "planner/nd/runs/last_line.h"
#include "planner/nd/runs/recipe.h"

#include <stdbool.h>
#include <time.h>

enum nd_run_state {
    ND_RUN_WAITING,   // not started
    ND_RUN_RUNNING,   // in a file: the program that ran it was killed
    ND_RUN_DONE,      // exit status 0
    ND_RUN_FAILED,    // another exit status
    ND_RUN_KILLED,    // by a signal
    ND_RUN_NO_MEMORY, // failed, and the log tells of a lack of memory
    ND_RUN_TIMED_OUT,
    ND_RUN_STOPPED, // by a signal to this program
    ND_RUN_IN_USE,  // another process runs it
    ND_RUN_STATES
};

// Files of a run: logs/NAME/output.log or logs/NAME/rank_R.log, status/NAME.json or
// status/NAME.rank_R.json, under the output folder. Logs of an earlier attempt are moved to
// earlier/NAME-DATE-TIME.
struct nd_run {
    struct nd_order order;
    char *name;   // "DP8_TP1_PP2", or with the rank: "DP8_TP1_PP2 rank 8"
    char *folder; // of the logs; absolute
    char *log;
    char *status_file;

    enum nd_run_state state;
    bool earlier; // the state is from an earlier call
    int exit_status, signal;
    double seconds, limit_s; // limit 0: none
    struct nd_last_line line;
    time_t started, ended;

    struct pps_process process; // while it runs
    int slot;                   // of the devices
    double start;               // wall seconds
    bool stopping, late;
};

// Sets the names of a run under the output folder, which is absolute. Returns PPS_E_MACHINE if memory
// runs out; the caller frees the run in every case.
PPS_MUST_CHECK enum pps_status nd_run_open(struct nd_run *run, const struct nd_order *order,
                                           const char *output, struct pps_error *err);
void nd_run_free(struct nd_run *run);

// Returns PPS_E_INPUT if a document that is no status has the name of the run's status.
PPS_MUST_CHECK enum pps_status nd_run_check_status(const struct nd_run *run,
                                                   struct pps_error *err);

// Reads the state that an earlier call left. The run remains ND_RUN_WAITING if there is none, if the
// configuration or the command changed, or if the file cannot be read.
void nd_run_read(struct nd_run *run, const struct nd_recipe *recipe);

// Writes the state to its file, which changes only as a whole. `command` is what was started.
PPS_MUST_CHECK enum pps_status nd_run_write(const struct nd_run *run,
                                            const struct nd_recipe *recipe, const char *command,
                                            struct pps_error *err);

// Opens the empty log of a run and locks it; `output` is the output folder. Every process of the run
// holds the lock, because the log is its output. Moves logs of an earlier attempt away, unless the
// run is one simulated rank of several, whose log is truncated. *fd is -1 if another process holds the
// lock; the caller closes it.
PPS_MUST_CHECK enum pps_status nd_run_open_log(const struct nd_run *run, const char *output,
                                               int *fd, struct pps_error *err);

// Returns true for failures: all states from ND_RUN_FAILED to ND_RUN_TIMED_OUT.
bool nd_run_failed(const struct nd_run *run);

// Writes the state for people, such as "failed with exit 1".
void nd_run_describe(const struct nd_run *run, char *out, size_t cap);
