// SPDX-License-Identifier: Apache-2.0
// Finds the reason why a point is skipped.
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

#include <math.h>
#include <string.h>

enum {
    NO_ORDER = 1,
    OTHER_ORDER,
    OTHER_PLAN,
    OTHER_CHUNKS,
    MEMORY_SUM,
    SMALL_LIMIT,
    TOO_LARGE,
    OTHER_SHAPE,
    MISFITS,
};

const char *const schedule_reasons[] = {
    "",
    [NO_ORDER] = "family order needs a document with an order",
    [OTHER_ORDER] = "p, m or slices is not that of the order",
    [OTHER_PLAN] = "p is not that of the plan",
    [OTHER_CHUNKS] = "the family has another number of chunks (v = 1: as the family needs)",
    [MEMORY_SUM] = "mem_f + mem_b + mem_w is not 0",
    [SMALL_LIMIT] = "limit is less than the memory of one micro-batch",
    [TOO_LARGE] = "more than 2^28 operations",
    [OTHER_SHAPE] = "the family has no order for this p, m and v",
    [MISFITS] = "the family needs 1 stage per device",
    "the family needs 2 stages per device",
    "the family needs an even number of stages per device",
    "the family needs the same number of stages on every device",
    "the family needs an even number of devices",
    "the family needs an even number of micro-batches",
    "the family needs at least 2p micro-batches",
    "the family needs a number of micro-batches that p divides",
    "the family needs a group of at least p micro-batches",
    "the last group has fewer micro-batches than devices",
    "the family has no order for slices of micro-batches",
    "the family has no order for two directions",
    "the family needs two directions",
    NULL,
};

// Finds a family's reason, whose subject may be left out there: "needs 2 stages per device".
static int reason_of(const char *misfit)
{
    static const char subject[] = "the family ";
    const size_t n = strlen(subject);
    for (int i = MISFITS; schedule_reasons[i] != NULL; i++) {
        const char *reason = schedule_reasons[i];
        if (strcmp(reason, misfit) == 0 ||
            (strncmp(reason, subject, n) == 0 && strcmp(reason + n, misfit) == 0))
            return i;
    }
    return OTHER_SHAPE;
}

static int32_t chunks_of(const struct pipeline_shape *shape)
{
    return shape->stages / shape->devices;
}

// A micro-batch runs forwards on all chunks of a device before the first backward frees memory.
int schedule_check(const double *value, const void *shared)
{
    const struct schedule_point point = schedule_point_of(value, shared);
    const double f = value[P_MEM_F], sum = f + value[P_MEM_B] + value[P_MEM_W];
    if (point.shape.devices == 0)
        return NO_ORDER;
    if (point.order != NULL &&
        (value[P_P] != point.shape.devices || value[P_M] != point.shape.micro_batches ||
         value[P_SLICES] != point.shape.slices))
        return OTHER_ORDER;
    if (point.plan != NULL && point.plan->pipeline->shape.devices != point.shape.devices)
        return OTHER_PLAN;
    if (value[P_V] > 1 && point.shape.stages != point.shape.devices * value[P_V])
        return OTHER_CHUNKS;
    if (!(fabs(sum) <= 1e-9 * f))
        return MEMORY_SUM;
    if (point.plan == NULL &&
        point.limit < (value[P_PER] == PER_DEVICE ? f : f * chunks_of(&point.shape)))
        return SMALL_LIMIT;
    if (!schedule_is_small(&point.shape))
        return TOO_LARGE;
    const char *misfit =
        point.family == NULL ? NULL : point.family->misfit(&point.shape, &point.options);
    return misfit == NULL ? 0 : reason_of(misfit);
}
