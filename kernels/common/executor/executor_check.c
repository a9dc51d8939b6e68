// SPDX-License-Identifier: Apache-2.0
// Checks whether an order has the right operations, once each.
#include "kernels/common/executor/executor_private.h"

#include <string.h>

const struct executor_type executor_types[OPERATION_TYPES] = {
    [OPERATION_F] = {SEEN_F, 0, false, false, (uint64_t)1 << 32},
    [OPERATION_B] = {SEEN_B | SEEN_BW, SEEN_F, true, false, 1},
    [OPERATION_W] = {SEEN_W | SEEN_BW, SEEN_B, false, true, 1},
    [OPERATION_BW] = {SEEN_B | SEEN_W | SEEN_BW, SEEN_F, true, false, 2},
    [OPERATION_R] = {SEEN_R, SEEN_F, false, true, 0},
};

bool executor_lacks_slice(const struct executor *e, const struct operation *op, int32_t index)
{
    const int32_t slices = e->pipeline->shape.slices, slice = op->item % slices;
    if (op->type == OPERATION_F)
        return slice > 0 && !(e->seen[index - 1] & SEEN_F);
    return executor_types[op->type].backward && slice < slices - 1 &&
           !(e->seen[index + 1] & (SEEN_B | SEEN_BW));
}

bool executor_is_pair(const struct order *order, int32_t device, int32_t position)
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

static enum operation_type missing_type(unsigned seen)
{
    if (!(seen & SEEN_F))
        return OPERATION_F;
    return seen & (SEEN_B | SEEN_BW) ? OPERATION_W : OPERATION_B;
}

// Finds a missing operation of a micro-batch in one direction. Returns whether the micro-batch runs in
// this direction.
static bool find_missing_of(const struct executor *e, int32_t direction, int32_t item,
                            struct operation *missing, bool *found)
{
    const struct pipeline_shape *shape = &e->pipeline->shape;
    const uint8_t *seen = e->seen + (int64_t)direction * shape->stages * e->stride + item;
    bool any = shape->directions == 1;
    for (int32_t s = 0; s < shape->stages && !any; s++)
        any = seen[(int64_t)s * e->stride] != 0;
    for (int32_t s = 0; s < shape->stages && any && !*found; s++) {
        const unsigned bits = seen[(int64_t)s * e->stride];
        if (is_complete(bits))
            continue;
        *missing = (struct operation){item, (int16_t)s, (uint8_t)missing_type(bits),
                                      (uint8_t)direction};
        *found = true;
    }
    return any;
}

static bool find_missing(const struct executor *e, struct operation *missing)
{
    bool found = false;
    int32_t used = 0;
    for (int32_t k = 0; k < e->pipeline->shape.directions && !found; k++)
        for (int32_t item = 0; item < e->n_items && !found; item++)
            used += find_missing_of(e, k, item, missing, &found);
    if (!found && used < e->n_items) { // two directions: fewer micro-batches than M
        *missing = (struct operation){.item = used, .type = OPERATION_F};
        found = true;
    }
    return found;
}

// Returns what is wrong with an operation; EXECUTOR_MISSING: nothing.
static enum executor_wrong wrong_with(const struct executor *e, int32_t device,
                                      int32_t position)
{
    const int64_t at = order_at(e->order, device, position);
    const struct operation *op = &e->order->operations[at];
    if (!executor_is_here(e, op, device))
        return EXECUTOR_FOREIGN;
    const unsigned clash = e->seen[executor_index(e, op)] & executor_types[op->type].excluded;
    if (clash != 0)
        return clash & 1u << op->type ? EXECUTOR_DOUBLE : EXECUTOR_BOTH;
    return e->order->paired[at] && !executor_is_pair(e->order, device, position)
               ? EXECUTOR_NOT_PAIR
               : EXECUTOR_MISSING;
}

bool executor_check(struct executor *e, struct executor_fault *fault)
{
    struct executor_fault unused;
    struct executor_fault *to = fault != NULL ? fault : &unused;
    struct operation missing;
    memset(e->seen, 0, (size_t)e->n_parts * (size_t)e->stride);
    for (int32_t d = 0; d < e->order->devices; d++)
        for (int32_t i = 0; i < e->order->n[d]; i++) {
            const struct operation *op = &e->order->operations[order_at(e->order, d, i)];
            to->wrong = wrong_with(e, d, i);
            to->place = (struct executor_place){d, i, *op};
            if (to->wrong != EXECUTOR_MISSING)
                return false;
            e->seen[executor_index(e, op)] |= (uint8_t)(1u << op->type);
        }
    if (!find_missing(e, &missing))
        return true;
    to->place = (struct executor_place){
        pipeline_device(e->pipeline, missing.direction, missing.stage), -1, missing};
    return false;
}
