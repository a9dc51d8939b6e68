// SPDX-License-Identifier: Apache-2.0
// Prepares an order for the loops of rules that move W: lists of tasks and W's, with their messages.
#include "kernels/schedule/online/pull_private.h"

struct pull *pull_take(const struct pipeline_shape *most, int32_t operations, struct room *room)
{
    const size_t devices = (size_t)most->devices,
                 all = devices * (size_t)order_stride(operations),
                 items = (size_t)most->directions * (size_t)most->stages *
                         (size_t)most->micro_batches * (size_t)most->slices;
    struct pull *pull = room_take(room, 1, sizeof *pull), counted;
    struct pull *e = pull != NULL ? pull : &counted;
    e->task = room_take(room, all, sizeof *e->task);
    e->weight = room_take(room, all, sizeof *e->weight);
    e->message = room_take(room, 2 * items + PULL_NO_MESSAGES, sizeof *e->message);
    e->device = room_take(room, devices, sizeof *e->device);
    e->awake = room_take(room, devices + 1, sizeof *e->awake);
    channels_take(&e->channels, most->devices, room);
    earliest_take(&e->earliest, most->devices, room);
    return pull;
}

const char *pull_misfit(const struct pipeline *pipeline, const struct order *order)
{
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            if (order->paired[order_at(order, d, i)])
                return "needs an order without overlapped pairs";
    return NULL;
}

// Sets what an F, B or BW receives.
static void set_input(const struct pull *e, const struct operation *op, struct pull_task *task)
{
    const struct pipeline *p = e->pipeline;
    const bool forward = op->type == OPERATION_F;
    const int32_t from = forward ? op->stage - 1 : op->stage + 1;
    if (from < 0)
        return;
    task->input = PULL_NO_MESSAGES + (forward ? 0 : e->n_messages / 2) + task->index;
    if (from == p->shape.stages) // the loss
        return;
    const struct pipeline_stage *stage = &p->stage[from];
    const int32_t sender = pipeline_device(p, op->direction, from),
                  device = pipeline_device(p, op->direction, op->stage);
    task->sender = (int16_t)sender;
    task->expected = forward                    ? stage->f
                     : op->type == OPERATION_BW ? stage->b + stage->w
                                                : stage->b;
    task->expected += pipeline_delay(p, sender, device,
                                     forward ? stage->forward_bytes : stage->backward_bytes);
}

// Sets what an F, B or BW sends.
static void set_output(const struct pull *e, const struct operation *op, struct pull_task *task)
{
    const struct pipeline *p = e->pipeline;
    const bool forward = op->type == OPERATION_F;
    const int32_t to = forward ? op->stage + 1 : op->stage - 1, half = e->n_messages / 2,
                  device = pipeline_device(p, op->direction, op->stage);
    if (to < 0)
        return;
    if (to == p->shape.stages) { // the loss
        task->output = PULL_NO_MESSAGES + half + task->index;
        return;
    }
    const int32_t receiver = pipeline_device(p, op->direction, to);
    task->output =
        PULL_NO_MESSAGES + (forward ? 0 : half) + task->index + (to - op->stage) * e->items;
    task->receiver = (int16_t)(receiver == device ? -1 : receiver);
}

static int32_t index_of(const struct pull *e, const struct operation *op)
{
    return (op->direction * e->pipeline->shape.stages + op->stage) * e->items + op->item;
}

static struct pull_task task_of(const struct pull *e, int32_t d, const struct operation *op)
{
    const struct pipeline_stage *stage = &e->pipeline->stage[op->stage];
    const double b = stage->kept_until_b, w = stage->kept_until_w;
    struct pull_task task = {.index = index_of(e, op),
                             .input = PULL_NO_INPUT,
                             .output = PULL_NO_OUTPUT,
                             .receiver = -1,
                             .sender = (int16_t)d,
                             .type = op->type};
    if (op->type == OPERATION_R)
        return task;
    task.memory = op->type == OPERATION_B ? b : b + w;
    set_input(e, op, &task);
    set_output(e, op, &task);
    return task;
}

// Lists the tasks and the W's of a device.
static void list(struct pull *e, const struct order *order, int32_t d)
{
    struct pull_task *tasks = &e->task[order_at(order, d, 0)];
    struct pull_weight *weights = &e->weight[order_at(order, d, 0)];
    int32_t n_tasks = 0, n_weights = 0;
    for (int32_t i = 0; i < order->n[d]; i++) {
        const struct operation *op = &order->operations[order_at(order, d, i)];
        const struct pipeline_stage *stage = &e->pipeline->stage[op->stage];
        if (op->type == OPERATION_W) {
            weights[n_weights++] = (struct pull_weight){.index = index_of(e, op),
                                                        .time = stage->w,
                                                        .memory = stage->kept_until_w};
            continue;
        }
        struct pull_task *task = &tasks[n_tasks++];
        *task = task_of(e, d, op);
        task->before = n_weights;
    }
    e->device[d] = (struct pull_device){.tasks = tasks,
                                        .weights = weights,
                                        .n_tasks = n_tasks,
                                        .n_weights = n_weights};
}

// Finds the B of every W of a device. Before a step, messages are free to hold the positions.
static void find_backwards(struct pull *e, const struct pull_device *device)
{
    struct pull_weight *weights = &e->weight[device->weights - e->weight];
    struct pull_message *position = &e->message[PULL_NO_MESSAGES];
    for (int32_t i = 0; i < device->n_tasks; i++)
        if (device->tasks[i].type == OPERATION_B)
            position[device->tasks[i].index].started = i + 1;
    for (int32_t i = 0; i < device->n_weights; i++)
        weights[i].before = (int32_t)position[weights[i].index].started;
}

void pull_open(struct pull *pull, const struct pipeline *pipeline, const struct order *order)
{
    struct pull *e = pull;
    e->pipeline = pipeline;
    e->items = pipeline_items(pipeline);
    e->n_messages = 2 * pipeline->shape.directions * pipeline->shape.stages * e->items;
    e->channels.pipeline = pipeline;
    e->has_channels = !channels_are_free(&e->channels);
    e->in_order = false;
    for (int32_t s = 0; s < pipeline->shape.stages; s++)
        e->in_order = e->in_order || !(pipeline->stage[s].f > 0 && pipeline->stage[s].b > 0);
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        const double limit = pipeline->limit[d],
                     least = isinf(limit) ? order_peak(pipeline, order, d) : limit;
        list(e, order, d);
        e->device[d].room = least + 1e-9 * fabs(least);
        find_backwards(e, &e->device[d]);
    }
}
