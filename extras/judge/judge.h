// SPDX-License-Identifier: Apache-2.0
// Compares static orders and online rules on the same replicates of fluctuating times.
#pragma once

#include "base/math/statistics.h"
#include "kernels/schedule/replicates.h"
#include "planner/schedule/compare.h"

enum { JUDGE_BLOCK = 256 }; // replicates of a task

// Test replicates have seeds from here on; training and validation never use them.
#define JUDGE_FIRST_SEED (UINT64_C(1) << 31)

// Replicates of validation have seeds from here on. They decide whether a learned policy runs at all.
#define JUDGE_VALIDATION_SEED (UINT64_C(1) << 30)

// Replicates of a validation: it ends before all of them when the difference is clear.
enum { JUDGE_VALIDATION_LEAST = 16, JUDGE_VALIDATION = 128 };

// What is judged: an order, or a rule that refers to an order.
struct judge_entry {
    const char *label;
    const struct schedule_candidate *candidate;
    const struct policy *policy; // NULL: the order
};

// An entry at a level and a probability of outliers.
struct judge_row {
    const struct judge_entry *entry;
    int limit; // number of the limit
    double level, outlier_p;
    struct order *order; // of a robust policy, chosen for this row; NULL: that of the entry
    bool
        fell_back; // a learned policy that gains nothing in the validation: the row has its static order
    uint32_t validated;                // replicates of the validation
    struct statistics_pair validation; // of a learned policy: to its static order
    const struct judge_row *baseline;  // of the same replicates; itself: it is the baseline
    double *makespan;                  // [n]
    double *clairvoyant, *memory;      // [blocks]: sums
    double *seconds;                   // [blocks]
    // ---- figures
    struct statistics_mean mean;
    struct statistics_pair pair; // to the baseline
    double p_holm;
    double quantile[3], low[3], high[3]; // of p50, p95, p99, with the 95 % interval
    double gap;                          // mean / mean of the clairvoyant bounds - 1
    double clairvoyant_mean, memory_mean;
};

// The schedules at one limit, and the entries.
struct judge_limit {
    double limit;
    struct schedule_comparison comparison;
    const struct schedule_candidate *reference; // its order is that of rules
    struct judge_entry *entry;                  // [n_entries]
    int n_entries, baseline;
};

struct judge {
    uint64_t seed;       // of the test
    uint64_t training;   // of the replicates that choose robust orders
    uint64_t validation; // of those that decide whether learned policies run
    uint32_t n;          // replicates
    uint32_t
        n_validation; // of the validation: a multiple of EXECUTOR_LANES, at most JUDGE_VALIDATION
    struct network_shape widest; // of learned policies
    bool intervals;
    struct judge_limit *limit;
    int n_limits;
    struct judge_row *row;
    int n_rows;
    const atomic_bool *stop;
    // ---- of judge_run
    uint32_t n_blocks;
    size_t memory; // of a thread
    atomic_int next;
    atomic_bool failed; // out of memory
    double shown;       // when the progress was shown
};

// Runs work(judge, thread), which takes tasks from judge->next, on several threads. PPS_E_STOPPED; or out of
// memory, if judge->failed.
PPS_MUST_CHECK enum pps_status judge_parallel(struct judge *judge,
                                              void (*work)(void *self, int thread), int threads,
                                              struct pps_error *err);

// Returns the point of a row, with its noise.
struct schedule_point judge_point(const struct judge *judge, const struct judge_row *row);

// Chooses the orders of robust policies. A part of judge_run.
PPS_MUST_CHECK enum pps_status judge_choose(struct judge *judge, int threads,
                                            struct pps_error *err);

// Runs all rows, of which entry, limit, level, outlier_p and baseline are set, and computes their figures. The
// same bits for any number of threads, but for `seconds`.
PPS_MUST_CHECK enum pps_status judge_run(struct judge *judge, int threads,
                                         struct pps_error *err);
void judge_rows_free(struct judge *judge);

// The quantiles: 0.5, 0.95, 0.99.
extern const double judge_quantiles[3];

// Prints the table; appends it as CSV.
void judge_show(const struct judge *judge);
void judge_csv(const struct judge *judge, struct text_buffer *text);

// Prints decisions per second to stderr.
void judge_show_speed(const struct judge *judge);
