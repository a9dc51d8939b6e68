// SPDX-License-Identifier: Apache-2.0
// Draws problems for online policies.
#include "tests/unit/support/kernels/online_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take(struct online_bench *b, struct room *room)
{
    const struct pipeline_shape *shape = &b->pipeline->shape;
    const size_t n = (size_t)shape->directions * (size_t)shape->stages *
                     (size_t)pipeline_items(b->pipeline) * EXECUTOR_LANES,
                 all = (size_t)shape->devices * (size_t)b->reference->room;
    const int32_t operations = order_room(b->pipeline, false);
    b->online = online_take(shape, operations, room);
    b->pull = pull_take(shape, operations, room);
    b->executor = executor_take(shape, operations, room);
    b->lanes = executor_lanes_take(shape, room);
    for (int k = 0; k < 3; k++)
        b->times.time[k] = room_take(room, n, sizeof(double));
    for (int k = 0; k < 2; k++)
        b->times.delay[k] = room_take(room, n, sizeof(double));
    for (int k = 0; k < 2; k++)
        b->results[k] = room_take(room, all * EXECUTOR_LANES, sizeof(double));
}

struct online_bench *online_bench_new(struct pipeline *pipeline)
{
    struct online_bench *b = calloc(1, sizeof *b);
    struct room room = {NULL, 0};
    b->pipeline = pipeline;
    b->reference = order_new(pipeline->shape.devices, order_room(pipeline, false));
    take(b, &room);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(b->memory, 0xA5, room.used); // nothing may count on zeros
    room = (struct room){b->memory, 0};
    take(b, &room);
    return b;
}

void online_bench_free(struct online_bench *b)
{
    pipeline_free(b->pipeline);
    order_free(b->reference);
    free(b->memory);
    free(b);
}

static double time_drawn(struct random *r, int kind)
{
    if (kind == 0)
        return 1;
    if (kind == 1)
        return (double)random_below(r, 4);
    return 0.5 + random_unit(r) * 2;
}

struct pipeline *online_bench_draw(struct random *r, int32_t devices, int32_t micro_batches)
{
    const int placement = (int)random_below(r, 3); // linear, loop, V
    const int32_t p = 1 + (int32_t)random_below(r, devices),
                  v = placement == 0   ? 1
                      : placement == 1 ? 1 + (int32_t)random_below(r, 3)
                                       : 2,
                  m = 1 + (int32_t)random_below(r, micro_batches);
    struct pipeline *pipeline = pipeline_new(&(struct pipeline_shape){p, p * v, m, 1, 1});
    const int kind = (int)random_below(r, 3);
    const bool uniform = random_coin(r);
    pipeline_place(pipeline, placement == 2 ? PIPELINE_VEE : PIPELINE_LOOP);
    for (int32_t s = 0; s < p * v; s++)
        pipeline->stage[s] =
            (struct pipeline_stage){.f = time_drawn(r, kind),
                                    .b = time_drawn(r, kind),
                                    .w = time_drawn(r, kind),
                                    .kept_until_b = uniform ? 0 : (double)random_below(r, 3),
                                    .kept_until_w = uniform ? 1 : random_unit(r)};
    pipeline->links.latency = random_coin(r) ? time_drawn(r, kind) : 0;
    pipeline->links.channels = (enum pipeline_channels)random_below(r, 3);
    pipeline->links.occupation = random_coin(r) ? time_drawn(r, kind) : 0;
    for (int32_t d = 0; d < p; d++) {
        double least = 0;
        pipeline->fixed[d] = random_coin(r) ? random_unit(r) : 0;
        for (int32_t s = 0; s < p * v; s++)
            if (pipeline->device_of[s] == d)
                least += pipeline->stage[s].kept_until_b + pipeline->stage[s].kept_until_w;
        const double times[4] = {1, 1 + random_unit(r), 1 + 3 * random_unit(r), HUGE_VAL};
        const double room = times[random_below(r, 4)];
        if (!isinf(room))
            pipeline->limit[d] = pipeline->fixed[d] + least * room;
    }
    return pipeline;
}

void online_bench_sequential(struct online_bench *b)
{
    const struct pipeline *p = b->pipeline;
    order_clear(b->reference);
    for (int32_t m = 0; m < p->shape.micro_batches; m++) {
        for (int32_t s = 0; s < p->shape.stages; s++)
            order_add(b->reference, p->device_of[s], OPERATION_F, m, s);
        for (int32_t s = p->shape.stages - 1; s >= 0; s--) {
            order_add(b->reference, p->device_of[s], OPERATION_B, m, s);
            order_add(b->reference, p->device_of[s], OPERATION_W, m, s);
        }
    }
}

void online_bench_times(struct random *r, struct online_bench *b, double level)
{
    const struct pipeline *p = b->pipeline;
    const int32_t items = p->shape.micro_batches;
    for (int32_t i = 0; i < p->shape.stages * items * EXECUTOR_LANES; i++) {
        const int32_t s = i / EXECUTOR_LANES / items;
        const double times[3] = {p->stage[s].f, p->stage[s].b, p->stage[s].w};
        for (int k = 0; k < 3; k++)
            b->times.time[k][i] = times[k] * (1 + level * (2 * random_unit(r) - 1));
        for (int k = 0; k < 2; k++) {
            const int32_t to = k == 0 ? s + 1 : s - 1;
            const bool sent =
                to >= 0 && to < p->shape.stages && p->device_of[to] != p->device_of[s];
            const double late = level > 0 && random_below(r, 20) == 0 ? 20 : 1;
            b->times.delay[k][i] = sent ? (p->links.occupation + p->links.latency) * late : 0;
        }
    }
}
