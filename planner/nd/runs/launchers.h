// SPDX-License-Identifier: Apache-2.0
// How training frameworks are launched for a profile and for a dry run, as their own scripts and
// documents do.
#ifndef PPS_PLANNER_ND_RUNS_LAUNCHERS_H
#define PPS_PLANNER_ND_RUNS_LAUNCHERS_H

#include "base/text/text_buffer.h"
#include "kernels/frameworks/framework.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_launcher {
    const char *command; // with placeholders, for /bin/sh
    const char *option;  // that names the folder of the framework
    const char *needs;   // file in that folder; NULL: the folder may be unknown
    const char *ranks;   // simulated by default; NULL: the command runs all ranks
};

// Returns the launcher of a framework; of FRAMEWORK_NONE it is that of Megatron, `bash FILE`.
const struct nd_launcher *nd_launcher(enum framework framework, bool dry_run);

// Appends shell lines that set the variables of a dry run. rank -1: without those of a rank.
void nd_launcher_simulate(struct text_buffer *out,
                          enum framework framework,
                          int64_t rank,
                          int i_rank,
                          int64_t world);

#endif
