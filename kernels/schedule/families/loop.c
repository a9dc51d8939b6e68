// SPDX-License-Identifier: Apache-2.0
// Defines families with several chunks per device in placement loop: interleaved 1F1B and looped
// breadth-first.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

// ---- interleaved 1F1B ---------------------------------------------------------------------------

static int32_t group_of(const struct pipeline_shape *shape,
                        const struct family_options *options)
{
    return options->group > 0 ? options->group : shape->devices;
}

static const char *misfit_interleaved(const struct pipeline_shape *shape,
                                      const struct family_options *options)
{
    const char *misfit = shapes_misfit_loop(shape, options);
    const int32_t group = group_of(shape, options), last = shape->micro_batches % group;
    if (misfit != NULL)
        return misfit;
    if (group < shape->devices)
        return "needs a group of at least p micro-batches";
    if (shape->micro_batches > 1 && last > 0 && last < shape->devices)
        return "the last group has fewer micro-batches than devices";
    return NULL;
}

// The entries of a device: blocks of `group` micro-batches; in a block all micro-batches of chunk 0, then
// of chunk 1, and so on.
struct entries {
    int32_t micro_batches, chunks, group;
};

static void entry_at(const struct entries *entries,
                     int32_t entry,
                     int32_t *micro_batch,
                     int32_t *chunk)
{
    const int32_t block = entry / (entries->group * entries->chunks);
    const int32_t rest = entry % (entries->group * entries->chunks);
    const int32_t left = entries->micro_batches - block * entries->group;
    const int32_t length = left < entries->group ? left : entries->group;
    *chunk = rest / length;
    *micro_batch = block * entries->group + rest % length;
}

static void add_forward(const struct entries *entries,
                        int32_t entry,
                        int32_t d,
                        struct order *order)
{
    int32_t micro_batch, chunk;
    entry_at(entries, entry, &micro_batch, &chunk);
    order_add(order, d, OPERATION_F, micro_batch, chunk * order->devices + d);
}

static void add_backward(const struct entries *entries,
                         int32_t entry,
                         int32_t d,
                         struct order *order)
{
    int32_t micro_batch, chunk;
    entry_at(entries, entry, &micro_batch, &chunk);
    order_add(order, d, OPERATION_BW, micro_batch,
              (entries->chunks - 1 - chunk) * order->devices + d);
}

static void order_interleaved(const struct family_task *task, int32_t device)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    const struct entries entries = {shape->micro_batches, shape->stages / shape->devices,
                                    group_of(shape, task->options)};
    const int32_t n = entries.micro_batches * entries.chunks;
    const int64_t depth = 2 * (int64_t)(shape->devices - 1 - device) +
                          (int64_t)(entries.chunks - 1) * entries.group;
    const int32_t warm_up = depth < n ? (int32_t)depth : n;
    for (int32_t i = 0; i < warm_up; i++)
        add_forward(&entries, i, device, task->order);
    for (int32_t i = 0; i < n; i++) {
        if (warm_up + i < n)
            add_forward(&entries, warm_up + i, device, task->order);
        add_backward(&entries, i, device, task->order);
    }
}

const struct family family_interleaved = {
    .name = "interleaved",
    .summary = "1F1B with several chunks per device",
    .source = "Narayanan et al., Efficient Large-Scale Language Model Training, SC 2021",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_GROUP,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = misfit_interleaved,
    .chunks = shapes_several_chunks,
    .device = order_interleaved,
};

// ---- looped breadth-first -----------------------------------------------------------------------

static void order_bfs(const struct family_task *task, int32_t device)
{
    const int32_t n = task->pipeline->shape.micro_batches;
    const int32_t devices = task->pipeline->shape.devices;
    const int32_t chunks = task->pipeline->shape.stages / devices;
    for (int32_t c = 0; c < chunks; c++)
        for (int32_t m = 0; m < n; m++)
            order_add(task->order, device, OPERATION_F, m, c * devices + device);
    for (int32_t c = chunks - 1; c >= 0; c--)
        for (int32_t m = 0; m < n; m++)
            order_add(task->order, device, OPERATION_BW,
                      task->options->descending ? n - 1 - m : m, c * devices + device);
}

const struct family family_bfs_loop = {
    .name = "bfs_loop",
    .summary = "all micro-batches of a chunk, then of the next chunk",
    .source = "Lamy-Poirier, Breadth-First Pipeline Parallelism, MLSys 2023",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_DESCENDING,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_loop,
    .chunks = shapes_several_chunks,
    .device = order_bfs,
};
