// SPDX-License-Identifier: Apache-2.0
// Finds longest paths through the operations of an executed order.
#include "kernels/common/executor/longest_path.h"

#include "kernels/common/executor/executor_private.h"

#include <math.h>

void longest_path_take(struct longest_path *path, const struct pipeline_shape *most,
                       int32_t operations, struct room *room)
{
    const size_t all = (size_t)most->devices * (size_t)order_stride(operations),
                 items = (size_t)most->directions * (size_t)most->stages *
                         (size_t)order_stride(most->micro_batches * most->slices);
    *path = (struct longest_path){.n = 0};
    path->sequence = room_take(room, all, sizeof *path->sequence);
    path->sender = room_take(room, all, sizeof *path->sender);
    path->sent = room_take(room, 2 * items + 1, sizeof *path->sent);
}

bool longest_path_set(struct longest_path *path, const struct executor *executor,
                      struct poll *poll)
{
    const struct executor *e = executor;
    path->pipeline = e->pipeline;
    path->order = e->order;
    path->n = e->n_steps;
    for (int32_t i = 0; i < 2 * e->n_parts * e->stride; i++)
        path->sent[i] = -1;
    for (int32_t k = 0; k < e->n_steps; k++) {
        const struct step *step = &e->step[k];
        if (poll_over(poll))
            return false;
        path->sequence[k] = step->at;
        path->sender[step->at] =
            executor_types[e->task[step->task].type].local ? -1 : path->sent[step->input];
        path->sent[step->output] = step->at;
    }
    return true;
}

// ---- paths --------------------------------------------------------------------------------------

// An operation of the order.
struct visit {
    int32_t at, device;
    const struct operation *operation;
};

static struct visit visit(const struct longest_path *path, int32_t at)
{
    const struct operation *op = &path->order->operations[at];
    return (struct visit){at, pipeline_device(path->pipeline, op->direction, op->stage), op};
}

// Returns the time from the end of the sender to the arrival of its message.
static double delay_of(const struct longest_path *path, const struct visit *sender,
                       const struct visit *receiver)
{
    const struct pipeline_stage *stage = &path->pipeline->stage[sender->operation->stage];
    return pipeline_delay(path->pipeline, sender->device, receiver->device,
                          sender->operation->type == OPERATION_F ? stage->forward_bytes
                                                                 : stage->backward_bytes);
}

static bool is_first(const struct longest_path *path, const struct visit *v)
{
    return v->at == order_at(path->order, v->device, 0);
}

// Returns the operation whose end, plus the delay, is the start of an operation; -1: none.
static int32_t waits_for(const struct longest_path *path, const double *starts,
                         const double *ends, int32_t at)
{
    const struct visit v = visit(path, at);
    if (path->sender[at] >= 0) {
        const struct visit sender = visit(path, path->sender[at]);
        if (ends[sender.at] + delay_of(path, &sender, &v) == starts[at])
            return sender.at;
    }
    return !is_first(path, &v) && ends[at - 1] == starts[at] ? at - 1 : -1;
}

// Returns the first operation that ends last; -1: the order is empty.
static int32_t last_to_end(const struct longest_path *path, const double *ends)
{
    int32_t last = -1;
    for (int32_t d = 0; d < path->order->devices; d++) {
        if (path->order->n[d] == 0)
            continue;
        const int32_t first = (int32_t)order_at(path->order, d, 0);
        int32_t at = first + path->order->n[d] - 1;
        if (last >= 0 && ends[at] <= ends[last])
            continue;
        while (at > first && ends[at - 1] == ends[at])
            at--;
        last = at;
    }
    return last;
}

int32_t longest_path_critical(const struct longest_path *path, const double *starts,
                              const double *ends, int32_t *operations, int32_t room,
                              struct poll *poll)
{
    int32_t length = 0;
    // Operations of zero duration cannot form a cycle, as an operation comes after its inputs in the
    // sequence.
    for (int32_t at = last_to_end(path, ends); at >= 0; length++) {
        if (poll_over(poll))
            return -1;
        if (length < room)
            operations[length] = at;
        at = waits_for(path, starts, ends, at);
    }
    for (int32_t i = 0, j = (length < room ? length : room) - 1; i < j; i++, j--) {
        const int32_t swap = operations[i];
        operations[i] = operations[j];
        operations[j] = swap;
    }
    return length;
}

static double time_of(const struct longest_path *path, const struct operation *op)
{
    return operation_time(&path->pipeline->stage[op->stage], op->type);
}

bool longest_path_from(const struct longest_path *path, int32_t source, double *starts,
                       struct poll *poll)
{
    bool reached = false;
    for (int32_t k = 0; k < path->n; k++) {
        const struct visit v = visit(path, path->sequence[k]);
        double start = v.at == source ? 0 : -HUGE_VAL;
        if (poll_over(poll))
            return false;
        reached = reached || v.at == source;
        if (reached && !is_first(path, &v))
            start = fmax(start,
                         starts[v.at - 1] + time_of(path, &path->order->operations[v.at - 1]));
        if (reached && path->sender[v.at] >= 0) {
            const struct visit sender = visit(path, path->sender[v.at]);
            start = fmax(start, starts[sender.at] + time_of(path, sender.operation) +
                                    delay_of(path, &sender, &v));
        }
        starts[v.at] = start;
    }
    return true;
}
