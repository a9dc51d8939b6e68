// SPDX-License-Identifier: Apache-2.0
// Reads --top, --by and --only-top of a run: the choice of best rows, and results of only the
// best rows.
#ifndef PPS_CLI_TOPOPTIONS_H
#define PPS_CLI_TOPOPTIONS_H

#include "engine/cli/verbs.h"
#include "engine/run/sweep.h"

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
            "column to rank by; added to the rows (first result of the kernel)"                \
    }

// Returns the part of the options that enters the digest of the experiment: a text with
// --only-top, which the caller frees, else NULL.
PPS_MUST_CHECK enum pps_status pps_top_selection(const struct pps_args *args,
                                                 char **selection,
                                                 struct pps_error *err);

// Sets n_best, by, objective, only_best and ties of a sweep with a loaded experiment. by_room
// has room for PPS_MAX_PARAMS numbers and must outlive the sweep.
PPS_MUST_CHECK enum pps_status pps_top_options(const struct pps_args *args,
                                               const struct pps_experiment *experiment,
                                               struct pps_sweep *sweep,
                                               int *by_room,
                                               struct pps_error *err);

// Returns a sink that discards blocks, for --only-top runs.
struct pps_sink pps_top_no_sink(void);

// Writes the best rows in order of index as one block, and sets totals->rows to their number.
PPS_MUST_CHECK enum pps_status pps_top_write(const struct pps_sweep *sweep,
                                             const struct pps_sink *sink,
                                             struct pps_totals *totals,
                                             struct pps_error *err);

#endif
