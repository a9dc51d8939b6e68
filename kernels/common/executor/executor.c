// SPDX-License-Identifier: Apache-2.0
// Executes an order of operations on a pipeline.
//
// A device executes its operations until one waits for a message; the message wakes the device. Each
// operation waits for at most one message: an F for the F of the stage before, a B for the B of the stage
// behind, the last B for its own F. Other inputs come from the same device: `seen` tells whether they ran.
// In the same pass the operations are counted. If all ran and the counts are right, the set of operations
// was right, too; otherwise executor_check looks for the reason.
#include "kernels/common/executor/executor_lanes.h"
#include "kernels/common/executor/executor_private.h"

#include <assert.h>
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
    *e = (struct executor){.room = operations};
    e->starts = room_take(room, all, sizeof *e->starts);
    e->ends = room_take(room, all, sizeof *e->ends);
    e->input = room_take(room, 2 * items + 2, sizeof *e->input);
    e->seen = room_take(room, items, 1);
    e->part = room_take(room, parts, sizeof *e->part);
    e->free_at = room_take(room, devices * devices, sizeof *e->free_at);
    e->clock = room_take(room, devices, sizeof *e->clock);
    e->position = room_take(room, devices, sizeof *e->position);
    e->wanted = room_take(room, devices, sizeof *e->wanted);
    e->awake = room_take(room, devices + 1, sizeof *e->awake);
    e->step = room_take(room, all + 2, sizeof *e->step);
    e->step_of = room_take(room, all, sizeof *e->step_of);
    return executor;
}

// ---- preparation --------------------------------------------------------------------------------

static struct route route_of(const struct executor *e, int32_t part, int32_t to, double bytes)
{
    const struct pipeline *p = e->pipeline;
    const int32_t from = p->device_of[part], receiver = p->device_of[to];
    const bool is_free = from == receiver || p->links.channels == PIPELINE_FREE;
    const int32_t card = from, link = from * p->shape.devices + receiver;
    const double delay = pipeline_delay(p, from, receiver, bytes);
    return (struct route){.receiver = receiver,
                          .resource = is_free                               ? -1
                                      : p->links.channels == PIPELINE_CARDS ? card
                                                                            : link,
                          .step = (int64_t)(to - part) * e->n_items,
                          .occupation = pipeline_occupation(p, from, receiver, bytes),
                          .delay = delay};
}

static void find_parts(struct executor *e)
{
    const struct pipeline *p = e->pipeline;
    const int32_t stages = p->shape.stages;
    for (int32_t k = 0; k < e->n_parts; k++) {
        const int32_t s = k % stages;
        const struct pipeline_stage *stage = &p->stage[s];
        struct part *part = &e->part[k];
        *part =
            (struct part){.time = {stage->f, stage->b, stage->w, stage->b + stage->w, stage->r},
                          .route = {{.receiver = -1}, {.receiver = -1}},
                          .device = p->device_of[k]};
        if (s + 1 < stages)
            part->route[0] = route_of(e, k, k + 1, stage->forward_bytes);
        else // the loss: the backward of this stage may begin
            part->route[0] = (struct route){.receiver = part->device,
                                            .resource = -1,
                                            .step = (int64_t)e->n_parts * e->n_items};
        if (s > 0)
            part->route[1] = route_of(e, k, k - 1, stage->backward_bytes);
    }
}

static void reset(struct executor *e)
{
    const int32_t n = e->n_parts * e->n_items, stages = e->pipeline->shape.stages,
                  devices = e->order->devices;
    e->no_input = 2 * n;
    e->no_output = 2 * n + 1;
    e->n_steps = 0;
    e->done = 0;
    memset(e->seen, 0, (size_t)n);
    for (int32_t i = 0; i < 2 * n; i++)
        e->input[i] = -1;
    for (int32_t k = 0; k < e->n_parts; k += stages) // the input of the model is there
        for (int32_t i = 0; i < e->n_items; i++)
            e->input[k * e->n_items + i] = 0;
    e->input[e->no_input] = 0;
    if (e->pipeline->links.channels != PIPELINE_FREE)
        memset(e->free_at, 0, (size_t)devices * (size_t)devices * sizeof *e->free_at);
    for (int32_t d = 0; d < devices; d++) {
        e->clock[d] = e->release != NULL ? e->release[d] : 0;
        e->position[d] = 0;
    }
}

// ---- execution ----------------------------------------------------------------------------------

struct work {
    const double *durations, *delays;   // [order_at]; or NULL
    const struct executor_times *times; // instead of durations and delays; or NULL
    int lane;                           // of `times`
    int32_t n_awake;
};

// Returns the duration of a step, or of a unit that begins with the step, other than that of the pipeline.
static double own_duration(const struct executor *e,
                           const struct work *work,
                           const struct step *step,
                           bool unit,
                           double start)
{
    const struct executor_piece piece = {.type = (enum operation_type)step->type,
                                         .device = step->device,
                                         .index = step->index,
                                         .behind = unit ? step[1].index : -1,
                                         .lane = work->lane,
                                         .start = start};
    return work->times == NULL ? work->durations[step->at]
                               : executor_times_duration(work->times, e->pipeline, &piece);
}

// The time of a message of a step.
struct message {
    double delay, occupation;
    bool queues; // for the resource of its route
};

static struct message message_of(const struct work *work,
                                 const struct step *step,
                                 const struct route *route,
                                 bool backward)
{
    if (work->delays != NULL)
        return (struct message){work->delays[step->at], 0, false};
    if (work->times == NULL)
        return (struct message){route->delay, route->occupation, route->resource >= 0};
    const double delay =
        work->times->delay[backward][(int64_t)step->index * EXECUTOR_LANES + work->lane];
    return (struct message){delay,
                            route->delay > 0 ? route->occupation * (delay / route->delay) : 0,
                            route->resource >= 0};
}

// Sends the result of a step, which ends at `end`.
static inline void send(struct executor *e,
                        const struct part *part,
                        struct step *step,
                        double end,
                        struct work *work)
{
    const bool backward = executor_types[step->type].backward;
    const struct route *route = &part->route[backward];
    step->output = e->no_output;
    step->delay = 0;
    if (executor_types[step->type].local || route->receiver < 0)
        return;
    const struct message message = message_of(work, step, route, backward);
    if (message.queues) {
        double *free_at = &e->free_at[route->resource];
        end = end > *free_at ? end : *free_at;
        *free_at = end + message.occupation;
    }
    step->output =
        (int32_t)(step->index + route->step) + (backward ? e->n_parts * e->n_items : 0);
    step->delay = message.delay;
    e->input[step->output] = end + message.delay;
    if (e->wanted[route->receiver] == step->output) {
        e->wanted[route->receiver] = -1;
        e->awake[work->n_awake++] = route->receiver;
    }
}

// Prepares the step of an operation. Returns NULL if the operation may not run now, as far as its device
// is concerned: it does not belong here, it is not new, or an input of this device has not run.
static inline const struct part *prepare(const struct executor *e,
                                         int32_t at,
                                         int32_t d,
                                         struct step *step)
{
    const struct operation *op = &e->order->operations[at];
    if (!executor_is_here(e, op, d))
        return NULL;
    const int32_t part = op->direction * e->pipeline->shape.stages + op->stage,
                  index = part * e->n_items + op->item;
    const unsigned seen = e->seen[index];
    if ((seen & executor_types[op->type].excluded) != 0 ||
        (seen & executor_types[op->type].needed) != executor_types[op->type].needed ||
        (e->pipeline->shape.slices > 1 && executor_lacks_slice(e, op, index)))
        return NULL;
    step->at = at;
    step->device = d;
    step->index = index;
    step->type = op->type;
    step->input =
        executor_types[op->type].local
            ? e->no_input
            : index + (executor_types[op->type].backward ? e->n_parts * e->n_items : 0);
    return &e->part[part];
}

// Ends a step: its message is sent.
static inline void finish_step(struct executor *e,
                               const struct part *part,
                               struct step *step,
                               double start,
                               double end,
                               struct work *work)
{
    const int32_t at = step->at;
    e->starts[at] = start;
    e->ends[at] = end;
    send(e, part, step, end, work);
    e->seen[step->index] |= (uint8_t)(1u << step->type);
    e->done += executor_types[step->type].done;
    e->step_of[at] = e->n_steps++;
}

// Runs a forward and the backward behind it as one unit. Returns whether it could run.
static bool run_unit(struct executor *e, int32_t d, int32_t at, struct work *work)
{
    struct step *step = &e->step[e->n_steps];
    const struct part *part[2];
    double start = e->clock[d], duration = e->pipeline->pair[d];
    if (!executor_is_pair(e->order, d, e->position[d]))
        return false;
    for (int k = 0; k < 2; k++) {
        part[k] = prepare(e, at + k, d, &step[k]);
        if (part[k] == NULL)
            return false;
        if (e->input[step[k].input] < 0) {
            e->wanted[d] = step[k].input;
            return false;
        }
        start = fmax(start, e->input[step[k].input]);
    }
    if (isnan(duration))
        duration = part[0]->time[OPERATION_F] + part[1]->time[OPERATION_BW];
    if (work->durations != NULL || work->times != NULL)
        duration = own_duration(e, work, step, true, start);
    for (int k = 0; k < 2; k++)
        finish_step(e, part[k], &step[k], start, start + duration, work);
    step[0].at = ~at;
    e->clock[d] = start + duration;
    e->position[d] += 2;
    return true;
}

// Executes a device until its next operation waits.
static void advance(struct executor *e, int32_t d, struct work *work)
{
    const struct order *order = e->order;
    while (e->position[d] < order->n[d]) {
        const int32_t at = (int32_t)order_at(order, d, e->position[d]);
        struct step *step = &e->step[e->n_steps];
        if (order->paired[at]) {
            if (!run_unit(e, d, at, work))
                return;
            continue;
        }
        const struct part *part = prepare(e, at, d, step);
        if (part == NULL)
            return;
        const double ready = e->input[step->input];
        if (ready < 0) {
            e->wanted[d] = step->input;
            return;
        }
        const double start = ready > e->clock[d] ? ready : e->clock[d],
                     end = start + (work->durations != NULL || work->times != NULL
                                        ? own_duration(e, work, step, false, start)
                                        : part->time[step->type]);
        e->clock[d] = end;
        e->position[d]++;
        finish_step(e, part, step, start, end, work);
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

static bool is_complete(const struct executor *e)
{
    const uint64_t all = (uint64_t)e->pipeline->shape.stages * (uint64_t)e->n_items;
    for (int32_t d = 0; d < e->order->devices; d++)
        if (e->position[d] < e->order->n[d])
            return false;
    return e->done == (all << 32 | all * 2);
}

// Executes all devices from their positions on. EXECUTOR_DEADLOCK: some operation did not run.
static enum executor_status execute(struct executor *e, struct work work)
{
    work.n_awake = e->order->devices;
    for (int32_t d = 0; d < e->order->devices; d++) {
        e->wanted[d] = -1;
        e->awake[d] = e->order->devices - 1 - d;
    }
    while (work.n_awake > 0) {
        const int32_t d = e->awake[--work.n_awake], before = e->n_steps;
        advance(e, d, &work);
        if (poll_over_after(e->poll, (uint64_t)(e->n_steps - before)))
            return EXECUTOR_STOPPED;
    }
    if (!is_complete(e))
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
    assert(order->room <= e->room);
    e->pipeline = pipeline;
    e->order = order;
    e->release = release;
    e->poll = poll;
    e->n_parts = pipeline->shape.directions * pipeline->shape.stages;
    e->n_items = pipeline_items(pipeline);
    find_parts(e);
    reset(e);
    const enum executor_status status = execute(e, (struct work){.lane = 0});
    return status == EXECUTOR_DEADLOCK && !executor_check(e, NULL) ? EXECUTOR_WRONG_OPERATIONS
                                                                   : status;
}

// ---- again --------------------------------------------------------------------------------------

// Executes the steps in the order of the last run: every input is there before it is read.
static void repeat(struct executor *e, const double *durations, const double *delays)
{
    double *restrict input = e->input, *restrict clock = e->clock;
    for (int32_t i = 0; i < e->n_steps; i++) {
        const struct step *step = &e->step[i];
        const int32_t d = step->device, at = step->at < 0 ? ~step->at : step->at;
        double start = input[step->input] > clock[d] ? input[step->input] : clock[d];
        if (step->at < 0) // a unit
            start = input[step[1].input] > start ? input[step[1].input] : start;
        const double end = start + durations[at];
        e->starts[at] = start;
        e->ends[at] = end;
        clock[d] = end;
        input[step->output] = end + (delays != NULL ? delays[at] : step->delay);
        if (step->at >= 0)
            continue;
        i++;
        e->starts[at + 1] = start;
        e->ends[at + 1] = end;
        input[step[1].output] = end + (delays != NULL ? delays[at + 1] : step[1].delay);
    }
}

void executor_run_again(struct executor *executor,
                        const double *durations,
                        const double *delays)
{
    struct executor *e = executor;
    if (delays == NULL && e->pipeline->links.channels != PIPELINE_FREE) {
        reset(e); // channels serve messages in the order of time
        (void)execute(e, (struct work){.durations = durations});
        return;
    }
    for (int32_t d = 0; d < e->order->devices; d++)
        e->clock[d] = e->release != NULL ? e->release[d] : 0;
    repeat(e, durations, delays);
    finish(e);
}

void executor_run_lane(struct executor *e, const struct executor_times *times, int lane)
{
    reset(e);
    (void)execute(e, (struct work){.times = times, .lane = lane});
}

// ---- changes ------------------------------------------------------------------------------------

// Takes back all steps from number `first` on. The operations of the order may have changed since.
static void take_back(struct executor *e, int32_t first)
{
    for (int32_t i = e->n_steps - 1; i >= first; i--) {
        const struct step *step = &e->step[i];
        e->seen[step->index] &= (uint8_t) ~(1u << step->type);
        e->done -= executor_types[step->type].done;
        e->input[step->output] = -1;
        e->position[step->device]--;
    }
    e->n_steps = first;
    for (int32_t d = 0; d < e->order->devices; d++) {
        const int32_t n = e->position[d];
        e->clock[d] = n > 0                ? e->ends[order_at(e->order, d, n - 1)]
                      : e->release != NULL ? e->release[d]
                                           : 0;
    }
}

enum executor_status executor_run_changed(struct executor *executor,
                                          int32_t device,
                                          int32_t position)
{
    struct executor *e = executor;
    if (e->pipeline->links.channels != PIPELINE_FREE) { // the state of channels is not kept
        reset(e);
        return execute(e, (struct work){.lane = 0});
    }
    if (position < e->position[device]) {
        int32_t first = e->step_of[order_at(e->order, device, position)];
        if (first > 0 && e->step[first - 1].at < 0)
            first--; // the position was the second part of a unit
        take_back(e, first);
    }
    return execute(e, (struct work){.lane = 0});
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
