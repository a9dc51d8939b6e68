// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of the time of replicates, whose operations have times of their own.
//
// An operation in a pair takes less time than alone: a pair lasts its nominal time, scaled as its parts
// are longer or shorter than their nominal times. So an operation shortens at most by the factor of the pair
// with the longest parts.
#include "kernels/common/executor/bounds.h"

#include <math.h>
#include <string.h>

enum { LANES = EXECUTOR_LANES };

struct sums {
    const struct pipeline *pipeline;
    const struct executor_times *times;
    double *head, *work, *area;          // [devices * LANES]: of all micro-batches
    double *item_work[2], *item_area[2]; // [devices * LANES]: of one micro-batch, by direction
    double chain[LANES];
};

// Returns the least ratio of the time of an operation in a pair to its time alone.
static double factor_of(const struct pipeline *p, int32_t device)
{
    double f = 0, backward = 0;
    if (isnan(p->pair[device]))
        return 1;
    for (int32_t k = 0; k < p->shape.directions; k++)
        for (int32_t s = 0; s < p->shape.stages; s++) {
            if (pipeline_device(p, k, s) != device)
                continue;
            f = fmax(f, p->stage[s].f);
            backward = fmax(backward, p->stage[s].b + p->stage[s].w);
        }
    return f + backward > 0 ? fmin(1, p->pair[device] / (f + backward)) : 0;
}

static const double *row(const double *array, int32_t index)
{
    return &array[(int64_t)index * LANES];
}

static int32_t index_of(const struct sums *e, int32_t k, int32_t stage, int32_t item)
{
    return (k * e->pipeline->shape.stages + stage) * pipeline_items(e->pipeline) + item;
}

// Lowers the earliest start of every device to the arrival of the forwards of a micro-batch.
static void add_heads(struct sums *e, int32_t k, int32_t item)
{
    const struct pipeline *p = e->pipeline;
    double head[LANES] = {0};
    for (int32_t s = 0; s < p->shape.stages; s++) {
        const int32_t d = pipeline_device(p, k, s), index = index_of(e, k, s, item);
        const double factor = factor_of(p, d), *f = row(e->times->time[0], index),
                     *delay = row(e->times->delay[0], index);
        double *earliest = &e->head[d * LANES];
        for (int i = 0; i < LANES; i++) {
            earliest[i] = head[i] < earliest[i] ? head[i] : earliest[i];
            head[i] += factor * f[i] + (s + 1 < p->shape.stages ? delay[i] : 0);
        }
    }
}

// Sums the work and the memory of a micro-batch in one direction; returns its chain in `trip`.
static void add_trip(struct sums *e, int32_t k, int32_t item, double *trip)
{
    const struct pipeline *p = e->pipeline;
    const int32_t last = p->shape.stages - 1;
    const size_t bytes = (size_t)p->shape.devices * LANES * sizeof(double);
    memset(e->item_work[k], 0, bytes);
    memset(e->item_area[k], 0, bytes);
    memset(trip, 0, LANES * sizeof *trip);
    for (int32_t s = last; s >= 0; s--) {
        const struct pipeline_stage *stage = &p->stage[s];
        const int32_t d = pipeline_device(p, k, s), index = index_of(e, k, s, item),
                      behind = index_of(e, k, s == last ? s : s + 1, item);
        const double factor = factor_of(p, d), sent = s == last ? 0 : 1,
                     until_b = stage->kept_until_b, until_w = stage->kept_until_w;
        const double *f = row(e->times->time[0], index), *b = row(e->times->time[1], index),
                     *w = row(e->times->time[2], index),
                     *there = row(e->times->delay[0], index),
                     *back = row(e->times->delay[1], behind);
        double *work = &e->item_work[k][d * LANES], *area = &e->item_area[k][d * LANES];
        for (int i = 0; i < LANES; i++) {
            trip[i] += factor * (f[i] + b[i]) + sent * (there[i] + back[i]);
            work[i] += factor * (f[i] + b[i] + w[i]);
            area[i] += (until_b + until_w) * trip[i] + until_w * factor * w[i];
        }
    }
    const double factor = factor_of(p, pipeline_device(p, k, 0)),
                 *w = row(e->times->time[2], index_of(e, k, 0, item));
    for (int i = 0; i < LANES; i++)
        trip[i] += factor * w[i];
}

// Adds a micro-batch, in the direction in which it costs less.
static void add_item(struct sums *e, int32_t item)
{
    const struct pipeline *p = e->pipeline;
    const int32_t last = p->shape.directions - 1;
    double trip[2][LANES];
    for (int32_t k = 0; k <= last; k++) {
        add_heads(e, k, item);
        add_trip(e, k, item, trip[k]);
    }
    for (int i = 0; i < LANES; i++)
        e->chain[i] = fmax(e->chain[i], fmin(trip[0][i], trip[last][i]));
    for (int32_t i = 0; i < p->shape.devices * LANES; i++) {
        e->work[i] += fmin(e->item_work[0][i], e->item_work[last][i]);
        e->area[i] += fmin(e->item_area[0][i], e->item_area[last][i]);
    }
}

static struct bounds bounds_of_lane(const struct sums *e, int lane)
{
    const struct pipeline *p = e->pipeline;
    struct bounds bounds = {.chain = e->chain[lane]};
    double memory_from_start = 0;
    for (int32_t d = 0; d < p->shape.devices; d++) {
        const int32_t at = d * LANES + lane;
        const double room = p->limit[d] - p->fixed[d];
        bounds.work = fmax(bounds.work, e->work[at]);
        if (isfinite(e->head[at]))
            bounds.load = fmax(bounds.load, e->head[at] + e->work[at]);
        if (!isfinite(room) || !(room > 0) || !isfinite(e->head[at]))
            continue;
        // Limits are checked to a relative 1e-9.
        const double time = e->area[at] / (room * (1 + 2e-9));
        bounds.memory = fmax(bounds.memory, time);
        memory_from_start = fmax(memory_from_start, e->head[at] + time);
    }
    bounds.span = fmax(bounds.work, fmax(bounds.chain, bounds.memory));
    bounds.makespan = fmax(bounds.load, fmax(bounds.chain, memory_from_start));
    return bounds;
}

void bounds_of_times(const struct pipeline *pipeline, const struct executor_times *times,
                     double *room, struct bounds *bounds)
{
    const int32_t n = pipeline->shape.devices * LANES;
    struct sums e = {.pipeline = pipeline,
                     .times = times,
                     .head = room,
                     .work = room + n,
                     .area = room + 2 * n,
                     .item_work = {room + 3 * n, room + 4 * n},
                     .item_area = {room + 5 * n, room + 6 * n},
                     .chain = {0}};
    memset(bounds, 0, LANES * sizeof *bounds);
    if (times->duration != NULL)
        return;
    for (int32_t i = 0; i < n; i++) {
        e.head[i] = HUGE_VAL;
        e.work[i] = e.area[i] = 0;
    }
    for (int32_t item = 0; item < pipeline_items(pipeline); item++)
        add_item(&e, item);
    for (int lane = 0; lane < LANES; lane++)
        bounds[lane] = bounds_of_lane(&e, lane);
}
