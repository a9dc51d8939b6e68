// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of replicates that know all their times and keep the memory limits.
//
// Finds the earliest time of every operation, micro-batch by micro-batch: after the operations that it needs,
// after the operations that must have freed memory for it, and after all work that its device must have
// done before.
#include "kernels/schedule/online/limited.h"

#include <math.h>
#include <string.h>

enum { LANES = EXECUTOR_LANES };

// When a forward of micro-batch m starts, these must have ended: B of micro-batch m - until_b and W of
// m - until_w of its stage, and F of m - until_next of the next stage of its device.
struct wait {
    int32_t until_b, until_w, until_next;
};

struct limited {
    const struct pipeline *pipeline;
    bool suits, with_limits;
    int32_t items;
    struct wait *wait; // [stages]
    int32_t *stages;   // stages by device, ascending
    int32_t *first;    // [devices + 1]: of `stages`
    int32_t *place;    // [stages]: in `stages`
    double *end[3];    // [(stage * items + item) * LANES]: earliest end of F, B, W
    double *sum[3];    // the same: time of the F, B, W of the stage up to the micro-batch
    double *head;      // [devices * LANES]: earliest start of the device
};

struct limited *limited_take(const struct pipeline_shape *most, struct room *room)
{
    const size_t stages = (size_t)most->stages, devices = (size_t)most->devices,
                 all = stages * (size_t)most->micro_batches * (size_t)most->slices * LANES;
    struct limited *limited = room_take(room, 1, sizeof *limited), counted;
    struct limited *e = limited != NULL ? limited : &counted;
    e->wait = room_take(room, stages, sizeof *e->wait);
    e->stages = room_take(room, stages, sizeof *e->stages);
    e->first = room_take(room, devices + 1, sizeof *e->first);
    e->place = room_take(room, stages, sizeof *e->place);
    for (int type = 0; type < 3; type++) {
        e->end[type] = room_take(room, all, sizeof *e->end[type]);
        e->sum[type] = room_take(room, all, sizeof *e->sum[type]);
    }
    e->head = room_take(room, devices * LANES, sizeof *e->head);
    return limited;
}

// ---- memory ---------------------------------------------------------------------------------------

static int32_t whole(double room, double each, int32_t most)
{
    const double n = floor(room / each + 1e-6);
    return !(each > 0) || !(n < most) ? most : n < 1 ? 1 : (int32_t)n;
}

static double kept(const struct pipeline *p, int32_t stage)
{
    return p->stage[stage].kept_until_b + p->stage[stage].kept_until_w;
}

// Sets the waits of the stages of a device.
static void find_waits(struct limited *e, int32_t device)
{
    const struct pipeline *p = e->pipeline;
    const double room = p->limit[device] - p->fixed[device];
    double before = 0, all = 0; // memory of the stages before, and of all
    for (int32_t i = e->first[device]; i < e->first[device + 1]; i++)
        all += kept(p, e->stages[i]);
    for (int32_t i = e->first[device]; i < e->first[device + 1]; i++) {
        const int32_t s = e->stages[i];
        const double own = kept(p, s), until_w = p->stage[s].kept_until_w;
        struct wait *wait = &e->wait[s];
        wait->until_b = wait->until_w = wait->until_next = e->items;
        if (isfinite(room)) {
            wait->until_b = whole(room, before + own, e->items);
            wait->until_w = whole(room - before - own + until_w, until_w, e->items);
            wait->until_next = whole(room - (all - before - own), before + own, e->items);
        }
        if (i + 1 == e->first[device + 1])
            wait->until_next = e->items;
        before += own;
    }
}

void limited_open(struct limited *limited, const struct pipeline *pipeline)
{
    struct limited *e = limited;
    int32_t n = 0;
    e->pipeline = pipeline;
    e->items = pipeline_items(pipeline);
    e->suits = pipeline->shape.directions == 1 && pipeline->shape.slices == 1;
    for (int32_t d = 0; d < pipeline->shape.devices && e->suits; d++) {
        e->suits = isnan(pipeline->pair[d]);
        e->first[d] = n;
        for (int32_t s = 0; s < pipeline->shape.stages; s++)
            if (pipeline_device(pipeline, 0, s) == d) {
                e->place[s] = n;
                e->stages[n++] = s;
            }
        e->first[d + 1] = n;
        find_waits(e, d);
    }
}

// ---- earliest times -----------------------------------------------------------------------------

static inline double *at(const struct limited *e, double *const array[3], int type,
                         int32_t stage, int32_t item)
{
    return &array[type][((int64_t)stage * e->items + item) * LANES];
}

static inline const double *time_of(const struct limited *e, const double *const array,
                                    int32_t stage, int32_t item)
{
    return &array[((int64_t)stage * e->items + item) * LANES];
}

static inline void raise(double *to, const double *value)
{
    for (int i = 0; i < LANES; i++)
        to[i] = value[i] > to[i] ? value[i] : to[i];
}

// Raises to the end of an operation of micro-batch `item`, if there is one.
static void after(const struct limited *e, double *to, int type, int32_t stage, int32_t item)
{
    if (item >= 0)
        raise(to, at(e, e->end, type, stage, item));
}

// Adds the times of the operations of a type of chunks from..until - 1 of a device up to a micro-batch.
static void add_work(const struct limited *e, double *work, int type, int32_t from,
                     int32_t until, int32_t item)
{
    if (item < 0)
        return;
    for (int32_t i = from; i < until; i++) {
        const double *sum = at(e, e->sum, type, e->stages[i], item);
        for (int k = 0; k < LANES; k++)
            work[k] += sum[k];
    }
}

// Sets the earliest end of an operation that starts at `start` or later.
static void finish(struct limited *e, const struct executor_times *times, int type,
                   int32_t stage, int32_t item, const double *start)
{
    const double *time = time_of(e, times->time[type], stage, item);
    double *end = at(e, e->end, type, stage, item), *sum = at(e, e->sum, type, stage, item);
    const double *before = item > 0 ? sum - LANES : NULL;
    for (int i = 0; i < LANES; i++) {
        end[i] = start[i] + time[i];
        sum[i] = time[i] + (before != NULL ? before[i] : 0);
    }
}

static void raise_to_arrival(const struct limited *e, const struct executor_times *times,
                             double *start, int type, int32_t from, int32_t item)
{
    const double *end = at(e, e->end, type, from, item),
                 *delay = time_of(e, times->delay[type], from, item);
    for (int i = 0; i < LANES; i++)
        start[i] = fmax(start[i], end[i] + delay[i]);
}

static void forward(struct limited *e, const struct executor_times *times, int32_t s, int32_t m)
{
    const struct wait none = {e->items, e->items, e->items},
                      *wait = e->with_limits ? &e->wait[s] : &none;
    const int32_t d = pipeline_device(e->pipeline, 0, s), i = e->place[s];
    double start[LANES] = {0}, work[LANES];
    if (s > 0)
        raise_to_arrival(e, times, start, OPERATION_F, s - 1, m);
    if (m == 0 && i == e->first[d]) {
        memcpy(&e->head[d * LANES], start, sizeof start);
        finish(e, times, OPERATION_F, s, m, start);
        return;
    }
    after(e, start, OPERATION_F, s, m - 1);
    after(e, start, OPERATION_B, s, m - wait->until_b);
    after(e, start, OPERATION_W, s, m - wait->until_w);
    if (i + 1 < e->first[d + 1])
        after(e, start, OPERATION_F, e->stages[i + 1], m - wait->until_next);
    memcpy(work, &e->head[d * LANES], sizeof work);
    add_work(e, work, OPERATION_F, e->first[d], i, m);
    add_work(e, work, OPERATION_F, i, i + 1, m - 1);
    add_work(e, work, OPERATION_B, i, e->first[d + 1], m - wait->until_b);
    add_work(e, work, OPERATION_W, i, i + 1, m - wait->until_w);
    raise(start, work);
    finish(e, times, OPERATION_F, s, m, start);
}

static void backward(struct limited *e, const struct executor_times *times, int32_t s,
                     int32_t m)
{
    const int32_t d = pipeline_device(e->pipeline, 0, s), i = e->place[s];
    double start[LANES] = {0}, work[LANES];
    if (s + 1 < e->pipeline->shape.stages)
        raise_to_arrival(e, times, start, OPERATION_B, s + 1, m);
    else
        after(e, start, OPERATION_F, s, m);
    after(e, start, OPERATION_B, s, m - 1);
    memcpy(work, &e->head[d * LANES], sizeof work);
    add_work(e, work, OPERATION_F, e->first[d], e->first[d + 1], m);
    add_work(e, work, OPERATION_B, i + 1, e->first[d + 1], m);
    add_work(e, work, OPERATION_B, i, i + 1, m - 1);
    raise(start, work);
    finish(e, times, OPERATION_B, s, m, start);
}

static void weights(struct limited *e, const struct executor_times *times, int32_t s, int32_t m)
{
    double start[LANES] = {0};
    after(e, start, OPERATION_B, s, m);
    after(e, start, OPERATION_W, s, m - 1);
    finish(e, times, OPERATION_W, s, m, start);
}

// ---- bounds -------------------------------------------------------------------------------------

// Raises the bounds to the start of an operation of micro-batch m of chunk i, and all work of the device that
// comes later: F of chunks from..until - 1, B and W of chunks up to `last`, from micro-batch m on.
static void raise_to_rest(const struct limited *e, double *bound, const double *end,
                          const double *time, int32_t d, bool with_f, int32_t last, int32_t m)
{
    double rest[LANES];
    for (int k = 0; k < LANES; k++)
        rest[k] = end[k] - time[k];
    for (int type = with_f ? OPERATION_F : OPERATION_B; type <= OPERATION_W; type++)
        for (int32_t i = e->first[d]; i <= last; i++) {
            const double *all = at(e, e->sum, type, e->stages[i], e->items - 1),
                         *before = m > 0 ? at(e, e->sum, type, e->stages[i], m - 1) : NULL;
            for (int k = 0; k < LANES; k++)
                rest[k] += all[k] - (before != NULL ? before[k] : 0);
        }
    raise(bound, rest);
}

static void raise_to_device(const struct limited *e, const struct executor_times *times,
                            double *bound, int32_t d)
{
    const int32_t first = e->stages[e->first[d]];
    for (int32_t m = 0; m < e->items; m++) {
        raise_to_rest(e, bound, at(e, e->end, OPERATION_F, first, m),
                      time_of(e, times->time[OPERATION_F], first, m), d, true,
                      e->first[d + 1] - 1, m);
        for (int32_t i = e->first[d]; i < e->first[d + 1]; i++) {
            const int32_t s = e->stages[i];
            raise_to_rest(e, bound, at(e, e->end, OPERATION_B, s, m),
                          time_of(e, times->time[OPERATION_B], s, m), d, false, i, m);
            raise(bound, at(e, e->end, OPERATION_W, s, m));
        }
    }
}

void limited_bounds(struct limited *limited, const struct executor_times *times,
                    bool with_limits, double *bound)
{
    struct limited *e = limited;
    const int32_t stages = e->pipeline->shape.stages;
    memset(bound, 0, LANES * sizeof *bound);
    if (!e->suits || times->duration != NULL)
        return;
    e->with_limits = with_limits;
    for (int32_t m = 0; m < e->items; m++) {
        for (int32_t s = 0; s < stages; s++)
            forward(e, times, s, m);
        for (int32_t s = stages - 1; s >= 0; s--)
            backward(e, times, s, m);
        for (int32_t s = 0; s < stages; s++)
            weights(e, times, s, m);
    }
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        if (e->first[d] < e->first[d + 1])
            raise_to_device(e, times, bound, d);
}
