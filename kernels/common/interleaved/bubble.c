// SPDX-License-Identifier: Apache-2.0
// Computes the parts of the bubble by formula.
#include "kernels/common/interleaved/bubble.h"

struct bubble bubble_split(const struct bubble_work *work)
{
    const double p = work->stages, slots = (double)work->chunks * work->micro_batches;
    struct bubble bubble = {
        .total = (p * work->makespan - work->useful) / work->useful,
        .ideal = (p - 1) / slots,
        .recompute = work->done / work->useful - 1,
        .transfer = p * (work->makespan - work->makespan_no_hops) / work->useful,
    };
    bubble.imbalance = bubble.total - bubble.ideal - bubble.recompute - bubble.transfer;
    return bubble;
}
