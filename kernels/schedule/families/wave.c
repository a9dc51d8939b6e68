// SPDX-License-Identifier: Apache-2.0
// Defines the wave family: placement wave, and the operation that can start first on any device.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <math.h>
#include <stddef.h>

static const char *misfit(const struct pipeline_shape *shape,
                          const struct family_options *options)
{
    (void)options;
    if (shape->stages % (2 * shape->devices) != 0)
        return "needs an even number of stages per device";
    return shapes_misfit_directions(shape, 1);
}

// How far a stage has come: its next forward and its next backward, and when their inputs arrive.
struct progress {
    int32_t next[2];
    double *arrival[2]; // [micro-batch]: INFINITY: not sent yet
};

struct wave {
    struct progress *stages;
    double *free_at; // [device]
};

static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    struct wave *wave = room_take(room, 1, sizeof *wave);
    struct progress *stages = room_take(room, (size_t)shape->stages, sizeof *stages);
    double *free_at = room_take(room, (size_t)shape->devices, sizeof *free_at);
    double *arrivals = room_take(room, 2 * (size_t)shape->stages * (size_t)shape->micro_batches,
                                 sizeof *arrivals);
    (void)options;
    if (wave == NULL)
        return NULL;
    *wave = (struct wave){stages, free_at};
    for (int32_t s = 0; s < shape->stages; s++)
        for (int k = 0; k < 2; k++)
            stages[s].arrival[k] = arrivals + (2 * (int64_t)s + k) * shape->micro_batches;
    return wave;
}

static void start(struct wave *wave, const struct pipeline_shape *shape)
{
    for (int32_t d = 0; d < shape->devices; d++)
        wave->free_at[d] = 0;
    for (int32_t s = 0; s < shape->stages; s++)
        for (int k = 0; k < 2; k++) {
            wave->stages[s].next[k] = 0;
            for (int32_t m = 0; m < shape->micro_batches; m++)
                wave->stages[s].arrival[k][m] = s == 0 && k == 0 ? 0 : HUGE_VAL;
        }
}

// An operation that can start: the next forward or backward of a stage.
struct choice {
    double start;
    int32_t stage, micro_batch;
    int backward;
};

static bool is_before(const struct choice *a, const struct choice *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    if (a->backward != b->backward)
        return a->backward > b->backward;
    if (a->stage != b->stage)
        return a->backward ? a->stage < b->stage : a->stage > b->stage;
    return a->micro_batch < b->micro_batch;
}

static struct choice best_choice(const struct wave *wave, const struct pipeline *pipeline)
{
    struct choice best = {.start = HUGE_VAL};
    for (int32_t s = 0; s < pipeline->shape.stages; s++)
        for (int k = 0; k < 2; k++) {
            const int32_t m = wave->stages[s].next[k];
            if (m == pipeline->shape.micro_batches)
                continue;
            const double free_at = wave->free_at[pipeline_device(pipeline, 0, s)];
            const struct choice next = {fmax(free_at, wave->stages[s].arrival[k][m]), s, m, k};
            if (isfinite(next.start) && is_before(&next, &best))
                best = next;
        }
    return best;
}

// Runs the operation and sends its message.
static void run(struct wave *wave, const struct pipeline *pipeline, const struct choice *choice,
                struct order *order)
{
    const int32_t s = choice->stage, d = pipeline_device(pipeline, 0, s),
                  m = choice->micro_batch;
    const struct pipeline_stage *stage = &pipeline->stage[s];
    const int32_t to = choice->backward ? s - 1 : s + 1;
    const double end = choice->start + (choice->backward ? stage->b + stage->w : stage->f);
    wave->free_at[d] = end;
    wave->stages[s].next[choice->backward]++;
    order_add(order, d, choice->backward ? OPERATION_BW : OPERATION_F, m, s);
    if (to == pipeline->shape.stages)
        wave->stages[s].arrival[1][m] = end;
    else if (to >= 0)
        wave->stages[to].arrival[choice->backward][m] =
            end +
            pipeline_delay(pipeline, d, pipeline_device(pipeline, 0, to),
                           choice->backward ? stage->backward_bytes : stage->forward_bytes);
}

static enum family_status build(const struct family_task *task)
{
    struct wave *wave = task->memory;
    const int64_t n =
        2 * (int64_t)task->pipeline->shape.stages * task->pipeline->shape.micro_batches;
    start(wave, &task->pipeline->shape);
    for (int64_t i = 0; i < n; i++) {
        const struct choice choice = best_choice(wave, task->pipeline);
        if (poll_over_after(task->poll, (uint64_t)task->pipeline->shape.stages))
            return FAMILY_STOPPED;
        run(wave, task->pipeline, &choice, task->order);
    }
    return FAMILY_DONE;
}

const struct family family_wave = {
    .name = "wave",
    .summary = "placement wave: the operation that can start first, backwards before forwards",
    .source = "Liu et al., Hanayo, SC 2023",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_WAVE,
    .directions = 1,
    .whole_backward = true,
    .misfit = misfit,
    .chunks = shapes_several_chunks,
    .take = take,
    .build = build,
};
