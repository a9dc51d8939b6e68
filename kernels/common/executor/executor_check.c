// SPDX-License-Identifier: Apache-2.0
// Checks that an order has every operation of a pipeline exactly once, on the device of its stage.
#include "kernels/common/executor/executor_private.h"

#include <string.h>

static bool is_here(const struct executor *e, const struct operation *op, int32_t device)
{
    const struct pipeline_shape *shape = &e->pipeline->shape;
    return op->direction < shape->directions && op->stage >= 0 && op->stage < shape->stages &&
           op->item >= 0 && op->item < e->n_items && op->type < OPERATION_TYPES &&
           pipeline_device(e->pipeline, op->direction, op->stage) == device;
}

// Returns the operations that must stand before this one on the device but do not: bits SEEN_.
static bool lacks_input(const struct executor *e, const struct operation *op, int64_t at)
{
    const int32_t slices = e->pipeline->shape.slices, slice = op->item % slices;
    const unsigned seen = e->seen[at];
    switch ((enum operation_type)op->type) {
    case OPERATION_F:
        return slice > 0 && !(e->seen[at - 1] & SEEN_F);
    case OPERATION_B:
    case OPERATION_BW:
        return !(seen & SEEN_F) ||
               (slice < slices - 1 && !(e->seen[at + 1] & (SEEN_B | SEEN_BW)));
    case OPERATION_W:
        return !(seen & SEEN_B);
    case OPERATION_R:
        return !(seen & SEEN_F);
    case OPERATION_TYPES:
        break;
    }
    return false;
}

// Returns the bits that may not stand beside an operation of a type.
static unsigned excluded(unsigned type)
{
    static const uint8_t bits[OPERATION_TYPES] = {SEEN_F, SEEN_B | SEEN_BW, SEEN_W | SEEN_BW,
                                                  SEEN_B | SEEN_W | SEEN_BW, SEEN_R};
    return bits[type];
}

static bool is_pair(const struct order *order, int32_t device, int32_t position)
{
    const int64_t at = order_at(order, device, position);
    return position + 1 < order->n[device] && order->operations[at].type == OPERATION_F &&
           order->operations[at + 1].type == OPERATION_BW && !order->paired[at + 1];
}

static bool is_complete(unsigned seen)
{
    return (seen & SEEN_F) &&
           ((seen & SEEN_BW) || (seen & (SEEN_B | SEEN_W)) == (SEEN_B | SEEN_W));
}

// Finds an operation that is missing; returns false if there is none.
static bool find_missing(const struct executor *e, struct operation *missing)
{
    const struct pipeline_shape *shape = &e->pipeline->shape;
    int64_t used = 0;
    for (int32_t k = 0; k < shape->directions; k++)
        for (int32_t item = 0; item < e->n_items; item++) {
            unsigned any = shape->directions == 1;
            for (int32_t s = 0; s < shape->stages && !any; s++)
                any = e->seen[((int64_t)k * shape->stages + s) * e->n_items + item];
            used += any != 0;
            for (int32_t s = 0; s < shape->stages && any; s++) {
                const unsigned seen =
                    e->seen[((int64_t)k * shape->stages + s) * e->n_items + item];
                if (is_complete(seen))
                    continue;
                const enum operation_type type = !(seen & SEEN_F)               ? OPERATION_F
                                                 : !(seen & (SEEN_B | SEEN_BW)) ? OPERATION_B
                                                                                : OPERATION_W;
                *missing = (struct operation){item, (int16_t)s, (uint8_t)type, (uint8_t)k};
                return true;
            }
        }
    if (used < e->n_items) {
        *missing = (struct operation){(int32_t)used, 0, OPERATION_F, 0};
        return true;
    }
    return false;
}

bool executor_check(struct executor *e, struct executor_fault *fault)
{
    const struct order *order = e->order;
    enum executor_wrong wrong = EXECUTOR_MISSING;
    struct executor_place place = {.position = -1};
    e->broken_on_device = false;
    memset(e->seen, 0, (size_t)e->n_parts * (size_t)e->n_items);
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++) {
            const int64_t k = order_at(order, d, i);
            const struct operation *op = &order->operations[k];
            place = (struct executor_place){d, i, *op};
            wrong = EXECUTOR_FOREIGN;
            if (!is_here(e, op, d))
                goto fail;
            const int64_t at = executor_index(e, op);
            const unsigned bit = 1u << op->type, clash = e->seen[at] & excluded(op->type);
            wrong = clash & bit ? EXECUTOR_DOUBLE : EXECUTOR_BOTH;
            if (clash != 0)
                goto fail;
            wrong = EXECUTOR_NOT_PAIR;
            if (order->paired[k] && !is_pair(order, d, i))
                goto fail;
            e->broken_on_device |= lacks_input(e, op, at);
            e->seen[at] |= (uint8_t)bit;
        }
    wrong = EXECUTOR_MISSING;
    if (!find_missing(e, &place.operation))
        return true;
    place.device =
        pipeline_device(e->pipeline, place.operation.direction, place.operation.stage);
    place.position = -1;
fail:
    if (fault != NULL) {
        fault->wrong = wrong;
        fault->place = place;
    }
    return false;
}
