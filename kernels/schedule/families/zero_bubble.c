// SPDX-License-Identifier: Apache-2.0
// Defines the zero-bubble families with one stage per device that follow a rule: ZB-H1 and ZB-H2.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// Warms up with `depth` forwards for each device behind, then alternates. The backwards of weights follow
// depth * d micro-batches later.
static void alternate(const struct family_task *task, int32_t d, int32_t depth)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    struct order *order = task->order;
    const int32_t n = shape->micro_batches;
    const int32_t warm_up = least(depth * (shape->devices - 1 - d), n);
    int32_t w = 0;
    for (int32_t m = 0; m < warm_up; m++)
        order_add(order, d, OPERATION_F, m, d);
    for (int32_t m = 0; m < n; m++) {
        if (warm_up + m < n)
            order_add(order, d, OPERATION_F, warm_up + m, d);
        order_add(order, d, OPERATION_B, m, d);
        if (m >= depth * d)
            order_add(order, d, OPERATION_W, w++, d);
    }
    while (w < n)
        order_add(order, d, OPERATION_W, w++, d);
}

static void order_h1(const struct family_task *task, int32_t d)
{
    alternate(task, d, 1);
}

static void order_h2(const struct family_task *task, int32_t d)
{
    alternate(task, d, 2);
}

const struct family family_zb_h1 = {
    .name = "zb_h1",
    .summary = "zero bubble with the memory of 1F1B",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_h1,
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
    .device = order_h2,
};
