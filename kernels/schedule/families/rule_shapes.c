// SPDX-License-Identifier: Apache-2.0
// Tells which pipelines the closed rules can order.
#include "kernels/schedule/families/rule_shapes.h"

#include <stddef.h>

const char *rules_misfit_directions(const struct pipeline_shape *shape, int32_t directions)
{
    if (shape->slices > 1)
        return "has no order for slices of micro-batches";
    if (shape->directions == directions)
        return NULL;
    return directions == 1 ? "has no order for two directions" : "needs two directions";
}

const char *rules_misfit_linear(const struct pipeline_shape *shape,
                                const struct family_options *options)
{
    (void)options;
    if (shape->stages != shape->devices)
        return "needs 1 stage per device";
    return rules_misfit_directions(shape, 1);
}

const char *rules_misfit_loop(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    if (shape->stages % shape->devices != 0)
        return "needs the same number of stages on every device";
    return rules_misfit_directions(shape, 1);
}

int32_t rules_one_chunk(int32_t v)
{
    (void)v;
    return 1;
}

int32_t rules_two_chunks(int32_t v)
{
    (void)v;
    return 2;
}

int32_t rules_several_chunks(int32_t v)
{
    return v < 2 ? 2 : v;
}
