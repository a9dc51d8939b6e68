// SPDX-License-Identifier: Apache-2.0
// Reads --top, --by, --ties and --only-top of a run: the choice of best rows.
#ifndef PPS_ENGINE_CLI_OPTIONS_BEST_OPTIONS_H
#define PPS_ENGINE_CLI_OPTIONS_BEST_OPTIONS_H

#include "engine/command/command.h"
#include "engine/job/job.h"

// Entries of an option table.
#define PPS_TOP_OPTIONS                                                                        \
    {"top", 0, "K", "number of best rows to show at the end, per group (3)"},                  \
        {"by", 0, "NAMES",                                                                     \
         "rank per group of equal NAMES, or none (parameters that change the work)"},          \
        {"ties", 0, NULL, "with --only-top: also write all rows equal to the last of the K"},  \
        {"only-top", 0, NULL,                                                                  \
         "write only the best rows; prune other points by a lower bound"},                     \
    {                                                                                          \
        "objective", 0, "COLUMN",                                                              \
            "column to rank by; added to the rows (main result of the kernel)"                 \
    }

// Sets top, by, only_best and ties of a job.
PPS_MUST_CHECK enum pps_status pps_top_options(const struct pps_args *args,
                                               struct pps_job *job,
                                               struct pps_error *err);

#endif
