// SPDX-License-Identifier: Apache-2.0
// Shows what became of batches, and adds up figures over all of them.
#ifndef PPS_PLANNER_DYNAPIPE_TOTALS_H
#define PPS_PLANNER_DYNAPIPE_TOTALS_H

#include "planner/dynapipe/plan_batch.h"

#include <stdio.h>

enum { TOTALS_TIMES = 65536 };

struct totals {
    int64_t batches, refused, infeasible, exceeding;
    int64_t
        proven; // batches whose plan is optimal of its kind, though longer than the lower bound
    int64_t samples, tokens, padded, micro_batches;
    double makespan, bound; // us, sums over batches
    // Of the batches that a baseline can plan: its makespans, and those of the plans.
    double by_tokens, tokens_plans, by_rows, rows_plans, by_mine, mine_plans;
    int64_t n_tokens, n_rows, n_mine;
    double *seconds; // planning times of the last TOTALS_TIMES batches
    size_t room;
};

void totals_free(struct totals *totals);

// Adds a batch. Returns false if memory lacks.
bool totals_add(struct totals *totals, const struct planned *planned);

// Prints the head of the table of batches, a line of it, and what the batches add up to.
void totals_show_head(FILE *out);
void totals_show_batch(const struct batch *batch, const struct planned *planned, FILE *out);
void totals_show(const struct totals *totals, FILE *out);

void totals_show_baselines(const struct totals *totals, FILE *out);

// Prints the steps of the training itself, in micro-batches of so many rows.
void totals_show_mine(const struct totals *totals, int rows, FILE *out);

// Prints the median and the 99th percentile of the last planning times.
void totals_show_times(struct totals *totals, FILE *out);

#endif
