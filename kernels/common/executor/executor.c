// SPDX-License-Identifier: Apache-2.0
// Executes an order of operations on a pipeline.
//
// Dependencies between operations of one device are checked once, by position (check_operations): a
// W follows its B, an R follows its F, slices follow each other. A B follows its F in any order that
// runs, since its gradient comes from a chain that begins with that F. What remains are messages: an F
// waits for the F of the stage before, a B for the B of the stage behind. The loop executes the first
// operations of the devices, and wakes a device when the message that it waits for is sent.
#include "kernels/common/executor/executor_private.h"

#include <math.h>
#include <string.h>

struct executor *executor_take(const struct pipeline_shape *most,
                               int32_t operations,
                               struct room *room)
{
    const size_t devices = (size_t)most->devices,
                 parts = (size_t)most->directions * (size_t)most->stages,
                 all = devices * (size_t)operations,
                 items = parts * (size_t)most->micro_batches * (size_t)most->slices;
    struct executor *executor = room_take(room, 1, sizeof *executor), counted;
    struct executor *e = executor != NULL ? executor : &counted;
    *e = (struct executor){.status = EXECUTOR_STOPPED};
    e->starts = room_take(room, all, sizeof(double));
    e->ends = room_take(room, all, sizeof(double));
    e->sequence = room_take(room, all, sizeof(int64_t));
    for (int k = 0; k < 2; k++) {
        e->input[k] = room_take(room, items, sizeof(double));
        e->route[k] = room_take(room, parts, sizeof(struct route));
    }
    e->seen = room_take(room, items, 1);
    e->free_at = room_take(room, devices * devices, sizeof(double));
    e->clock = room_take(room, devices, sizeof(double));
    e->position = room_take(room, devices, sizeof(int32_t));
    e->wanted = room_take(room, devices, sizeof(int64_t));
    e->awake = room_take(room, devices + 1, sizeof(int32_t));
    return executor;
}

// ---- messages -----------------------------------------------------------------------------------

static struct route route_of(const struct pipeline *p, int32_t from, int32_t to, double bytes)
{
    const int32_t resource = from == to || p->links.channels == PIPELINE_FREE ? -1
                             : p->links.channels == PIPELINE_CARDS
                                 ? from
                                 : from * p->shape.devices + to;
    const double occupation = pipeline_occupation(p, from, to, bytes);
    return (struct route){to, resource, occupation,
                          pipeline_delay(p, from, to, bytes) - occupation};
}

static void find_routes(struct executor *e)
{
    const struct pipeline *p = e->pipeline;
    const int32_t stages = p->shape.stages;
    for (int32_t part = 0; part < e->n_parts; part++) {
        const int32_t s = part % stages, here = p->device_of[part];
        e->route[0][part].receiver = e->route[1][part].receiver = -1;
        if (s + 1 < stages)
            e->route[0][part] =
                route_of(p, here, p->device_of[part + 1], p->stage[s].forward_bytes);
        if (s > 0)
            e->route[1][part] =
                route_of(p, here, p->device_of[part - 1], p->stage[s].backward_bytes);
    }
}

static double time_of(const struct pipeline *p, const struct operation *op)
{
    const struct pipeline_stage *stage = &p->stage[op->stage];
    switch ((enum operation_type)op->type) {
    case OPERATION_F:
        return stage->f;
    case OPERATION_B:
        return stage->b;
    case OPERATION_W:
        return stage->w;
    case OPERATION_BW:
        return stage->b + stage->w;
    case OPERATION_R:
        return stage->r;
    case OPERATION_TYPES:
        break;
    }
    return 0;
}

static void wake(struct executor *e, int32_t *n_awake, int64_t input, int32_t device)
{
    if (e->wanted[device] != input)
        return;
    e->wanted[device] = -1;
    e->awake[(*n_awake)++] = device;
}

// Sends the result of an operation that ends at `end`; delay: NAN: as the route says.
static void send(struct executor *e,
                 const struct operation *op,
                 double end,
                 double delay,
                 int32_t *n_awake)
{
    const int64_t at = executor_index(e, op);
    const bool forward = op->type == OPERATION_F;
    if (forward && op->stage + 1 == e->pipeline->shape.stages) {
        e->input[1][at] = end; // the loss: its backward may begin
        wake(e, n_awake, at * 2 + 1, pipeline_device(e->pipeline, op->direction, op->stage));
        return;
    }
    if (!forward && op->type != OPERATION_B && op->type != OPERATION_BW)
        return;
    struct route *route = &e->route[!forward][executor_part(e, op)];
    if (route->receiver < 0)
        return;
    double sent = end;
    if (route->resource >= 0) {
        double *free_at = &e->free_at[route->resource];
        sent = sent > *free_at ? sent : *free_at;
        *free_at = sent + route->occupation;
    }
    const double arrival =
        isnan(delay) ? sent + (route->occupation + route->latency) : end + delay;
    const int64_t to = forward ? at + e->n_items : at - e->n_items;
    e->input[!forward][to] = arrival;
    wake(e, n_awake, to * 2 + !forward, route->receiver);
}

// Returns the time at which the input of an operation has arrived; negative: not sent yet.
static double ready_at(struct executor *e, const struct operation *op, int32_t device)
{
    const bool forward = op->type == OPERATION_F;
    if ((forward && op->stage == 0) || op->type == OPERATION_W || op->type == OPERATION_R)
        return 0;
    const int64_t at = executor_index(e, op);
    const double arrival = e->input[!forward][at];
    if (arrival < 0)
        e->wanted[device] = at * 2 + !forward;
    return arrival;
}

// ---- execution ----------------------------------------------------------------------------------

struct times {
    const double *durations, *delays; // [order_at]; or NULL
};

// Executes a device until its next operation waits.
static void advance(struct executor *e, int32_t d, const struct times *times, int32_t *n_awake)
{
    const struct order *order = e->order;
    while (e->position[d] < order->n[d]) {
        const int64_t at = order_at(order, d, e->position[d]);
        const struct operation *op = &order->operations[at];
        const int n = order->paired[at] ? 2 : 1;
        double start = ready_at(e, op, d);
        if (start >= 0 && n == 2) {
            const double other = ready_at(e, op + 1, d);
            start = other < 0 || other > start ? other : start;
        }
        if (start < 0)
            return;
        start = start > e->clock[d] ? start : e->clock[d];
        double duration =
            n == 2 && !isnan(e->pipeline->pair[d])
                ? e->pipeline->pair[d]
                : time_of(e->pipeline, op) + (n == 2 ? time_of(e->pipeline, op + 1) : 0);
        if (times->durations != NULL)
            duration = times->durations[at];
        const double end = start + duration;
        for (int k = 0; k < n; k++) {
            e->starts[at + k] = start;
            e->ends[at + k] = end;
            send(e, op + k, end, times->delays != NULL ? times->delays[at + k] : (double)NAN,
                 n_awake);
        }
        e->sequence[e->n_sequence++] = at;
        e->clock[d] = end;
        e->position[d] += n;
    }
}

static void reset(struct executor *e)
{
    const size_t inputs = (size_t)e->n_parts * (size_t)e->n_items;
    const int32_t devices = e->order->devices;
    for (size_t i = 0; i < inputs; i++)
        e->input[0][i] = e->input[1][i] = -1;
    memset(e->free_at, 0, (size_t)devices * (size_t)devices * sizeof *e->free_at);
    e->n_sequence = 0;
    for (int32_t d = 0; d < devices; d++) {
        e->clock[d] = e->release != NULL ? e->release[d] : 0;
        e->position[d] = 0;
        e->wanted[d] = -1;
        e->awake[d] = devices - 1 - d;
    }
}

static void finish(struct executor *e)
{
    e->makespan = e->span = 0;
    for (int32_t d = 0; d < e->order->devices; d++) {
        if (e->order->n[d] == 0)
            continue;
        const double first = e->starts[order_at(e->order, d, 0)], last = e->clock[d];
        e->makespan = last > e->makespan ? last : e->makespan;
        e->span = last - first > e->span ? last - first : e->span;
    }
}

static enum executor_status execute(struct executor *e, const struct times *times)
{
    int32_t n_awake = e->order->devices;
    bool complete = true;
    reset(e);
    while (n_awake > 0) {
        const int32_t d = e->awake[--n_awake], before = e->position[d];
        advance(e, d, times, &n_awake);
        if (poll_over_after(e->poll, (uint64_t)(e->position[d] - before)))
            return EXECUTOR_STOPPED;
    }
    for (int32_t d = 0; d < e->order->devices; d++)
        complete = complete && e->position[d] == e->order->n[d];
    if (!complete || e->broken_on_device)
        return EXECUTOR_DEADLOCK;
    finish(e);
    return EXECUTOR_DONE;
}

enum executor_status executor_run(struct executor *executor,
                                  const struct pipeline *pipeline,
                                  const struct order *order,
                                  const double *release,
                                  struct poll *poll)
{
    struct executor *e = executor;
    e->pipeline = pipeline;
    e->order = order;
    e->release = release;
    e->poll = poll;
    e->n_parts = pipeline->shape.directions * pipeline->shape.stages;
    e->n_items = pipeline_items(pipeline);
    if (!executor_check(e, NULL))
        return e->status = EXECUTOR_WRONG_OPERATIONS;
    find_routes(e);
    return e->status = execute(e, &(struct times){NULL, NULL});
}

void executor_run_again(struct executor *executor,
                        const double *durations,
                        const double *delays)
{
    (void)execute(executor, &(struct times){durations, delays});
}

enum executor_status executor_run_changed(struct executor *executor,
                                          int32_t device,
                                          int32_t position)
{
    (void)device;
    (void)position;
    return executor_run(executor, executor->pipeline, executor->order, executor->release,
                        executor->poll);
}

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
