// SPDX-License-Identifier: Apache-2.0
// Shows what became of batches, and adds up figures over all of them.
#pragma once

#include "base/write/new_file.h"
#include "planner/dynapipe/plan_batch.h"

#include <stdio.h>

// ---- plan log -----------------------------------------------------------------------------------

// performance.log has a record a line, recompute_plans.json an array of plans. Zeroed: no log.
struct plan_log {
    bool is_open;
    FILE *records;
    struct pps_new_file plans;
    int64_t n;
};

// Opens the logs in a folder: "" is that of DYNAPIPE_PERFORMANCE_LOG_DIR, or performance_logs; NULL: no log. Earlier
// records are continued; plans go through the gate.
PPS_MUST_CHECK enum pps_status plan_log_open(struct plan_log *log, const char *folder,
                                             const struct pps_gate *gate,
                                             struct pps_error *err);

// Ends and closes the logs, if they are open.
PPS_MUST_CHECK enum pps_status plan_log_close(struct plan_log *log, struct pps_error *err);

// Appends the recomputation of a plan: a list of [layer, next layer, type] for each micro-batch of each replica.
void plan_log_collect(const struct planned *planned, struct text_buffer *out);

// Writes what a batch took, and its recomputation as collected.
PPS_MUST_CHECK enum pps_status plan_log_write(struct plan_log *log, const struct batch *batch,
                                              const struct planned *planned,
                                              const struct text_buffer *recompute,
                                              struct pps_error *err);

// ---- totals -------------------------------------------------------------------------------------

enum { TOTALS_TIMES = 65536 };

struct totals {
    int64_t batches, refused, infeasible, exceeding;
    int64_t
        proven; // batches whose plan is optimal of its kind, though longer than the lower bound
    int64_t samples, tokens, padded, micro_batches;
    int64_t of_batches;     // batches whose bound holds for all divisions
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
