// SPDX-License-Identifier: Apache-2.0
// Tells which pipelines the automatic schedulers can order.
#include "kernels/schedule/automatic/shapes.h"

static const char *misfit(const struct pipeline_shape *shape,
                          int32_t chunks,
                          const char *wrong_chunks)
{
    if (shape->slices > 1)
        return "has no order for slices of micro-batches";
    if (shape->directions > 1)
        return "has no order for two directions";
    return shape->stages == chunks * shape->devices ? NULL : wrong_chunks;
}

const char *shapes_misfit_one(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    return misfit(shape, 1, "needs 1 stage per device");
}

const char *shapes_misfit_vee(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    return misfit(shape, 2, "needs 2 stages per device");
}

int32_t shapes_one_chunk(int32_t v)
{
    (void)v;
    return 1;
}

int32_t shapes_two_chunks(int32_t v)
{
    (void)v;
    return 2;
}
