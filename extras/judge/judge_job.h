// SPDX-License-Identifier: Apache-2.0
// What the options of `ppsweep schedule judge` select, and the cells of its tables.
#pragma once

#include "extras/judge/judge.h"
#include "extras/judge/judge_policies.h"

enum { JUDGE_LIST_MAX = 32 };

struct judge_list {
    double value[JUDGE_LIST_MAX];
    int n;
};

struct judge_job {
    double value[N_PARAMS];
    struct judge_list limits, levels, outliers;
    struct judge_policies policies;
    uint64_t threads;
    struct judge judge;
};

// Sets the limits and rows of the judge: at every limit, the orders that fit, and the rules, which follow the best
// order. baseline: the label of a row; NULL: the best order.
PPS_MUST_CHECK enum pps_status judge_cells_set(struct judge_job *job, const char *baseline,
                                               struct pps_error *err);

// A family in a placement of `chunks` stages per device.
struct judge_family {
    int name, chunks;
};

// Evaluates the orders of families at the limit, without noise, and sorts them: the best first. value: of the
// pipeline.
PPS_MUST_CHECK enum pps_status judge_evaluate(const struct judge_job *job,
                                              struct judge_limit *limit,
                                              const double value[N_PARAMS],
                                              const struct judge_family *family, int n,
                                              struct pps_error *err);

// Takes memory for n limits, and for rows of at most `entries` entries in every cell.
PPS_MUST_CHECK enum pps_status judge_take(struct judge_job *job, int limits, int entries,
                                          struct pps_error *err);

// Frees the policies, limits and rows of a job.
void judge_job_free(struct judge_job *job);
