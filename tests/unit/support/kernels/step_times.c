// SPDX-License-Identifier: Apache-2.0
// Computes the durations and the memory of passes from the layers.
#include "tests/unit/support/kernels/step_times.h"

#include "kernels/common/estimate/estimate_cache.h"

#include <stdlib.h>
#include <string.h>

struct building {
    struct passes *passes;
    const struct nd_estimate *e;
    const struct nd_point *point;
    const struct layercost_set *set;
    struct nd_chunk *chunks; // [chunk * stages + stage]
    struct nd_stage *stages;
};

static void price_chunk(struct building *b, int32_t k)
{
    const struct layercost *dense = &b->set->dense, *moe = &b->set->moe;
    const struct nd_chunk *c = &b->chunks[k];
    const enum nd_recompute mode = b->point->strategy.recompute;
    struct pipeline_stage *stage = &b->passes->timed.pipeline.stage[k];
    stage->f = c->layers.dense * dense->forward + c->layers.moe * moe->forward;
    stage->b = c->layers.dense * dense->backward[mode] + c->layers.moe * moe->backward[mode];
    b->passes->kept[k] =
        c->layers.dense * dense->stored[mode] + c->layers.moe * moe->stored[mode];
}

// Prices the chunks of a stage. The head and its companions belong to the last chunk.
static void price_stage(struct building *b, int32_t i)
{
    const int32_t stages = b->passes->shape.stages, chunks = b->passes->shape.chunks;
    const struct nd_stage *stage = &b->stages[i];
    struct pipeline *pipeline = &b->passes->timed.pipeline;
    double forward = stage->forward, backward = stage->backward;
    for (int32_t v = 0; v < chunks; v++) {
        const int32_t k = v * stages + i;
        price_chunk(b, k);
        forward -= pipeline->stage[k].f;
        backward -= pipeline->stage[k].b;
    }
    if (i == stages - 1) {
        pipeline->stage[chunks * stages - 1].f += forward;
        pipeline->stage[chunks * stages - 1].b += backward;
    }
    pipeline->fixed[i] = stage->total - stage->activations - stage->transient;
}

// One way of the transfer that the closed form takes both ways.
static double hop(const struct building *b)
{
    const struct nd_strategy *s = &b->point->strategy;
    const double width = (double)s->dp * s->tp * s->cp;
    const bool within = width < (double)b->e->layers.hardware.node;
    return (within ? b->set->p2p_intra : b->set->p2p_inter) / 2;
}

static bool build(struct building *b, const struct orders_shape *shape)
{
    const size_t stages = (size_t)shape->stages, chunks = (size_t)shape->chunks;
    struct nd_memory memory;
    b->chunks = calloc(stages * chunks, sizeof *b->chunks);
    b->stages = calloc(stages, sizeof *b->stages);
    if (b->chunks == NULL || b->stages == NULL || !passes_open(b->passes, shape))
        return false;
    nd_reference_split(b->e, b->point, b->chunks);
    nd_reference(b->e, b->point, b->chunks, b->stages, &memory, NULL);
    for (int32_t i = 0; i < shape->stages; i++)
        price_stage(b, i);
    b->passes->timed.pipeline.links.latency = hop(b);
    return passes_play(b->passes);
}

enum nd_steptimes_status nd_steptimes_of(struct passes *passes, const struct nd_estimate *e,
                                         struct nd_cache *cache, const struct nd_point *point)
{
    char why[256];
    struct building b = {.passes = passes, .e = e, .point = point};
    const struct orders_shape shape = {.stages = point->strategy.pp,
                                       .chunks = point->strategy.vp,
                                       .micro_batches = (int32_t)nd_micro_batches(point),
                                       .splits = 1,
                                       .warmup = e->low_mem_vpp ? ORDERS_LOW : ORDERS_STANDARD};
    memset(passes, 0, sizeof *passes);
    if (!orders_check(&shape, why, sizeof why))
        return ND_STEPTIMES_NO_ORDER;
    b.set = &nd_shape_of(e, cache, point)->rest->set;
    const bool done = build(&b, &shape);
    free(b.chunks);
    free(b.stages);
    return done ? ND_STEPTIMES_DONE : ND_STEPTIMES_NO_MEMORY;
}
