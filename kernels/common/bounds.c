// SPDX-License-Identifier: Apache-2.0
// Bounds and bubbles, by formula.
#include "bounds.h"

struct bounds_bubble bounds_split(const struct bounds_work *work)
{
    const double p = work->stages, slots = (double)work->chunks * work->micro_batches;
    struct bounds_bubble bubble = {
        .total = (p * work->makespan - work->useful) / work->useful,
        .ideal = (p - 1) / slots,
        .recompute = work->done / work->useful - 1,
        .transfer = p * (work->makespan - work->makespan_no_hops) / work->useful,
    };
    bubble.imbalance = bubble.total - bubble.ideal - bubble.recompute - bubble.transfer;
    return bubble;
}

double bounds_stage(int32_t stages,
                    int32_t micro_batches,
                    const double *forward,
                    const double *backward,
                    double hop,
                    int32_t stage)
{
    double sum = micro_batches * (forward[stage] + backward[stage]);
    (void)stages;
    for (int32_t k = 0; k < stage; k++)
        sum += forward[k] + backward[k] + 2 * hop;
    return sum;
}

double bounds_round_trip(int32_t stages,
                         int32_t micro_batches,
                         const double *forward,
                         const double *backward,
                         double hop,
                         int32_t stage)
{
    // Forwards after the first backward; the last of them before that of micro-batch M - 1 ends.
    const int32_t rounds = micro_batches - (stages - stage);
    const double f = forward[stage], b = backward[stage];
    double before = 0, behind = 0;
    for (int32_t k = 0; k < stage; k++)
        before += forward[k] + backward[k] + 2 * hop;
    for (int32_t k = stage + 1; k < stages; k++)
        behind += forward[k] + backward[k] + 2 * hop;
    const double first =
        f + (behind > (stages - 1 - stage) * f ? behind : (stages - 1 - stage) * f);
    if (rounds < 1) // all forwards come before the first backward
        return before + first + micro_batches * b;
    const double last =
        b + (behind > (stages - 1 - stage) * b ? behind : (stages - 1 - stage) * b);
    return before + first + rounds * (f + b) + last;
}
