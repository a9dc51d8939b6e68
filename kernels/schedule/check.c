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
    SIZE_UNUSED,
    SIZE_AND_LATENCY,
    SIZE_AND_PLAN,
    NO_DEVICE,
    NO_WINDOW,
    NO_SLOW_TIME,
    NO_POLICY,
    RULE_AND_CHANNELS,
    RULE_AND_PAIRS,
    POLICY_AND_SHAPE,
    POLICY_IS_ROBUST,
    BLOCKING_AND_SHAPE,
    MESSAGES_HANG,
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
    [SIZE_UNUSED] = "size, base and base_comm need times = size",
    [SIZE_AND_LATENCY] = "times = size sets the latency: remove latency, or set base_comm",
    [SIZE_AND_PLAN] = "a plan sets the times: remove times = size",
    [NO_DEVICE] = "straggler_device is not a device of the pipeline",
    [NO_WINDOW] = "correlation_group = window needs window > 0",
    [NO_SLOW_TIME] = "straggler_until is not after straggler_from",
    [NO_POLICY] = "rule policy needs a document with a policy",
    [RULE_AND_CHANNELS] = "a rule needs channels = free",
    [RULE_AND_PAIRS] = "a rule needs an order without overlapped pairs",
    [POLICY_AND_SHAPE] =
        "a learned policy needs one direction, whole micro-batches, and B and W "
        "apart",
    [POLICY_IS_ROBUST] = "a robust policy chooses an order: ppsweep schedule judge runs it",
    [BLOCKING_AND_SHAPE] = "channels = blocking needs one direction and no slices",
    [MESSAGES_HANG] =
        "the messages of the order deadlock if they are blocking: ppsweep schedule "
        "check shows where",
    [MISFITS] = "the family needs 1 stage per device",
    "the family needs 2 stages per device",
    "the family needs an even number of stages per device",
    "the family needs the same number of stages on every device",
    "the family needs an even number of devices",
    "the family needs an even number of micro-batches",
    "the family needs at least 2p micro-batches",
    "the family needs a number of micro-batches that p divides",
    "the family needs equal rounds: micro-batches that are a multiple of the whole part of m / p",
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

// Parameters that contradict each other are refused, not ignored.
static int check_times(const double *value, const struct schedule_point *point)
{
    if (value[P_TIMES] == TIMES_SIZE)
        return point->plan != NULL     ? SIZE_AND_PLAN
               : value[P_LATENCY] != 0 ? SIZE_AND_LATENCY
                                       : 0;
    const bool is_set = value[P_SIZE] != schedule_params[P_SIZE].fallback ||
                        value[P_BASE] != schedule_params[P_BASE].fallback ||
                        value[P_BASE_COMM] != schedule_params[P_BASE_COMM].fallback;
    return is_set ? SIZE_UNUSED : 0;
}

static int check_noise(const double *value, const struct schedule_point *point)
{
    const double device = value[P_STRAGGLER_DEVICE], until = value[P_STRAGGLER_UNTIL];
    if (device >= 0 && (device != floor(device) || device >= point->shape.devices))
        return NO_DEVICE;
    if (value[P_CORRELATION_GROUP] == NOISE_WINDOW && value[P_CORRELATION] > 0 &&
        !(value[P_WINDOW] > 0))
        return NO_WINDOW;
    return until >= 0 && until <= value[P_STRAGGLER_FROM] ? NO_SLOW_TIME : 0;
}

static bool has_pairs(const struct order *order)
{
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            if (order->paired[order_at(order, d, i)])
                return true;
    return false;
}

static int check_rule(const struct schedule_point *point)
{
    if (point->rule == RULE_STATIC)
        return 0;
    if (point->rule == RULE_POLICY && point->policy == NULL)
        return NO_POLICY;
    if (point->rule == RULE_POLICY && point->policy->kind == POLICY_ROBUST)
        return POLICY_IS_ROBUST;
    if (point->links.channels != PIPELINE_FREE)
        return RULE_AND_CHANNELS;
    const bool pairs = point->family != NULL ? point->family->pairs : has_pairs(point->order);
    if (pairs)
        return RULE_AND_PAIRS;
    const bool whole = point->family != NULL && point->family->whole_backward;
    return point->rule == RULE_POLICY &&
                   (whole || point->shape.directions > 1 || point->shape.slices > 1)
               ? POLICY_AND_SHAPE
               : 0;
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
    if (point.links.channels == PIPELINE_BLOCKING &&
        (point.shape.directions > 1 || point.shape.slices > 1))
        return BLOCKING_AND_SHAPE;
    if (point.hangs)
        return MESSAGES_HANG;
    int reason = check_times(value, &point);
    if (reason == 0)
        reason = check_noise(value, &point);
    if (reason == 0)
        reason = check_rule(&point);
    if (reason != 0)
        return reason;
    const char *misfit =
        point.family == NULL ? NULL : point.family->misfit(&point.shape, &point.options);
    return misfit == NULL ? 0 : reason_of(misfit);
}
