// SPDX-License-Identifier: Apache-2.0
// A launch runs a list of configurations by their framework, and prints progress on stderr and a table
// on stdout.
#pragma once

#include "base/text/status.h"
#include "base/text/text_buffer.h"
#include "engine/space/shard.h"
#include "kernels/frameworks/framework.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// ---- launchers ----------------------------------------------------------------------------------

struct nd_launcher {
    const char *command; // with placeholders, for /bin/sh
    const char *option;  // that names the folder of the framework
    const char *needs;   // file in that folder; NULL: the folder may be unknown
    const char *ranks;   // simulated by default; NULL: the command runs all ranks
};

// Returns the launcher of a framework; of FRAMEWORK_NONE it is that of Megatron, `bash FILE`.
const struct nd_launcher *nd_launcher(enum framework framework, bool dry_run);

// Appends shell lines that set the variables of a dry run. rank -1: without those of a rank.
void nd_launcher_simulate(struct text_buffer *out, enum framework framework, int64_t rank,
                          int i_rank, int64_t world);

// ---- launch -------------------------------------------------------------------------------------

struct nd_launch {
    bool dry_run;                      // else a profile
    bool list;                         // print the commands, run nothing
    bool force, retry_failed;          // run all again; run earlier failures again
    const char *const *words;          // configurations and folders of configurations
    int n_words;                       // at least 1
    const char *command;               // for /bin/sh; NULL: the launcher of the framework
    const char *folders[N_FRAMEWORKS]; // where the frameworks are; NULL: unknown
    const char *ranks;   // of dry runs: "stages", "largest", "none", "0,8"; NULL: by framework
    const char *output;  // folder of logs and states; NULL: of the configurations
    const char *devices; // "8" or "0-3,6"; NULL: the visible ones
    uint64_t per_run;    // devices of a run; 0: all
    uint64_t parallel;   // runs at a time; 0: as many as fit on the devices
    double limit_s;      // of a run; 0: none
    double grace_s;      // from SIGTERM to SIGKILL
    struct pps_shard shard; // count 0: all runs
    const atomic_bool *stop;
};

// Runs what has not been run before. Returns PPS_E_INPUT before anything is started or written,
// PPS_E_POINTS if runs failed, PPS_E_STOPPED if the stop flag was set, PPS_E_MACHINE if a file cannot
// be written or a process cannot be started. No process is left in any case.
PPS_MUST_CHECK enum pps_status nd_launch_run(const struct nd_launch *launch,
                                             struct pps_error *err);
