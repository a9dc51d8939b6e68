// SPDX-License-Identifier: Apache-2.0
// Writes the files of a balance report: pictures, configurations and timelines.
#pragma once

#include "base/write/gate.h"
#include "engine/command/command.h"
#include "planner/balance/solution.h"

struct balance_output {
    const char *folder;   // of pictures, configurations and result.json
    const char *trace;    // timeline of the best strategy; NULL: none
    bool naive;           // pictures of the naive strategies, too
    struct pps_gate gate; // `balance` and `balance replay` replace the files of each other
};

// Reads --output-folder, --trace and --simulate-naive, and refuses files that may not be replaced.
// manual: the strategies of the user; may have none. layers: the path of the layers, which were read.
PPS_MUST_CHECK enum pps_status balance_read_output(struct balance_output *output,
                                                   const struct pps_args *args,
                                                   const struct balance_manual *manual,
                                                   const char *layers, struct pps_error *err);

// Writes the files. seconds: of a unit of time of the layers.
PPS_MUST_CHECK enum pps_status balance_write_output(const struct balance_output *output,
                                                    const struct balance_solution *solution,
                                                    double seconds, struct pps_error *err);
