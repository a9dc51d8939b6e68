// SPDX-License-Identifier: Apache-2.0
// Finds out why an order cannot run: the operations that wait, and a cycle of waits.
#include "kernels/common/executor/executor_private.h"

#include <string.h>

enum { INPUTS_MAX = 3 };

// Lists the operations that must be done before an operation, the own device first. Returns their
// number.
static int inputs_of(const struct executor *e, const struct operation *op,
                     struct operation input[INPUTS_MAX])
{
    const int32_t slices = e->pipeline->shape.slices, slice = op->item % slices;
    const bool backward = op->type == OPERATION_B || op->type == OPERATION_BW;
    int n = 0;
    if (op->type != OPERATION_F) {
        input[n] = *op;
        input[n++].type = op->type == OPERATION_W ? OPERATION_B : OPERATION_F;
    }
    if (op->type == OPERATION_F && slice > 0) {
        input[n] = *op;
        input[n++].item--;
    }
    if (backward && slice < slices - 1) {
        input[n] = *op;
        input[n++].item++;
    }
    if (op->type == OPERATION_F && op->stage > 0) {
        input[n] = *op;
        input[n++].stage--;
    }
    if (backward && op->stage + 1 < e->pipeline->shape.stages) {
        input[n] = *op;
        input[n++].stage++;
    }
    return n;
}

// B and BW send the same gradient.
static unsigned done_bit(const struct operation *op)
{
    return op->type == OPERATION_BW ? SEEN_B : 1u << op->type;
}

static bool is_done(const struct executor *e, const struct operation *op)
{
    return (e->seen[executor_index(e, op)] & done_bit(op)) != 0;
}

// Finds the first input of the operations at a position that is not done; false: all are done.
static bool find_waiting(const struct executor *e, int32_t device, int32_t position,
                         struct operation *waits_for)
{
    const int64_t at = order_at(e->order, device, position);
    for (int k = 0; k < (e->order->paired[at] ? 2 : 1); k++) {
        struct operation input[INPUTS_MAX];
        const int n = inputs_of(e, &e->order->operations[at + k], input);
        for (int i = 0; i < n; i++)
            if (!is_done(e, &input[i])) {
                *waits_for = input[i];
                return true;
            }
    }
    return false;
}

// Runs every device until its next operation waits, without times; `seen` holds what is done.
static void run_until_blocked(struct executor *e)
{
    const struct order *order = e->order;
    struct operation unused;
    bool moved = true;
    memset(e->seen, 0, (size_t)e->n_parts * (size_t)e->stride);
    memset(e->position, 0, (size_t)order->devices * sizeof *e->position);
    while (moved) {
        moved = false;
        for (int32_t d = 0; d < order->devices; d++)
            while (e->position[d] < order->n[d] &&
                   !find_waiting(e, d, e->position[d], &unused)) {
                const int64_t at = order_at(order, d, e->position[d]);
                for (int k = 0; k < (order->paired[at] ? 2 : 1); k++) {
                    const struct operation *op = &order->operations[at + k];
                    e->seen[executor_index(e, op)] |= (uint8_t)done_bit(op);
                    e->position[d]++;
                }
                moved = true;
            }
    }
}

// Finds where an operation stands; B also finds BW.
static struct executor_place find_place(const struct executor *e, struct operation op)
{
    const int32_t d = pipeline_device(e->pipeline, op.direction, op.stage);
    for (int32_t i = 0; i < e->order->n[d]; i++) {
        const struct operation *other = &e->order->operations[order_at(e->order, d, i)];
        if (other->item == op.item && other->stage == op.stage &&
            other->direction == op.direction && done_bit(other) == done_bit(&op))
            return (struct executor_place){d, i, *other};
    }
    return (struct executor_place){d, -1, op};
}

static struct executor_blocked blocked_at(const struct executor *e, int32_t device)
{
    struct executor_blocked blocked = {
        .head = {.device = device, .position = e->position[device]}};
    struct operation waits_for;
    blocked.head.operation =
        e->order->operations[order_at(e->order, device, e->position[device])];
    if (find_waiting(e, device, e->position[device], &waits_for))
        blocked.waits_for = find_place(e, waits_for);
    return blocked;
}

static void add_to_cycle(struct executor_fault *fault, struct executor_place place)
{
    if (fault->n_cycle < EXECUTOR_CYCLE_MAX)
        fault->cycle[fault->n_cycle++] = place;
}

// Follows the waits from a blocked device until a device comes again. An operation behind the first of
// its device waits for the first.
static void find_cycle(const struct executor *e, int32_t device, struct executor_fault *fault)
{
    for (int32_t i = 0; i < e->order->devices; i++) // now on the cycle
        device = blocked_at(e, device).waits_for.device;
    const int32_t first = device;
    do {
        const struct executor_blocked blocked = blocked_at(e, device);
        add_to_cycle(fault, blocked.head);
        device = blocked.waits_for.device;
        if (blocked.waits_for.position != e->position[device])
            add_to_cycle(fault, blocked.waits_for);
    } while (device != first);
}

void executor_diagnose(struct executor *executor, struct executor_fault *fault)
{
    struct executor *e = executor;
    fault->n_blocked = 0;
    fault->n_cycle = 0;
    if (!executor_check(e, fault))
        return;
    run_until_blocked(e);
    for (int32_t d = 0; d < e->order->devices; d++) {
        if (e->position[d] == e->order->n[d])
            continue;
        if (fault->n_blocked == 0)
            find_cycle(e, d, fault);
        if (fault->n_blocked++ < fault->room)
            fault->blocked[fault->n_blocked - 1] = blocked_at(e, d);
    }
}
