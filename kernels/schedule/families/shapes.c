// SPDX-License-Identifier: Apache-2.0
// Tells which pipelines a family can order.
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

const char *shapes_misfit_directions(const struct pipeline_shape *shape, int32_t directions)
{
    if (shape->slices > 1)
        return "has no order for slices of micro-batches";
    if (shape->directions == directions)
        return NULL;
    return directions == 1 ? "has no order for two directions" : "needs two directions";
}

const char *shapes_misfit_one(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    if (shape->stages != shape->devices)
        return "needs 1 stage per device";
    return shapes_misfit_directions(shape, 1);
}

const char *shapes_misfit_vee(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    if (shape->stages != 2 * shape->devices)
        return "needs 2 stages per device";
    return shapes_misfit_directions(shape, 1);
}

const char *shapes_misfit_loop(const struct pipeline_shape *shape,
                               const struct family_options *options)
{
    (void)options;
    if (shape->stages % shape->devices != 0)
        return "needs the same number of stages on every device";
    return shapes_misfit_directions(shape, 1);
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

int32_t shapes_several_chunks(int32_t v)
{
    return v < 2 ? 2 : v;
}
