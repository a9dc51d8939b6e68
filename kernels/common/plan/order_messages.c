// SPDX-License-Identifier: Apache-2.0
// Puts messages among the operations of an order, as PyTorch does.
#include "kernels/common/plan/order_messages.h"

#include <stdlib.h>

struct placer {
    const struct pipeline *pipeline;
    const struct order *order;
    struct order_messages *messages;
    uint8_t
        *input[2]; // [stage * micro_batches + micro-batch], forward and backward: it is there
    int32_t *position; // [devices]: of the next operation
    int32_t *next;     // [devices]: of the list
};

static bool is_local(const struct operation *op)
{
    return op->type == OPERATION_W || op->type == OPERATION_R;
}

static uint8_t *input_of(const struct placer *p, bool backward, int32_t stage, int32_t item)
{
    return &p->input[backward][(int64_t)stage * p->pipeline->shape.micro_batches + item];
}

// Returns the stage that gets the message of an operation; -1: none.
static int32_t receiver_of(const struct placer *p, const struct operation *op)
{
    const int32_t to = op->stage + (op->type == OPERATION_F ? 1 : -1);
    return is_local(op) || to >= p->pipeline->shape.stages ? -1 : to;
}

static bool is_ready(const struct placer *p, const struct operation *op)
{
    const bool backward = op->type != OPERATION_F;
    if (is_local(op) || op->stage == (backward ? p->pipeline->shape.stages - 1 : 0))
        return true;
    return *input_of(p, backward, op->stage, op->item);
}

static void append(struct placer *p, int32_t device, const struct operation *op, bool send)
{
    p->messages->list[p->next[device]++] =
        (struct order_message){.before = p->position[device],
                               .item = op->item,
                               .stage = op->stage,
                               .backward = op->type != OPERATION_F,
                               .send = send};
}

static void send(struct placer *p, int32_t device, const struct operation *op)
{
    const int32_t to = receiver_of(p, op);
    if (to < 0)
        return;
    const int32_t receiver = pipeline_device(p->pipeline, 0, to);
    *input_of(p, op->type != OPERATION_F, to, op->item) = 1;
    if (receiver == device)
        return;
    append(p, device, op, true);
    append(p, receiver, op, false);
}

// Runs the next operation of a device if its input is there; returns whether it ran.
static bool visit(struct placer *p, int32_t device)
{
    const int32_t position = p->position[device];
    if (position == p->order->n[device])
        return false;
    const int64_t at = order_at(p->order, device, position);
    const struct operation *op = &p->order->operations[at];
    if (!is_ready(p, op) || (p->order->paired[at] && !is_ready(p, op + 1)))
        return false;
    const int parts = p->order->paired[at] ? 2 : 1;
    p->position[device] += parts;
    for (int k = 0; k < parts; k++)
        send(p, device, op + k);
    return true;
}

// Counts the messages of the devices, and makes room for them.
static bool make_lists(struct placer *p)
{
    const struct order *order = p->order;
    int32_t *first = p->messages->first;
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++) {
            const int32_t to = receiver_of(p, &order->operations[order_at(order, d, i)]);
            const int32_t receiver = to < 0 ? d : pipeline_device(p->pipeline, 0, to);
            first[d + 1] += receiver != d;
            first[receiver + 1] += receiver != d;
        }
    for (int32_t d = 0; d < order->devices; d++) {
        p->next[d] = first[d];
        first[d + 1] += first[d];
    }
    p->messages->list = calloc((size_t)first[order->devices] + 1, sizeof *p->messages->list);
    return p->messages->list != NULL;
}

static bool visit_all(struct placer *p, struct order_stuck *stuck)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t d = 0; d < p->order->devices; d++)
            moved |= visit(p, d);
    }
    for (int32_t d = 0; d < p->order->devices; d++)
        if (p->position[d] < p->order->n[d]) {
            *stuck = (struct order_stuck){d, p->position[d]};
            return false;
        }
    return true;
}

bool order_messages_place(const struct pipeline *pipeline, const struct order *order,
                          struct order_messages *messages, struct order_stuck *stuck)
{
    const size_t items = (size_t)pipeline->shape.stages * (size_t)pipeline->shape.micro_batches,
                 devices = (size_t)order->devices;
    struct placer p = {pipeline,
                       order,
                       messages,
                       {calloc(items, 1), calloc(items, 1)},
                       calloc(devices, sizeof *p.position),
                       calloc(devices, sizeof *p.next)};
    *stuck = (struct order_stuck){-1, 0};
    *messages = (struct order_messages){.first = calloc(devices + 1, sizeof *messages->first)};
    const bool good = p.input[0] != NULL && p.input[1] != NULL && p.position != NULL &&
                      p.next != NULL && messages->first != NULL && make_lists(&p) &&
                      visit_all(&p, stuck);
    free(p.input[0]);
    free(p.input[1]);
    free(p.position);
    free(p.next);
    return good;
}

void order_messages_free(struct order_messages *messages)
{
    free(messages->first);
    free(messages->list);
    *messages = (struct order_messages){.first = NULL};
}
