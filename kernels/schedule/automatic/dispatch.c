// SPDX-License-Identifier: Apache-2.0
// Families that dispatch: the operation that can start first runs first.
//
// With one stage per device the memory limit alone decides how many forwards run ahead. With placement
// V, a device runs a forward of its first stage only while fewer than 2 P forwards wait for their
// backwards.
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/greedy.h"
#include "kernels/schedule/families/shapes.h"

#include <math.h>

static void *list_take(const struct pipeline_shape *shape, const struct family_options *options,
                       struct room *room)
{
    (void)options;
    return greedy_take(shape, room);
}

static enum family_status run(const struct family_task *task, const struct greedy_rule *rule)
{
    switch (greedy_build(task->memory, task->pipeline, rule, task->poll, task->order)) {
    case GREEDY_DONE:
        return FAMILY_DONE;
    case GREEDY_NO_ROOM:
        return FAMILY_NO_ROOM;
    case GREEDY_STOPPED:
        break;
    }
    return FAMILY_STOPPED;
}

static enum family_status list_build(const struct family_task *task)
{
    const struct greedy_rule rule = {.cap = (double)INFINITY};
    return run(task, &rule);
}

const struct family family_list_dispatch = {
    .name = "list_dispatch",
    .summary = "the operation that can start first, within the memory limit",
    .source = "list scheduling; Graham, SIAM J. Appl. Math. 17, 1969",
    .kind = FAMILY_AUTOMATIC,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .take = list_take,
    .build = list_build,
};

static enum family_status vshape_build(const struct family_task *task)
{
    const struct greedy_rule rule = {.cap = 2.0 * task->pipeline->shape.devices};
    return run(task, &rule);
}

const struct family family_vshape_dispatch = {
    .name = "vshape_dispatch",
    .summary = "placement V: the operation that can start first",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024, and list scheduling",
    .kind = FAMILY_AUTOMATIC,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = list_take,
    .build = vshape_build,
};
