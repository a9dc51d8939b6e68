// SPDX-License-Identifier: Apache-2.0
// When every pass of a strategy's step runs, as early as the order of its schedule allows, and what
// memory every stage holds after each: the picture behind the closed forms of estimate.h.
#ifndef PPS_NDSEARCH_STEPTIMES_H
#define PPS_NDSEARCH_STEPTIMES_H

#include "reference.h"

#include "kernels/common/orders.h"

struct nd_pass {
    int32_t stage;
    struct orders_task task;
    double start, end; // s
    double held; // bytes on the stage's device from then on: from the start of a forward, from
                 // the end of a backward
};

struct nd_steptimes {
    struct orders_shape shape;
    int32_t n; // passes, in order of their start; of equal ones by stage
    struct nd_pass *passes;
    double
        *fixed; // [stages] bytes held all the time: parameters, gradients, optimizer, reserve
    double makespan; // s
};

enum nd_steptimes_status {
    ND_STEPTIMES_DONE,
    ND_STEPTIMES_NO_ORDER, // fewer micro-batches than stages, or too many passes
    ND_STEPTIMES_NO_MEMORY,
};

// The default split, all layers recomputed as the strategy says. To be freed in every case.
enum nd_steptimes_status nd_steptimes_of(struct nd_steptimes *times,
                                         const struct nd_estimate *e,
                                         struct nd_cache *cache,
                                         const struct nd_point *point);
void nd_steptimes_free(struct nd_steptimes *times);

#endif
