// SPDX-License-Identifier: Apache-2.0
// Builds orders with a family.
#include "kernels/schedule/families/family.h"

void *family_take(const struct family *family, const struct pipeline_shape *shape,
                  const struct family_options *options, struct room *room)
{
    return family->take != NULL ? family->take(shape, options, room) : NULL;
}

enum family_status family_build(const struct family *family, const struct family_task *task)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    const uint64_t steps =
        (uint64_t)pipeline_items(task->pipeline) * (uint64_t)(shape->stages / shape->devices);
    if (family->build != NULL)
        return family->build(task);
    for (int32_t d = 0; d < shape->devices; d++) {
        if (poll_over_after(task->poll, steps))
            return FAMILY_STOPPED;
        family->device(task, d);
    }
    return FAMILY_DONE;
}
