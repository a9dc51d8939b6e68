// SPDX-License-Identifier: Apache-2.0
// Defines families with several chunks per device in placement loop: interleaved 1F1B, interleaved zero
// bubble and looped breadth-first.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

// ---- interleaved 1F1B ---------------------------------------------------------------------------

// Without a group, the micro-batches run in equal rounds, of P where P divides them.
static int32_t group_of(const struct pipeline_shape *shape,
                        const struct family_options *options)
{
    const int32_t rounds = shape->micro_batches / shape->devices;
    return options->group > 0 ? options->group
                              : shape->micro_batches / (rounds > 1 ? rounds : 1);
}

static const char *misfit_rounds(const struct pipeline_shape *shape,
                                 const struct family_options *options)
{
    const struct family_options rounds = {.group = 0};
    return shape->micro_batches % group_of(shape, &rounds) == 0
               ? shapes_misfit_loop(shape, options)
               : "needs equal rounds: micro-batches that are a multiple of the whole part of m / p";
}

static const char *misfit_interleaved(const struct pipeline_shape *shape,
                                      const struct family_options *options)
{
    const char *misfit = shapes_misfit_loop(shape, options);
    if (options->group == 0)
        return misfit_rounds(shape, options);
    const int32_t last = shape->micro_batches % options->group;
    if (misfit != NULL)
        return misfit;
    if (options->group < shape->devices)
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
                         enum operation_type type,
                         struct order *order)
{
    int32_t micro_batch, chunk;
    entry_at(entries, entry, &micro_batch, &chunk);
    order_add(order, d, type, micro_batch, (entries->chunks - 1 - chunk) * order->devices + d);
}

static struct entries entries_of(const struct family_task *task)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    return (struct entries){shape->micro_batches, shape->stages / shape->devices,
                            group_of(shape, task->options)};
}

// Returns the forwards before the first backward of a device that has to wait for `hops` operations of others.
static int32_t warm_up_of(const struct entries *entries, int32_t hops)
{
    const int64_t depth = hops + (int64_t)(entries->chunks - 1) * entries->group;
    const int32_t n = entries->micro_batches * entries->chunks;
    return depth < n ? (int32_t)depth : n;
}

static void order_interleaved(const struct family_task *task, int32_t device)
{
    const struct entries entries = entries_of(task);
    const int32_t n = entries.micro_batches * entries.chunks;
    const int32_t warm_up =
        warm_up_of(&entries, 2 * (task->pipeline->shape.devices - 1 - device));
    for (int32_t i = 0; i < warm_up; i++)
        add_forward(&entries, i, device, task->order);
    for (int32_t i = 0; i < n; i++) {
        if (warm_up + i < n)
            add_forward(&entries, warm_up + i, device, task->order);
        add_backward(&entries, i, device, OPERATION_BW, task->order);
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

// ---- interleaved zero bubble --------------------------------------------------------------------

// As ZB-H1, with several chunks: the backwards of weights follow d entries later.
static void order_zero_bubble(const struct family_task *task, int32_t device)
{
    const struct entries entries = entries_of(task);
    const int32_t n = entries.micro_batches * entries.chunks;
    const int32_t warm_up = warm_up_of(&entries, task->pipeline->shape.devices - 1 - device);
    for (int32_t i = 0; i < warm_up; i++)
        add_forward(&entries, i, device, task->order);
    for (int32_t i = 0; i < n + device; i++) {
        if (warm_up + i < n)
            add_forward(&entries, warm_up + i, device, task->order);
        if (i < n)
            add_backward(&entries, i, device, OPERATION_B, task->order);
        if (i >= device)
            add_backward(&entries, i - device, device, OPERATION_W, task->order);
    }
}

const struct family family_pytorch_zb = {
    .name = "pytorch_zb",
    .summary = "zero bubble with several chunks per device, as ScheduleInterleavedZeroBubble",
    .source = "torch.distributed.pipelining; Qi et al., ICLR 2024",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = misfit_rounds,
    .chunks = shapes_several_chunks,
    .device = order_zero_bubble,
};

// ---- looped breadth-first -----------------------------------------------------------------------

static void add_breadth_first(const struct family_task *task, int32_t device, bool descending)
{
    const int32_t n = task->pipeline->shape.micro_batches;
    const int32_t devices = task->pipeline->shape.devices;
    const int32_t chunks = task->pipeline->shape.stages / devices;
    for (int32_t c = 0; c < chunks; c++)
        for (int32_t m = 0; m < n; m++)
            order_add(task->order, device, OPERATION_F, m, c * devices + device);
    for (int32_t c = chunks - 1; c >= 0; c--)
        for (int32_t m = 0; m < n; m++)
            order_add(task->order, device, OPERATION_BW, descending ? n - 1 - m : m,
                      c * devices + device);
}

static void order_bfs(const struct family_task *task, int32_t device)
{
    add_breadth_first(task, device, task->options->descending);
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

static void order_bfs_descending(const struct family_task *task, int32_t device)
{
    add_breadth_first(task, device, true);
}

const struct family family_pytorch_bfs = {
    .name = "pytorch_bfs",
    .summary = "bfs_loop with backwards from the last micro-batch, as ScheduleLoopedBFS",
    .source = "torch.distributed.pipelining; Lamy-Poirier, MLSys 2023",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_loop,
    .chunks = shapes_several_chunks,
    .device = order_bfs_descending,
};
