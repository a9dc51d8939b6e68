// SPDX-License-Identifier: Apache-2.0
// Executes an order whose messages are blocking. The devices take turns; a device runs until it comes to a
// message whose other end has not come to it.
#include "kernels/common/executor/executor_private.h"

#include <math.h>

// An input that comes with a message of the list. Other inputs that are not there are -1.
#define BY_MESSAGE (-2.0)

struct blocking {
    struct executor *executor;
    const struct order_messages *messages;
    int32_t *next; // [devices]: of the list
};

static int32_t task_of(const struct order_message *m)
{
    return m->stage * OPERATION_TYPES + (m->backward ? OPERATION_B : OPERATION_F);
}

// Returns the index of the input that a message brings.
static int32_t input_of(const struct executor *e, const struct order_message *m)
{
    return m->stage * e->stride + m->item + e->task[task_of(m)].output;
}

static struct blocking open_blocking(struct executor *e, const struct order_messages *messages)
{
    const struct blocking b = {e, messages, e->wanted};
    for (int32_t d = 0; d < e->order->devices; d++)
        b.next[d] = messages->first[d];
    for (int32_t i = 0; i < messages->first[e->order->devices]; i++)
        e->input[input_of(e, &messages->list[i])] = BY_MESSAGE;
    return b;
}

// Returns the message that a device has come to; NULL: an operation, or nothing.
static const struct order_message *message_at(const struct blocking *b, int32_t d)
{
    const struct order_message *m = &b->messages->list[b->next[d]];
    return b->next[d] < b->messages->first[d + 1] && m->before == b->executor->position[d]
               ? m
               : NULL;
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
static bool transfer(const struct blocking *b, int32_t d, const struct order_message *m)
{
    struct executor *e = b->executor;
    const int32_t other = other_device(e, m);
    if (!is_other_end(m, message_at(b, other)))
        return false;
    const double start = fmax(e->clock[d], e->clock[other]);
    e->input[input_of(e, m)] = start + e->task[task_of(m)].delay;
    e->clock[d] = e->clock[other] = start + e->channel[m->stage * 2 + m->backward].occupation;
    b->next[d]++;
    b->next[other]++;
    return true;
}

// Ends an operation: what it computes is there, or leaves with a message.
static void finish(struct executor *e,
                   const struct operation *op,
                   int64_t at,
                   double start,
                   double end)
{
    const int32_t index = executor_index(e, op);
    const struct task *task = &e->task[op->stage * OPERATION_TYPES + op->type];
    e->starts[at] = start;
    e->ends[at] = end;
    e->seen[index] |= task->bit;
    if (task->output >= 0 && e->input[index + task->output] != BY_MESSAGE)
        e->input[index + task->output] = end + task->delay;
}

// Runs the operation at the position of a device, or the unit that begins there. Returns whether it could.
static bool run(struct executor *e, int32_t d)
{
    const int64_t at = order_at(e->order, d, e->position[d]);
    const int n = e->order->paired[at] ? 2 : 1;
    double start = e->clock[d], duration = 0;
    for (int k = 0; k < n; k++) {
        const struct operation *op = &e->order->operations[at + k];
        const struct task *task = &e->task[op->stage * OPERATION_TYPES + op->type];
        const int32_t index = executor_index(e, op);
        const double ready = e->input[index + task->input];
        if ((e->seen[index] & task->relevant) != task->needed || ready < 0 ||
            executor_lacks_slice(e, op, index))
            return false;
        start = fmax(start, ready);
        duration += task->time;
    }
    if (n == 2 && !isnan(e->pipeline->pair[d]))
        duration = e->pipeline->pair[d];
    for (int k = 0; k < n; k++)
        finish(e, &e->order->operations[at + k], at + k, start, start + duration);
    e->clock[d] = start + duration;
    e->position[d] += n;
    return true;
}

// Advances a device as far as it can. Returns whether it moved.
static bool advance(const struct blocking *b, int32_t d)
{
    struct executor *e = b->executor;
    bool moved = false;
    for (;;) {
        const struct order_message *m = message_at(b, d);
        if (m != NULL ? !transfer(b, d, m) : e->position[d] == e->order->n[d] || !run(e, d))
            return moved;
        moved = true;
    }
}

static bool is_complete(const struct blocking *b)
{
    const struct executor *e = b->executor;
    for (int32_t d = 0; d < e->order->devices; d++)
        if (e->position[d] < e->order->n[d] || b->next[d] < b->messages->first[d + 1])
            return false;
    return true;
}

// A device may be occupied by a message behind its last operation: the step does not wait for it.
static void set_clocks(struct executor *e)
{
    for (int32_t d = 0; d < e->order->devices; d++)
        if (e->order->n[d] > 0)
            e->clock[d] = e->ends[order_at(e->order, d, e->order->n[d] - 1)];
}

enum executor_status executor_run_blocking(struct executor *executor,
                                           const struct pipeline *pipeline,
                                           const struct order *order,
                                           const struct order_messages *messages,
                                           struct poll *poll)
{
    struct executor *e = executor;
    executor_prepare(e, pipeline, order, NULL, poll);
    const struct blocking b = open_blocking(e, messages);
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t d = 0; d < order->devices; d++) {
            moved |= advance(&b, d);
            if (poll_over(poll))
                return EXECUTOR_STOPPED;
        }
    }
    if (!is_complete(&b))
        return EXECUTOR_DEADLOCK;
    set_clocks(e);
    executor_finish(e);
    return EXECUTOR_DONE;
}

// Finds the other end of a message.
static int32_t find_other_end(const struct executor *e,
                              const struct order_messages *messages,
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
    const struct blocking b = {NULL, messages, e->wanted};
    int32_t n = 0;
    for (int32_t d = 0; d < e->order->devices; d++) {
        const bool waits = b.next[d] < messages->first[d + 1] &&
                           messages->list[b.next[d]].before == e->position[d];
        if (!waits && e->position[d] == e->order->n[d])
            continue;
        heads[n] = (struct executor_head){d, -1, -1, e->position[d]};
        if (waits) {
            heads[n].message = b.next[d];
            heads[n].other = find_other_end(e, messages, &messages->list[b.next[d]]);
        }
        n++;
    }
    return n;
}
