// SPDX-License-Identifier: Apache-2.0
// Durations of passes from layers, an order from the schedule, times from its graph.
#include "steptimes.h"

#include "kernels/common/memline.h"
#include "kernels/common/timeline.h"

#include <stdlib.h>
#include <string.h>

struct building {
    struct nd_steptimes *times;
    const struct nd_estimate *e;
    const struct nd_point *point;
    const struct layercost_set *set;
    struct nd_chunk *chunks; // [chunk * stages + stage]
    struct nd_stage *stages;
    double *durations;         // of the graph's classes
    double *kept;              // [stage * chunks + chunk] bytes of a micro-batch
    struct orders_task *tasks; // of one stage
    double *starts, *ends, *after;
};

static bool take(struct building *b)
{
    const size_t p = (size_t)b->times->shape.stages, v = (size_t)b->times->shape.chunks;
    const size_t each = (size_t)orders_length(&b->times->shape), n = p * each;
    b->times->n = (int32_t)n;
    b->times->passes = calloc(n, sizeof *b->times->passes);
    b->times->fixed = calloc(p, sizeof *b->times->fixed);
    b->chunks = calloc(p * v, sizeof *b->chunks);
    b->stages = calloc(p, sizeof *b->stages);
    b->durations = calloc(2 * p * v, sizeof *b->durations);
    b->kept = calloc(p * v, sizeof *b->kept);
    b->tasks = calloc(each, sizeof *b->tasks);
    b->starts = calloc(n, sizeof *b->starts);
    b->ends = calloc(n, sizeof *b->ends);
    b->after = calloc(each, sizeof *b->after);
    return b->times->passes != NULL && b->times->fixed != NULL && b->chunks != NULL &&
           b->stages != NULL && b->durations != NULL && b->kept != NULL && b->tasks != NULL &&
           b->starts != NULL && b->ends != NULL && b->after != NULL;
}

static void give_back(struct building *b)
{
    free(b->chunks);
    free(b->stages);
    free(b->durations);
    free(b->kept);
    free(b->tasks);
    free(b->starts);
    free(b->ends);
    free(b->after);
}

static void price_chunk(struct building *b, int32_t i, int32_t v)
{
    const struct orders_shape *shape = &b->times->shape;
    const struct layercost *dense = &b->set->dense, *moe = &b->set->moe;
    const struct nd_chunk *c = &b->chunks[v * shape->stages + i];
    const enum nd_recompute mode = b->point->strategy.recompute;
    b->durations[timeline_class(shape, ORDERS_FORWARD, v, i)] =
        c->dense * dense->forward + c->moe * moe->forward;
    b->durations[timeline_class(shape, ORDERS_BACKWARD, v, i)] =
        c->dense * dense->backward[mode] + c->moe * moe->backward[mode];
    b->kept[i * shape->chunks + v] =
        c->dense * dense->stored[mode] + c->moe * moe->stored[mode];
}

// What a stage does beside its layers, the head and what goes with it, belongs to its last chunk.
static void price_stage(struct building *b, int32_t i)
{
    const struct orders_shape *shape = &b->times->shape;
    const struct nd_stage *stage = &b->stages[i];
    double forward = stage->forward, backward = stage->backward;
    for (int32_t v = 0; v < shape->chunks; v++) {
        price_chunk(b, i, v);
        forward -= b->durations[timeline_class(shape, ORDERS_FORWARD, v, i)];
        backward -= b->durations[timeline_class(shape, ORDERS_BACKWARD, v, i)];
    }
    if (i == shape->stages - 1) {
        b->durations[timeline_class(shape, ORDERS_FORWARD, shape->chunks - 1, i)] += forward;
        b->durations[timeline_class(shape, ORDERS_BACKWARD, shape->chunks - 1, i)] += backward;
    }
    b->times->fixed[i] = stage->total - stage->activations - stage->transient;
}

// One way of the transfer that the closed form takes both ways.
static double hop(const struct building *b)
{
    const struct nd_strategy *s = &b->point->strategy;
    const double width = (double)s->dp * s->tp * s->cp;
    const bool within = width < (double)b->e->layers.hardware.node;
    return (within ? b->set->p2p_intra : b->set->p2p_inter) / 2;
}

static void tell_stage(struct building *b, int32_t i)
{
    const struct orders_shape *shape = &b->times->shape;
    const int32_t each = orders_length(shape);
    orders_of_stage(shape, i, b->tasks);
    memline_curve(shape, b->tasks, b->kept + i * shape->chunks, b->after);
    for (int32_t k = 0; k < each; k++) {
        const int32_t t = i * each + k;
        b->times->passes[t] = (struct nd_pass){i, b->tasks[k], b->starts[t], b->ends[t],
                                               b->times->fixed[i] + b->after[k]};
    }
}

static int by_start(const void *left, const void *right)
{
    const struct nd_pass *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

static enum nd_steptimes_status build(struct building *b)
{
    struct nd_steptimes *times = b->times;
    struct timeline *timeline = NULL;
    struct nd_memory memory;
    if (!take(b) || timeline_of_shape(&times->shape, &timeline) != TIMELINE_DONE)
        return ND_STEPTIMES_NO_MEMORY;
    nd_reference_split(b->e, b->point, b->chunks);
    nd_reference(b->e, b->point, b->chunks, b->stages, &memory, NULL);
    for (int32_t i = 0; i < times->shape.stages; i++)
        price_stage(b, i);
    const double delays[] = {0, hop(b)};
    times->makespan = timeline_run(timeline, b->durations, delays, b->starts, b->ends);
    for (int32_t i = 0; i < times->shape.stages; i++)
        tell_stage(b, i);
    qsort(times->passes, (size_t)times->n, sizeof *times->passes, by_start);
    timeline_free(timeline);
    return ND_STEPTIMES_DONE;
}

enum nd_steptimes_status nd_steptimes_of(struct nd_steptimes *times,
                                         const struct nd_estimate *e,
                                         struct nd_cache *cache,
                                         const struct nd_point *point)
{
    char why[256];
    struct building b = {.times = times, .e = e, .point = point};
    memset(times, 0, sizeof *times);
    times->shape =
        (struct orders_shape){.stages = point->strategy.pp,
                              .chunks = point->strategy.vp,
                              .micro_batches = (int32_t)nd_micro_batches(point),
                              .splits = 1,
                              .warmup = e->low_mem_vpp ? ORDERS_LOW : ORDERS_STANDARD,
                              .remainder = ORDERS_FIRST};
    if (!orders_check(&times->shape, why, sizeof why))
        return ND_STEPTIMES_NO_ORDER;
    b.set = nd_layer_figures(e, cache, point);
    const enum nd_steptimes_status status = build(&b);
    give_back(&b);
    return status;
}

void nd_steptimes_free(struct nd_steptimes *times)
{
    free(times->passes);
    free(times->fixed);
    memset(times, 0, sizeof *times);
}
