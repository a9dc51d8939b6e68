// SPDX-License-Identifier: Apache-2.0
// Computes the passes of a choice and the parts of its overhead.
#include "kernels/common/split/playback.h"

#include "kernels/common/split/chunk.h"
#include "kernels/common/split/evaluator.h"

#include <math.h>

static void price(const struct nd_program *p, const struct nd_choice *choice,
                  struct passes *passes)
{
    const int32_t n = p->stages * p->chunks;
    struct pipeline *pipeline = &passes->timed.pipeline;
    nd_kept(p, choice, passes->kept);
    pipeline->links.latency = p->hop;
    for (int32_t i = 0; i < p->stages; i++) {
        pipeline->fixed[i] = nd_program_static(p, i) - nd_choice_spare(p, choice, i);
        pipeline->limit[i] = nd_program_static(p, i) + nd_program_budget(p, i);
    }
    for (int32_t k = 0; k < n; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        pipeline->stage[k].f = nd_chunk_forward(p, &chunk, k == n - 1) / p->splits;
        pipeline->stage[k].b = nd_chunk_backward(p, &chunk, k == n - 1) / p->splits;
        pipeline->fixed[k % p->stages] += nd_chunk_layers_mb(p, &chunk);
    }
}

enum nd_outcome nd_play(const struct nd_program *program, const struct nd_choice *choice,
                        const struct orders_shape *shape, struct passes *passes)
{
    if (!passes_open(passes, shape))
        return ND_NO_MEMORY;
    price(program, choice, passes);
    return passes_play(passes) ? ND_DONE : ND_NO_MEMORY;
}

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

enum nd_outcome nd_bubble(const struct nd_program *program, const struct nd_choice *choice,
                          struct poll *poll, struct bubble *bubble)
{
    const int32_t n = program->stages * program->chunks;
    struct nd_program still = *program;
    struct bubble_work work = {.stages = program->stages,
                               .chunks = program->chunks,
                               .micro_batches = program->micro_batches};
    struct nd_value with, without;
    still.hop = 0;
    *bubble = (struct bubble){.total = (double)NAN};
    if (nd_evaluate_within(program, choice, poll, &with) != ND_DONE ||
        nd_evaluate_within(&still, choice, poll, &without) != ND_DONE)
        return ND_NO_MEMORY;
    if (isnan(with.makespan) || isnan(without.makespan))
        return ND_DONE; // the poll ended the evaluation
    for (int32_t k = 0; k < n; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        const double both = nd_chunk_forward(program, &chunk, k == n - 1) +
                            nd_chunk_backward(program, &chunk, k == n - 1);
        work.done += program->micro_batches * both;
        work.useful += program->micro_batches * (both - nd_chunk_growth(program, &chunk));
    }
    work.makespan = with.makespan;
    work.makespan_no_hops = without.makespan;
    *bubble = bubble_split(&work);
    return ND_DONE;
}
