// SPDX-License-Identifier: Apache-2.0
// Reports the end of a run: counts, best rows, time, and suggested next commands.
#ifndef PPS_CLI_REPORT_H
#define PPS_CLI_REPORT_H

#include "engine/cli/verbs.h"
#include "engine/run/sweep.h"

#include <stdio.h>

struct pps_report {
    const struct pps_experiment *experiment;
    const struct pps_sweep *sweep;
    struct pps_totals *totals;
    int objective;
    const int *by; // n_by parameters that define the groups
    int n_by;
    bool by_work;     // groups by default: rows of a group do the same amount of work
    const char *path; // of the result
    struct pps_shard shard;
    uint64_t data_bytes;
    const char *reuse; // earlier result of copied rows, or NULL
    double audit;      // audited fraction of the rows; 0: no audit
    int threads;
    bool
        earlier; // an earlier run has made the result; totals and threads are those of that run
};

// Prints the summary for people on stderr.
void pps_report_print(const struct pps_report *report);

// Prints the summary for programs: one JSON object on one line of `out`.
PPS_MUST_CHECK enum pps_status pps_report_json(const struct pps_report *report,
                                               FILE *out,
                                               struct pps_error *err);

#endif
