// SPDX-License-Identifier: Apache-2.0
// Defines families with one stage per device, backwards in one piece.
#include "kernels/schedule/families/rules.h"

#include <stddef.h>

static const char *misfit(const struct pipeline_shape *shape,
                          const struct family_options *options)
{
    (void)options;
    if (shape->slices > 1)
        return "has no order for slices of micro-batches";
    if (shape->directions > 1)
        return "has no order for two directions";
    return shape->stages == shape->devices ? NULL : "needs 1 stage per device";
}

static int32_t one_chunk(int32_t v)
{
    (void)v;
    return 1;
}

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
    .pytorch = "ScheduleGPipe",
    .summary = "all forwards, then all backwards",
    .source = "Huang et al., GPipe, NeurIPS 2019",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = misfit,
    .chunks = one_chunk,
    .build = build_gpipe,
};

static enum family_status build_one_f_one_b(const struct pipeline *pipeline,
                                            const struct family_options *options,
                                            void *memory,
                                            struct poll *poll,
                                            struct order *order,
                                            struct family_result *result)
{
    const int32_t n = pipeline->shape.micro_batches, devices = pipeline->shape.devices;
    (void)options;
    (void)memory;
    (void)result;
    for (int32_t d = 0; d < devices; d++) {
        const int32_t warm_up = devices - 1 - d < n ? devices - 1 - d : n;
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

const struct family family_one_f_one_b = {
    .name = "one_f_one_b",
    .pytorch = "Schedule1F1B",
    .summary = "1F1B: a forward, then a backward",
    .source = "Narayanan et al., PipeDream, SOSP 2019; Shoeybi et al., Megatron-LM",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = misfit,
    .chunks = one_chunk,
    .build = build_one_f_one_b,
};
