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

static enum family_status build_gpipe(const struct pipeline *pipeline,
                                      const struct family_options *options,
                                      void *memory,
                                      struct poll *poll,
                                      struct order *order,
                                      struct family_result *result)
{
    const int32_t n = pipeline->shape.micro_batches;
    (void)memory;
    (void)result;
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        if (poll_over_after(poll, (uint64_t)n))
            return FAMILY_STOPPED;
        for (int32_t m = 0; m < n; m++)
            order_add(order, d, OPERATION_F, m, d);
        for (int32_t m = 0; m < n; m++)
            order_add(order, d, OPERATION_BW, options->descending ? n - 1 - m : m, d);
    }
    return FAMILY_DONE;
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
    .build = build_gpipe,
};

// ---- 1F1B ---------------------------------------------------------------------------------------

// Warms up with `depth` forwards for each device behind, then alternates.
static enum family_status alternate(const struct pipeline *pipeline,
                                    int32_t depth,
                                    struct poll *poll,
                                    struct order *order)
{
    const int32_t n = pipeline->shape.micro_batches, devices = pipeline->shape.devices;
    for (int32_t d = 0; d < devices; d++) {
        const int32_t warm_up = least(depth * (devices - 1 - d), n);
        if (poll_over_after(poll, (uint64_t)n))
            return FAMILY_STOPPED;
        for (int32_t m = 0; m < warm_up; m++)
            order_add(order, d, OPERATION_F, m, d);
        for (int32_t m = 0; m < n; m++) {
            if (warm_up + m < n)
                order_add(order, d, OPERATION_F, warm_up + m, d);
            order_add(order, d, OPERATION_BW, m, d);
        }
    }
    return FAMILY_DONE;
}

static enum family_status build_one_f_one_b(const struct pipeline *pipeline,
                                            const struct family_options *options,
                                            void *memory,
                                            struct poll *poll,
                                            struct order *order,
                                            struct family_result *result)
{
    (void)options;
    (void)memory;
    (void)result;
    return alternate(pipeline, 1, poll, order);
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
    .build = build_one_f_one_b,
};

static enum family_status build_eager(const struct pipeline *pipeline,
                                      const struct family_options *options,
                                      void *memory,
                                      struct poll *poll,
                                      struct order *order,
                                      struct family_result *result)
{
    (void)options;
    (void)memory;
    (void)result;
    return alternate(pipeline, 2, poll, order);
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
    .build = build_eager,
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
static enum family_status build_sliced(const struct pipeline *pipeline,
                                       const struct family_options *options,
                                       void *memory,
                                       struct poll *poll,
                                       struct order *order,
                                       struct family_result *result)
{
    const int32_t slices = pipeline->shape.slices, devices = pipeline->shape.devices;
    const int32_t n = pipeline_items(pipeline);
    (void)options;
    (void)memory;
    (void)result;
    for (int32_t d = 0; d < devices; d++) {
        const int32_t warm_up = least(devices - d - 2 + slices, n);
        if (poll_over_after(poll, (uint64_t)n))
            return FAMILY_STOPPED;
        for (int32_t i = 0; i < warm_up; i++)
            order_add(order, d, OPERATION_F, i, d);
        for (int32_t i = 0; i < n; i++) {
            if (warm_up + i < n)
                order_add(order, d, OPERATION_F, warm_up + i, d);
            order_add(order, d, OPERATION_BW, i - i % slices + slices - 1 - i % slices, d);
        }
    }
    return FAMILY_DONE;
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
    .build = build_sliced,
};
