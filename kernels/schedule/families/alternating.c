// SPDX-License-Identifier: Apache-2.0
// Defines families in placement loop whose devices warm up with forwards and then alternate forwards and
// backwards: 1F1B, eager 1F1B, 1F1B of slices, interleaved 1F1B, and the zero-bubble forms of them.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

// ---- groups -------------------------------------------------------------------------------------

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

// ---- entries ------------------------------------------------------------------------------------

// The forwards of a device, and its backwards, which run from the last chunk to the first: blocks of
// `group` micro-batches; in a block all micro-batches of chunk 0, then of chunk 1, and so on.
struct entries {
    int32_t items, chunks, group, slices;
};

static struct entries entries_of(const struct family_task *task)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    const int32_t chunks = shape->stages / shape->devices;
    return (struct entries){pipeline_items(task->pipeline), chunks,
                            chunks > 1 ? group_of(shape, task->options) : 0, shape->slices};
}

// The slices of a micro-batch go forward in order and backward in reverse.
static void add_entry(const struct entries *entries, int32_t entry, int32_t d,
                      enum operation_type type, struct order *order)
{
    int32_t item = entry, chunk = 0;
    if (entries->chunks > 1) {
        const int32_t block = entry / (entries->group * entries->chunks);
        const int32_t rest = entry % (entries->group * entries->chunks);
        const int32_t left = entries->items - block * entries->group;
        const int32_t length = left < entries->group ? left : entries->group;
        chunk = rest / length;
        item = block * entries->group + rest % length;
    }
    if (type != OPERATION_F) {
        chunk = entries->chunks - 1 - chunk;
        if (entries->slices > 1)
            item += entries->slices - 1 - 2 * (item % entries->slices);
    }
    order_add(order, d, type, item, chunk * order->devices + d);
}

enum { WHOLE = -1 };

// Warms up with `depth` forwards for each device behind, then alternates. The backwards of weights follow
// `delay` entries later; WHOLE: backwards run in one piece.
static void alternate(const struct family_task *task, int32_t d, int32_t depth, int32_t delay)
{
    const struct entries entries = entries_of(task);
    struct order *order = task->order;
    const int32_t n = entries.items * entries.chunks;
    const int64_t ahead = depth * (int64_t)(order->devices - 1 - d) +
                          (entries.chunks - 1) * (int64_t)entries.group + entries.slices - 1;
    const int32_t warm_up = ahead < n ? (int32_t)ahead : n;
    for (int32_t i = 0; i < warm_up; i++)
        add_entry(&entries, i, d, OPERATION_F, order);
    for (int32_t i = 0; i < n + (delay > 0 ? delay : 0); i++) {
        if (warm_up + i < n)
            add_entry(&entries, warm_up + i, d, OPERATION_F, order);
        if (i < n)
            add_entry(&entries, i, d, delay == WHOLE ? OPERATION_BW : OPERATION_B, order);
        if (delay != WHOLE && i >= delay)
            add_entry(&entries, i - delay, d, OPERATION_W, order);
    }
}

static void order_whole(const struct family_task *task, int32_t device)
{
    alternate(task, device, 1, WHOLE);
}

static void order_whole_early(const struct family_task *task, int32_t device)
{
    alternate(task, device, 2, WHOLE);
}

static void order_split(const struct family_task *task, int32_t device)
{
    alternate(task, device, 1, device);
}

static void order_split_early(const struct family_task *task, int32_t device)
{
    alternate(task, device, 2, 2 * device);
}

// ---- one chunk per device -----------------------------------------------------------------------

const struct family family_one_f_one_b = {
    .name = "one_f_one_b",
    .summary = "a forward, then a backward",
    .source = "Narayanan et al., PipeDream, SOSP 2019",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_whole,
};

const struct family family_eager_1f1b = {
    .name = "eager_1f1b",
    .summary = "1F1B with twice the warm-up, which hides latency",
    .source = "Zhuang et al., On Optimizing the Communication of Model Parallelism, MLSys 2023",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_whole_early,
};

static const char *misfit_sliced(const struct pipeline_shape *shape,
                                 const struct family_options *options)
{
    struct pipeline_shape whole = *shape;
    whole.slices = 1;
    return shapes_misfit_one(&whole, options);
}

const struct family family_seq_1f1b = {
    .name = "seq_1f1b",
    .summary = "1F1B of slices of the sequence",
    .source = "Sun et al., Seq1F1B, NAACL 2025",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = misfit_sliced,
    .chunks = shapes_one_chunk,
    .device = order_whole,
};

const struct family family_zb_h1 = {
    .name = "zb_h1",
    .summary = "zero bubble with the memory of 1F1B",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_split,
};

const struct family family_zb_h2 = {
    .name = "zb_h2",
    .summary = "zero bubble with twice the memory of 1F1B",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_split_early,
};

// ---- several chunks per device ------------------------------------------------------------------

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
    .device = order_whole_early,
};

const struct family family_pytorch_zb = {
    .name = "pytorch_zb",
    .summary = "zero bubble with several chunks per device, as ScheduleInterleavedZeroBubble",
    .source = "torch.distributed.pipelining; Qi et al., ICLR 2024",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = misfit_rounds,
    .chunks = shapes_several_chunks,
    .device = order_split,
};
