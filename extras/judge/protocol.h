// SPDX-License-Identifier: Apache-2.0
// Compares static orders and online rules over a grid of pipelines and noise: every contestant of a cell has
// the same memory limit and meets the same replicates. docs/schedule-learning.md has the protocol.
#pragma once

#include "base/math/statistics.h"
#include "base/text/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Contestants. Those up to PROTOCOL_ROBUST are static orders; the others decide while the step runs and refer to
// the order of zb_h1.
enum protocol_contestant {
    PROTOCOL_1F1B,
    PROTOCOL_ZB_H1,
    PROTOCOL_ZB_AUTO,
    PROTOCOL_SEARCH, // the best order found without noise
    PROTOCOL_ROBUST, // the order with the least mean over training replicates
    PROTOCOL_W_FLOATS,
    PROTOCOL_PULL,
    PROTOCOL_POLICY, // the first policy of the request; the others follow
};

enum {
    PROTOCOL_POLICIES_MAX = 8,
    PROTOCOL_CONTESTANTS = PROTOCOL_POLICY + PROTOCOL_POLICIES_MAX
};

extern const char *const protocol_names[PROTOCOL_POLICY];

struct policy;

// Tests have the seeds from here on. Training, which chooses the robust order, has the seeds below 2^30.
#define PROTOCOL_TEST (UINT64_C(1) << 31)

struct protocol_cell {
    int32_t devices, micro_batches;
    double level;     // of operations and messages
    double outlier_p; // of messages
};

struct protocol_request {
    double f, b, w, latency;
    double limit;     // memory of a device, in forwards, for each device of the pipeline
    double outlier_k; // an outlier takes this many times its nominal time
    uint32_t replicates;
    int32_t robust_replicates;
    int64_t robust_budget, search_budget;
    const struct policy *const *policy; // [n_policies]
    const char *const *policy_name;
    int n_policies; // at most PROTOCOL_POLICIES_MAX
    uint64_t seed;  // of training and of searches; the test has PROTOCOL_TEST + seed
};

// The pipeline of the published measurements of online rules: f, b, w, latency = 12, 13, 7, 1, the memory of 1F1B.
struct protocol_request protocol_defaults(void);

enum { PROTOCOL_ROUNDS = 4 }; // micro-batches for each device

// Returns the number of contestants, and the name of one.
static inline int protocol_contestants(const struct protocol_request *request)
{
    return PROTOCOL_POLICY + request->n_policies;
}

static inline const char *protocol_name(const struct protocol_request *request, int contestant)
{
    return contestant < PROTOCOL_POLICY ? protocol_names[contestant]
                                        : request->policy_name[contestant - PROTOCOL_POLICY];
}

struct protocol_row {
    struct statistics_mean mean;      // makespan
    struct statistics_pair from_pull; // this - PULL
    struct statistics_pair from_h1;   // this - zb_h1
    double p50, p95, p99;
    double peak;  // memory; of rules: of their order
    bool missing; // no order within the limit
};

struct protocol_result {
    struct protocol_row row[PROTOCOL_CONTESTANTS];
    double clairvoyant,
        limited; // means of bounds: of all orders, of those within the memory limit
    enum pps_status status;
};

// Evaluates all cells on several threads. The results are the same for any number of threads.
PPS_MUST_CHECK enum pps_status protocol_run(const struct protocol_request *request,
                                            const struct protocol_cell *cells, int n,
                                            int threads, const atomic_bool *stop,
                                            struct protocol_result *results,
                                            struct pps_error *err);

// Prints the tables: means, differences with intervals, and tests with the correction of Holm over all cells.
PPS_MUST_CHECK enum pps_status protocol_show(const struct protocol_request *request,
                                             const struct protocol_cell *cells, int n,
                                             const struct protocol_result *results,
                                             struct pps_error *err);

struct pps_args;

// `ppsweep schedule judge --protocol [POLICY.json...]`: reads devices (4,8,16), levels (0,0.1,0.2,0.3), outliers (0,0.02),
// replicates (1000), seed (0) and threads, runs all cells and prints.
PPS_MUST_CHECK enum pps_status protocol_main(const struct pps_args *args,
                                             struct pps_error *err);
