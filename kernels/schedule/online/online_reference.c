// SPDX-License-Identifier: Apache-2.0
// Checks the reference order of the environment and finds its nominal figures.
#include "kernels/schedule/online/online_private.h"

static const char *misfit_of_device(const struct pipeline *pipeline, const struct order *order,
                                    int32_t device)
{
    for (int32_t i = 0; i < order->n[device]; i++) {
        const int64_t at = order_at(order, device, i);
        const struct operation *op = &order->operations[at];
        if (order->paired[at])
            return "needs an order without overlapped pairs";
        if (op->type > OPERATION_W)
            return "needs an order of F, B and W, without BW and R";
        if (op->direction != 0 || pipeline_device(pipeline, 0, op->stage) != device)
            return "needs one direction";
        int32_t before = -1; // the last micro-batch of the same type and stage
        for (int32_t j = i - 1; j >= 0 && before < 0; j--) {
            const struct operation *other = &order->operations[order_at(order, device, j)];
            if (other->type == op->type && other->stage == op->stage)
                before = other->item;
        }
        if (op->item != before + 1)
            return "needs an order with ascending micro-batches";
    }
    return NULL;
}

const char *online_misfit(const struct pipeline *pipeline, const struct order *reference)
{
    const char *misfit = NULL;
    if (pipeline->shape.directions != 1)
        return "needs one direction";
    if (pipeline->shape.slices != 1)
        return "needs whole micro-batches";
    for (int32_t d = 0; d < reference->devices && misfit == NULL; d++)
        misfit = misfit_of_device(pipeline, reference, d);
    return misfit;
}

// ---- nominal figures ----------------------------------------------------------------------------

// Returns the tail of the operation that receives the message of an operation, with the message: 0 without a
// message, negative if the tail is not known.
static double tail_behind(const struct online *e, const struct operation *op)
{
    const struct online_stage *stage = &e->stage[op->stage];
    int32_t type = op->type, to = op->stage;
    double delay = 0;
    if (type == OPERATION_W || (type == OPERATION_B && to == 0))
        return 0;
    if (type == OPERATION_B) {
        delay = stage->delay[1];
        to--;
    } else if (to + 1 < e->pipeline->shape.stages) {
        delay = stage->delay[0];
        to++;
    } else {
        type = OPERATION_B;
    }
    const double tail = e->tails[order_at(e->reference, e->stage[to].device,
                                          e->position[type][online_index(e, to, op->item)])];
    return tail < 0 ? tail : delay + tail;
}

// Finds the tails of a device from position i down, as far as they depend on known tails. Returns the
// position where it stops.
static int32_t find_tails(struct online *e, int32_t device, int32_t i)
{
    const struct order *order = e->reference;
    for (; i >= 0; i--) {
        const int64_t at = order_at(order, device, i);
        const struct operation *op = &order->operations[at];
        const double behind = tail_behind(e, op),
                     next = i + 1 < order->n[device] ? e->tails[at + 1] : 0;
        if (behind < 0)
            break;
        e->tails[at] = e->stage[op->stage].time[op->type] + (behind > next ? behind : next);
    }
    return i;
}

void online_find_reference(struct online *e)
{
    const struct order *order = e->reference;
    const int32_t devices = order->devices;
    int32_t left = devices, *at = e->wake.rank; // free until the start of a step
    for (int32_t d = 0; d < devices; d++) {
        at[d] = order->n[d] - 1;
        for (int32_t i = 0; i < order->n[d]; i++) {
            const struct operation *op = &order->operations[order_at(order, d, i)];
            e->position[op->type][online_index(e, op->stage, op->item)] = i;
            e->tails[order_at(order, d, i)] = -1;
        }
    }
    while (left > 0) {
        left = 0;
        for (int32_t d = 0; d < devices; d++) {
            at[d] = find_tails(e, d, at[d]);
            left += at[d] >= 0;
        }
    }
    (void)executor_run(e->executor, e->pipeline, order, NULL, NULL);
}
