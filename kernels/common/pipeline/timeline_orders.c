// SPDX-License-Identifier: Apache-2.0
// Builds the graphs of pipelines: the dependencies of forwards and backwards, for any order.
#include "kernels/common/pipeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>

struct builder {
    const struct orders_shape *shape;
    enum orders_placement placement;
    int32_t length; // tasks of a stage
    int32_t *where; // task of (kind, chunk, stage, micro-batch, split)
    int32_t *lane_start, *task_class, *need_start;
    struct timeline_need *needs;
    int32_t n_needs;
};

static int32_t *where(const struct builder *b,
                      enum orders_kind kind,
                      int32_t position,
                      int32_t micro_batch,
                      int32_t split)
{
    const struct orders_shape *shape = b->shape;
    const int32_t parts = shape->stages * shape->chunks;
    const int32_t row = (int32_t)kind * parts + position;
    return &b->where[(row * shape->micro_batches + micro_batch) * shape->splits + split];
}

static int32_t position_of(const struct builder *b,
                           const struct orders_task *task,
                           int32_t stage)
{
    return orders_position(b->placement, b->shape->stages, task->chunk, stage);
}

static void need(struct builder *b,
                 const struct orders_task *task,
                 int32_t stage,
                 enum orders_kind kind,
                 int32_t position)
{
    int32_t chunk, from;
    orders_at_position(b->placement, b->shape->stages, position, &chunk, &from);
    b->needs[b->n_needs++] =
        (struct timeline_need){*where(b, kind, position, task->micro_batch, task->split),
                               from != stage ? TIMELINE_HOP : 0};
}

static void needs_of(struct builder *b, const struct orders_task *task, int32_t stage)
{
    const int32_t position = position_of(b, task, stage);
    const int32_t last = b->shape->stages * b->shape->chunks - 1;
    if (task->kind == ORDERS_BACKWARD && position == last)
        need(b, task, stage, ORDERS_FORWARD, last);
    else if (task->kind == ORDERS_BACKWARD)
        need(b, task, stage, ORDERS_BACKWARD, position + 1);
    else if (position > 0)
        need(b, task, stage, ORDERS_FORWARD, position - 1);
}

// Returns false if the poll ended a loop.
static bool build(struct builder *b, const struct orders_task *tasks, struct poll *poll)
{
    const int32_t stages = b->shape->stages, n = stages * b->length;
    for (int32_t k = 0; k < n; k++) {
        const struct orders_task *task = &tasks[k];
        const int32_t stage = k / b->length;
        if (poll_over(poll))
            return false;
        const enum orders_kind kind = (enum orders_kind)task->kind;
        *where(b, kind, position_of(b, task, stage), task->micro_batch, task->split) = k;
        b->task_class[k] = timeline_class(b->shape, kind, task->chunk, stage);
    }
    for (int32_t i = 0; i <= stages; i++)
        b->lane_start[i] = i * b->length;
    for (int32_t k = 0; k < n; k++) {
        if (poll_over(poll))
            return false;
        b->need_start[k] = b->n_needs;
        needs_of(b, &tasks[k], k / b->length);
    }
    b->need_start[n] = b->n_needs;
    return true;
}

static bool allocate(struct builder *b)
{
    const size_t stages = (size_t)b->shape->stages, n = stages * (size_t)b->length;
    b->where = malloc(n * sizeof *b->where);
    b->lane_start = malloc((stages + 1) * sizeof *b->lane_start);
    b->task_class = malloc(n * sizeof *b->task_class);
    b->need_start = malloc((n + 1) * sizeof *b->need_start);
    b->needs = malloc(n * sizeof *b->needs);
    return b->where != NULL && b->lane_start != NULL && b->task_class != NULL &&
           b->need_start != NULL && b->needs != NULL;
}

static void free_builder(struct builder *b)
{
    free(b->where);
    free(b->lane_start);
    free(b->task_class);
    free(b->need_start);
    free(b->needs);
}

// Frees the builder.
static enum timeline_status compile(struct builder *b,
                                    struct poll *poll,
                                    struct timeline **timeline,
                                    struct timeline_cycle *cycle)
{
    const struct timeline_tasks compiled = {b->shape->stages, b->lane_start, b->task_class,
                                            b->need_start, b->needs};
    free(b->where);
    b->where = NULL;
    const enum timeline_status status = timeline_compile(&compiled, poll, timeline, cycle);
    free_builder(b);
    return status;
}

// After an error the builder is freed.
static enum timeline_status prepare(struct builder *b,
                                    const struct orders_task *tasks,
                                    struct poll *poll)
{
    b->length = orders_length(b->shape);
    const bool allocated = allocate(b);
    if (allocated && build(b, tasks, poll))
        return TIMELINE_DONE;
    free_builder(b);
    return allocated ? TIMELINE_STOPPED : TIMELINE_NO_MEMORY;
}

enum timeline_status timeline_of_orders(const struct orders_shape *shape,
                                        enum orders_placement placement,
                                        const struct orders_task *tasks,
                                        struct timeline **timeline,
                                        struct timeline_cycle *cycle)
{
    struct builder b = {.shape = shape, .placement = placement};
    *timeline = NULL;
    const enum timeline_status status = prepare(&b, tasks, NULL);
    return status == TIMELINE_DONE ? compile(&b, NULL, timeline, cycle) : status;
}

enum timeline_status timeline_of_shape(const struct orders_shape *shape,
                                       struct poll *poll,
                                       struct timeline **timeline)
{
    const size_t length = (size_t)orders_length(shape), stages = (size_t)shape->stages;
    struct orders_task *tasks = malloc(stages * length * sizeof *tasks);
    struct builder b = {.shape = shape, .placement = ORDERS_LOOP};
    *timeline = NULL;
    if (tasks == NULL)
        return TIMELINE_NO_MEMORY;
    enum timeline_status status = TIMELINE_DONE;
    for (int32_t i = 0; i < shape->stages && status == TIMELINE_DONE; i++)
        if (!orders_of_stage_polled(shape, i, &tasks[(size_t)i * length], poll))
            status = TIMELINE_STOPPED;
    if (status == TIMELINE_DONE)
        status = prepare(&b, tasks, poll);
    free(tasks); // before the compilation, which needs as much memory
    return status == TIMELINE_DONE ? compile(&b, poll, timeline, NULL) : status;
}

// ---- cycles in words ----------------------------------------------------------------------------

static int name_task(const struct orders_shape *shape,
                     const struct orders_task *tasks,
                     int32_t k,
                     char *text,
                     size_t size)
{
    const struct orders_task *task = &tasks[k];
    const char *kind = task->kind == ORDERS_FORWARD ? "forward" : "backward";
    int n = snprintf(text, size, "%s of micro-batch %d", kind, task->micro_batch);
    if (shape->chunks > 1 && n >= 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " chunk %d", task->chunk);
    if (shape->splits > 1 && n >= 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " split %d", task->split);
    if (n >= 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " on stage %d", k / orders_length(shape));
    return n;
}

void timeline_cycle_text(const struct orders_shape *shape,
                         const struct orders_task *tasks,
                         const struct timeline_cycle *cycle,
                         char *text,
                         size_t size)
{
    const int32_t named = cycle->n < TIMELINE_CYCLE_MAX ? cycle->n : TIMELINE_CYCLE_MAX;
    size_t used = 0;
    for (int32_t k = 0; k <= named && used < size; k++) {
        if (k > 0)
            used += (size_t)snprintf(text + used, size - used, " waits for ");
        if (used < size)
            used += (size_t)name_task(shape, tasks, cycle->tasks[k % cycle->n % named],
                                      text + used, size - used);
    }
}
