// SPDX-License-Identifier: Apache-2.0
// Makes pipelines with room for fluctuating times, for tests of the models.
#include "tests/unit/support/kernels/noise_bench.h"

#include <stdlib.h>
#include <string.h>

struct noise_bench noise_bench_new(const struct pipeline_shape *shape,
                                   enum pipeline_placement placement)
{
    struct noise_bench b = {.pipeline = pipeline_new(shape)};
    struct room room = {NULL, 0};
    pipeline_place(b.pipeline, placement);
    pipeline_set_uniform(b.pipeline,
                         &(struct pipeline_stage){.f = 12, .b = 13, .w = 7, .r = 3});
    b.pipeline->links.latency = 1;
    noise_times_take(&b.times, shape, true, &room);
    b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(b.memory, 0xA5, room.used);
    room = (struct room){b.memory, 0};
    noise_times_take(&b.times, shape, true, &room);
    return b;
}

void noise_bench_free(struct noise_bench *b)
{
    pipeline_free(b->pipeline);
    free(b->memory);
}

struct noise_bench noise_bench_linear(int32_t p, int32_t m)
{
    return noise_bench_new(&(struct pipeline_shape){p, p, m, 1, 1}, PIPELINE_LOOP);
}

const double *noise_bench_times(const struct noise_bench *b, enum noise_purpose purpose)
{
    if (purpose == NOISE_RECOMPUTE)
        return b->times.time[3];
    return purpose < NOISE_FORWARD_MESSAGE ? b->times.time[purpose]
                                           : b->times.delay[purpose - NOISE_FORWARD_MESSAGE];
}

double noise_bench_time(const struct noise_bench *b, const struct noise_key *key)
{
    const int32_t part =
                      (int32_t)key->direction * b->pipeline->shape.stages + (int32_t)key->stage,
                  index = part * pipeline_items(b->pipeline) + (int32_t)key->item;
    return noise_bench_times(
        b, (enum noise_purpose)
               key->kind)[index * EXECUTOR_LANES + (int32_t)(key->replicate - b->times.first)];
}
