// SPDX-License-Identifier: Apache-2.0
// Times 1F1B and interleaved pipelines.
#include "kernels/common/interleaved/timed_order.h"

#include <math.h>
#include <stdlib.h>

static void take(struct timed_order *timed, const struct orders_shape *shape, bool with_paths,
                 struct room *room)
{
    const struct pipeline_shape whole = orders_pipeline(shape);
    pipeline_take(&timed->pipeline, &whole, room);
    order_take(&timed->order, whole.devices, orders_length(shape), room);
    timed->executor = executor_take(&whole, timed->order.room, room);
    if (with_paths)
        longest_path_take(&timed->paths, &whole, timed->order.room, room);
}

bool timed_order_build(struct timed_order *timed, const struct orders_shape *shape,
                       bool with_paths, struct poll *poll)
{
    struct room room = {NULL, 0};
    *timed = (struct timed_order){.memory = NULL};
    take(timed, shape, with_paths, &room);
    if (room.used != SIZE_MAX)
        timed->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (timed->memory == NULL)
        return false;
    room = (struct room){timed->memory, 0};
    take(timed, shape, with_paths, &room);
    pipeline_place(&timed->pipeline, PIPELINE_LOOP);
    return orders_write(shape, &timed->order, poll);
}

void timed_order_free(struct timed_order *timed)
{
    free(timed->memory);
    *timed = (struct timed_order){.memory = NULL};
}

bool timed_order_set(struct timed_order *timed, const double *forward, const double *backward)
{
    const int32_t splits = timed->pipeline.shape.slices;
    bool changed = false;
    for (int32_t k = 0; k < timed->pipeline.shape.stages; k++) {
        struct pipeline_stage *stage = &timed->pipeline.stage[k];
        const double f = forward[k] / splits, b = backward[k] / splits;
        changed = changed || stage->f != f || stage->b != b;
        stage->f = f;
        stage->b = b;
    }
    return changed;
}

double timed_order_run(struct timed_order *timed, struct poll *poll)
{
    const enum executor_status status =
        timed->is_executed
            ? executor_run_retimed(timed->executor, poll)
            : executor_run(timed->executor, &timed->pipeline, &timed->order, NULL, poll);
    timed->is_executed = timed->is_executed || status == EXECUTOR_DONE;
    return status == EXECUTOR_DONE ? executor_makespan(timed->executor) : (double)NAN;
}

bool timed_order_paths(struct timed_order *timed, struct poll *poll)
{
    timed->has_paths =
        timed->has_paths || longest_path_set(&timed->paths, timed->executor, poll);
    return timed->has_paths;
}
