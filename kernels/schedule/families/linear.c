// SPDX-License-Identifier: Apache-2.0
// Defines families with one stage per device whose backwards run in one piece: GPipe, 1F1B, eager 1F1B,
// and 1F1B of sequence slices.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- gpipe --------------------------------------------------------------------------------------

static void order_gpipe(const struct family_task *task, int32_t device)
{
    const int32_t n = task->pipeline->shape.micro_batches;
    for (int32_t m = 0; m < n; m++)
        order_add(task->order, device, OPERATION_F, m, device);
    for (int32_t m = 0; m < n; m++)
        order_add(task->order, device, OPERATION_BW, task->options->descending ? n - 1 - m : m,
                  device);
}

const struct family family_gpipe = {
    .name = "gpipe",
    .summary = "all forwards, then all backwards",
    .source = "Huang et al., GPipe, NeurIPS 2019",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_DESCENDING,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_gpipe,
};

// ---- 1F1B ---------------------------------------------------------------------------------------

// Warms up with `depth` forwards for each device behind, then alternates.
static void alternate(const struct family_task *task, int32_t device, int32_t depth)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    const int32_t n = shape->micro_batches;
    const int32_t warm_up = least(depth * (shape->devices - 1 - device), n);
    for (int32_t m = 0; m < warm_up; m++)
        order_add(task->order, device, OPERATION_F, m, device);
    for (int32_t m = 0; m < n; m++) {
        if (warm_up + m < n)
            order_add(task->order, device, OPERATION_F, warm_up + m, device);
        order_add(task->order, device, OPERATION_BW, m, device);
    }
}

static void order_one_f_one_b(const struct family_task *task, int32_t device)
{
    alternate(task, device, 1);
}

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
    .device = order_one_f_one_b,
};

static void order_eager(const struct family_task *task, int32_t device)
{
    alternate(task, device, 2);
}

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
    .device = order_eager,
};

// ---- slices -------------------------------------------------------------------------------------

static const char *misfit_sliced(const struct pipeline_shape *shape,
                                 const struct family_options *options)
{
    struct pipeline_shape whole = *shape;
    whole.slices = 1;
    return shapes_misfit_one(&whole, options);
}

// The slices of a micro-batch go forward in order and backward in reverse.
static void order_sliced(const struct family_task *task, int32_t device)
{
    const int32_t slices = task->pipeline->shape.slices, n = pipeline_items(task->pipeline);
    const int32_t warm_up = least(task->pipeline->shape.devices - device - 2 + slices, n);
    for (int32_t i = 0; i < warm_up; i++)
        order_add(task->order, device, OPERATION_F, i, device);
    for (int32_t i = 0; i < n; i++) {
        if (warm_up + i < n)
            order_add(task->order, device, OPERATION_F, warm_up + i, device);
        order_add(task->order, device, OPERATION_BW, i - i % slices + slices - 1 - i % slices,
                  device);
    }
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
    .device = order_sliced,
};
