// SPDX-License-Identifier: Apache-2.0
// Searches strategies for several numbers of chunks and micro-batches and both orders, and finds the front of
// memory and time.
#pragma once

#include "planner/balance/solution.h"

#include <stdio.h>

enum { EXPLORE_VALUES_MAX = 64, EXPLORE_POINTS_MAX = 1024 };

// Values of the axes; an axis without values has that of the request.
struct balance_axes {
    int32_t chunks[EXPLORE_VALUES_MAX], micro_batches[EXPLORE_VALUES_MAX];
    enum balance_order orders[2];
    int n_chunks, n_micro_batches, n_orders;
};

// Reads axes as in "v=1..4 order=big,less m=8,16,32", and adds them. Names an error by `option`.
PPS_MUST_CHECK enum pps_status balance_axes_read(struct balance_axes *axes, const char *option,
                                                 const char *text, struct pps_error *err);

struct balance_explored {
    struct balance_request request; // with the shape of the point
    const char *why;                // why the point has no order; NULL: it has one
    enum balance_outcome outcome;
    bool is_known;                  // a strategy was found
    struct balance_result result;   // without peaks of stages
    double peak_mb, bound, lack_mb; // lack: least memory if nothing fits
    bool is_proven,
        is_on_front; // no other point takes less memory and less time per micro-batch
};

struct balance_exploration {
    struct balance_explored *points; // [n], allocated
    int n, skipped;                  // skipped: combinations that no order runs
};

// Explores all combinations on several threads; the answer does not depend on their number. A pipeline with one chunk has
// one order. The stop flag ends the searches early. The caller frees the exploration in every case.
PPS_MUST_CHECK enum pps_status balance_explore(struct balance_exploration *exploration,
                                               const struct balance_request *request,
                                               const struct balance_axes *axes, int threads,
                                               atomic_bool *stop, struct pps_error *err);
void balance_exploration_free(struct balance_exploration *exploration);

// Prints the points by increasing time per micro-batch, the front marked.
void balance_explore_show(const struct balance_exploration *exploration,
                          const struct balance_request *request, FILE *out);
