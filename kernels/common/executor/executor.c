// SPDX-License-Identifier: Apache-2.0
// Prepares executions, and executes a changed order from the change on.
#include "kernels/common/executor/executor_private.h"

#include <assert.h>
#include <string.h>

struct executor *executor_take(const struct pipeline_shape *most, int32_t operations,
                               struct room *room)
{
    const size_t devices = (size_t)most->devices,
                 parts = (size_t)most->directions * (size_t)most->stages,
                 all = devices * (size_t)order_stride(operations),
                 items = parts * (size_t)order_stride(most->micro_batches * most->slices);
    struct executor *executor = room_take(room, 1, sizeof *executor), counted;
    struct executor *e = executor != NULL ? executor : &counted;
    *e = (struct executor){.room = order_stride(operations)};
    e->starts = room_take(room, all, sizeof *e->starts);
    e->ends = room_take(room, all, sizeof *e->ends);
    e->input = room_take(room, 2 * items + 1, sizeof *e->input);
    e->seen = room_take(room, items, 1);
    e->task = room_take(room, parts * OPERATION_TYPES, sizeof *e->task);
    e->from_times = room_take(room, parts * OPERATION_TYPES, sizeof *e->from_times);
    e->channel = room_take(room, parts * 2, sizeof *e->channel);
    e->free_at = room_take(room, devices * devices, sizeof *e->free_at);
    e->clock = room_take(room, devices, sizeof *e->clock);
    e->next = room_take(room, devices, sizeof *e->next);
    e->position = room_take(room, devices, sizeof *e->position);
    e->wanted = room_take(room, devices + 1, sizeof *e->wanted);
    e->awake = room_take(room, devices + 1, sizeof *e->awake);
    e->step = room_take(room, all + 2, sizeof *e->step);
    return executor;
}

// ---- preparation --------------------------------------------------------------------------------

// Finds where the result of a task goes. to: part of the receiver.
static void set_route(struct executor *e, int32_t part, int32_t to, struct task *task)
{
    const struct pipeline *p = e->pipeline;
    const bool backward = executor_types[task->type].backward;
    const struct pipeline_stage *stage = &p->stage[part % p->shape.stages];
    const double bytes = backward ? stage->backward_bytes : stage->forward_bytes;
    const int32_t from = p->device_of[part], receiver = p->device_of[to],
                  link = from * p->shape.devices + receiver;
    const bool is_free = from == receiver || p->links.channels == PIPELINE_FREE;
    task->receiver = (int16_t)receiver;
    task->output = (to - part) * e->stride + (backward ? e->n_parts * e->stride : 0);
    task->delay = pipeline_delay(p, from, receiver, bytes);
    e->channel[part * 2 + backward] =
        (struct channel){.resource = is_free                               ? -1
                                     : p->links.channels == PIPELINE_CARDS ? from
                                                                           : link,
                         .occupation = pipeline_occupation(p, from, receiver, bytes)};
}

static void set_task(struct executor *e, int32_t part, int type)
{
    const struct pipeline *p = e->pipeline;
    const struct executor_type *t = &executor_types[type];
    const int32_t n = e->n_parts * e->stride, stage = part % p->shape.stages;
    struct task *task = &e->task[part * OPERATION_TYPES + type];
    *task = (struct task){.time = operation_time(&p->stage[stage], type),
                          .input = t->backward || type == OPERATION_W ? n : 0,
                          .output = -1,
                          .device = (int16_t)p->device_of[part],
                          .receiver = (int16_t)p->shape.devices,
                          .type = (uint8_t)type,
                          .bit = (uint8_t)(1u << type),
                          .relevant = t->excluded | t->needed,
                          .needed = t->needed};
    e->from_times[part * OPERATION_TYPES + type] =
        task->input + part * (e->stride - e->n_items);
    if (t->local)
        return;
    if (!t->backward && stage + 1 == p->shape.stages) { // the loss: the backward may begin
        task->receiver = task->device;
        task->output = n;
        e->channel[part * 2] = (struct channel){.resource = -1};
    } else if (!t->backward || stage > 0) {
        set_route(e, part, t->backward ? part - 1 : part + 1, task);
    }
}

void executor_reset(struct executor *e)
{
    const int32_t n = e->n_parts * e->stride, stages = e->pipeline->shape.stages,
                  devices = e->order->devices;
    e->no_output = 2 * n;
    e->n_steps = 0;
    e->done = 0;
    memset(e->seen, 0, (size_t)n);
    for (int32_t i = 0; i < 2 * n; i++)
        e->input[i] = -1;
    for (int32_t k = 0; k < e->n_parts; k += stages) // the input of the model is there
        for (int32_t i = 0; i < e->n_items; i++)
            e->input[k * e->stride + i] = 0;
    if (e->pipeline->links.channels != PIPELINE_FREE)
        memset(e->free_at, 0, (size_t)devices * (size_t)devices * sizeof *e->free_at);
    for (int32_t d = 0; d < devices; d++) {
        e->clock[d] = e->release != NULL ? e->release[d] : 0;
        e->position[d] = 0;
    }
}

void executor_prepare(struct executor *e, const struct pipeline *pipeline,
                      const struct order *order, const double *release, struct poll *poll)
{
    assert(order->room <= e->room);
    e->pipeline = pipeline;
    e->order = order;
    e->release = release;
    e->poll = poll;
    e->messages = NULL;
    e->n_parts = pipeline->shape.directions * pipeline->shape.stages;
    e->n_items = pipeline_items(pipeline);
    e->stride = order_stride(e->n_items);
    for (int32_t part = 0; part < e->n_parts; part++)
        for (int type = 0; type < OPERATION_TYPES; type++)
            set_task(e, part, type);
    executor_reset(e);
}

enum executor_status executor_run(struct executor *executor, const struct pipeline *pipeline,
                                  const struct order *order, const double *release,
                                  struct poll *poll)
{
    struct executor *e = executor;
    executor_prepare(e, pipeline, order, release, poll);
    const enum executor_status status = executor_execute(e, NULL);
    return status == EXECUTOR_DEADLOCK && !executor_check(e, NULL) ? EXECUTOR_WRONG_OPERATIONS
                                                                   : status;
}

// ---- results ------------------------------------------------------------------------------------

const double *executor_starts(const struct executor *executor)
{
    return executor->starts;
}

const double *executor_ends(const struct executor *executor)
{
    return executor->ends;
}

double executor_makespan(const struct executor *executor)
{
    return executor->makespan;
}

double executor_span(const struct executor *executor)
{
    return executor->span;
}
