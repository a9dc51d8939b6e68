// SPDX-License-Identifier: Apache-2.0
// What a run says when it ends: counts, the best rows, time, and the commands that come next.
#ifndef PPS_CLI_REPORT_H
#define PPS_CLI_REPORT_H

#include "command.h"
#include "engine/sweep.h"

#include <stdio.h>

struct pps_report {
    const struct pps_experiment *experiment;
    const struct pps_sweep *sweep;
    struct pps_totals *totals;
    int objective;
    const int *by; // n_by parameters: the best rows of every group
    int n_by;
    bool by_work;     // nobody has asked for the groups: rows of one do the same amount of work
    const char *path; // of the result
    struct pps_shard shard;
    uint64_t data_bytes;
    const char *reuse; // the earlier result that rows were taken from; or NULL
    double audit;      // fraction of the rows that was audited; 0: none
    int threads;
    bool
        earlier; // an earlier run has made the result; totals and threads are those of that run
};

// For people, on stderr.
void pps_report_print(const struct pps_report *report);

// For programs: one JSON object on a line of `out`.
PPS_MUST_CHECK enum pps_status pps_report_json(const struct pps_report *report,
                                               FILE *out,
                                               struct pps_error *err);

#endif
