// SPDX-License-Identifier: Apache-2.0
// Executes an order whose messages are blocking. Without a list of messages, the devices are visited as
// order_messages_place does it, so that every message can begin as soon as its operation has run. With a list, a device runs until it
// comes to a message whose other end has not come to it.
#include "kernels/common/executor/executor_private.h"

#include <math.h>

// ---- listed messages ----------------------------------------------------------------------------

static int32_t task_of(const struct order_message *m)
{
    return m->stage * OPERATION_TYPES + (m->backward ? OPERATION_B : OPERATION_F);
}

// Returns the index of the input that a message brings.
static int32_t input_of(const struct executor *e, const struct order_message *m)
{
    return m->stage * e->stride + m->item + e->task[task_of(m)].output;
}

static void open_messages(struct executor *e)
{
    for (int32_t d = 0; d < e->order->devices; d++)
        e->next[d] = e->messages->first[d];
    for (int32_t i = 0; i < e->messages->first[e->order->devices]; i++)
        e->input[input_of(e, &e->messages->list[i])] = EXECUTOR_BY_MESSAGE;
}

// Returns the message that a device has come to; NULL: an operation, or nothing.
static const struct order_message *message_at(const struct executor *e, int32_t d)
{
    const struct order_message *m = &e->messages->list[e->next[d]];
    return e->next[d] < e->messages->first[d + 1] && m->before == e->position[d] ? m : NULL;
}

static int32_t other_device(const struct executor *e, const struct order_message *m)
{
    const struct task *task = &e->task[task_of(m)];
    return m->send ? task->receiver : task->device;
}

static bool is_other_end(const struct order_message *a, const struct order_message *b)
{
    return b != NULL && a->send != b->send && a->backward == b->backward &&
           a->stage == b->stage && a->item == b->item;
}

// Transfers the message at a device if both ends have come to it. Returns whether they have.
static bool transfer(struct executor *e, const struct executor_own *own, int32_t d,
                     const struct order_message *m)
{
    const int32_t other = other_device(e, m), task = task_of(m);
    if (!is_other_end(m, message_at(e, other)))
        return false;
    const int32_t input = m->stage * e->stride + m->item + e->task[task].input;
    const struct executor_message message = executor_message_of(e, own, task, input);
    const double start = fmax(e->clock[d], e->clock[other]);
    e->input[input_of(e, m)] = start + message.delay;
    e->clock[d] = e->clock[other] = start + message.occupation;
    e->next[d]++;
    e->next[other]++;
    return true;
}

// Advances a device as far as it can. Returns whether it moved.
static bool advance(struct executor *e, const struct executor_own *own, int32_t d)
{
    bool moved = false;
    for (;;) {
        const struct order_message *m = message_at(e, d);
        if (m != NULL                          ? !transfer(e, own, d, m)
            : e->position[d] == e->order->n[d] ? true
                                               : executor_visit(e, own, d) == 0)
            return moved;
        moved = true;
    }
}

bool executor_has_messages(const struct executor *e)
{
    for (int32_t d = 0; e->messages != NULL && d < e->order->devices; d++)
        if (e->next[d] < e->messages->first[d + 1])
            return true;
    return false;
}

// ---- execution ----------------------------------------------------------------------------------

// A device may be occupied by a message behind its last operation: the step does not wait for it.
static void set_clocks(struct executor *e)
{
    for (int32_t d = 0; d < e->order->devices; d++)
        if (e->order->n[d] > 0 && e->position[d] == e->order->n[d])
            e->clock[d] = e->ends[order_at(e->order, d, e->order->n[d] - 1)];
}

bool executor_execute_blocking(struct executor *e, const struct executor_own *own)
{
    if (e->messages != NULL)
        open_messages(e);
    for (bool moved = true; moved;) {
        const int32_t before = e->n_steps;
        moved = false;
        for (int32_t d = 0; d < e->order->devices; d++)
            if (e->messages != NULL)
                moved |= advance(e, own, d);
            else if (e->position[d] < e->order->n[d])
                moved |= executor_visit(e, own, d) > 0;
        if (poll_over_after(e->poll, (uint64_t)(e->n_steps - before + 1)))
            return false;
    }
    set_clocks(e);
    return true;
}

enum executor_status executor_run_blocking(struct executor *executor,
                                           const struct pipeline *pipeline,
                                           const struct order *order,
                                           const struct order_messages *messages,
                                           struct poll *poll)
{
    executor_prepare(executor, pipeline, order, NULL, poll);
    executor->messages = messages;
    return executor_execute(executor, NULL);
}

// ---- deadlocks ----------------------------------------------------------------------------------

// Finds the other end of a message.
static int32_t find_other_end(const struct executor *e, const struct order_messages *messages,
                              const struct order_message *m)
{
    const int32_t device = other_device(e, m);
    for (int32_t i = messages->first[device]; i < messages->first[device + 1]; i++)
        if (is_other_end(m, &messages->list[i]))
            return i;
    return -1;
}

int32_t executor_blocked_heads(const struct executor *executor,
                               const struct order_messages *messages,
                               struct executor_head *heads)
{
    const struct executor *e = executor;
    int32_t n = 0;
    for (int32_t d = 0; d < e->order->devices; d++) {
        const bool waits = e->next[d] < messages->first[d + 1] &&
                           messages->list[e->next[d]].before == e->position[d];
        if (!waits && e->position[d] == e->order->n[d])
            continue;
        heads[n] = (struct executor_head){d, -1, -1, e->position[d]};
        if (waits) {
            heads[n].message = e->next[d];
            heads[n].other = find_other_end(e, messages, &messages->list[e->next[d]]);
        }
        n++;
    }
    return n;
}
