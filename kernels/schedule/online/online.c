// SPDX-License-Identifier: Apache-2.0
// Runs one training step in which every device decides what to do next while the step runs.
//
// `wake` holds the moment at which each device can decide next: the end of its operation, or the next
// arrival if it waits. The earliest device decides. All that a device can know at that moment has happened
// before, because operations and messages start in the order of time.
#include "kernels/schedule/online/online_private.h"

#include <assert.h>
#include <string.h>

struct online *online_take(const struct pipeline_shape *most, int32_t operations,
                           struct room *room)
{
    const size_t devices = (size_t)most->devices, stages = (size_t)most->stages,
                 items = stages * (size_t)most->micro_batches * (size_t)most->slices,
                 all = devices * (size_t)order_stride(operations);
    struct online *online = room_take(room, 1, sizeof *online), counted;
    struct online *e = online != NULL ? online : &counted;
    e->stage = room_take(room, stages, sizeof *e->stage);
    e->stages = room_take(room, stages, sizeof *e->stages);
    e->first = room_take(room, devices + 1, sizeof *e->first);
    e->device = room_take(room, devices, sizeof *e->device);
    e->room = room_take(room, devices, sizeof *e->room);
    e->running = room_take(room, devices, sizeof *e->running);
    for (int k = 0; k < 2; k++)
        e->input[k] = room_take(room, items, sizeof *e->input[k]);
    channels_take(&e->channels, most->devices, room);
    earliest_take(&e->wake, most->devices, room);
    e->candidate = room_take(room, 3 * stages + 1, sizeof *e->candidate);
    e->executor = executor_take(most, operations, room);
    for (int k = 0; k < 3; k++)
        e->position[k] = room_take(room, items, sizeof *e->position[k]);
    e->is_started = room_take(room, all, 1);
    e->tails = room_take(room, all, sizeof *e->tails);
    order_take(&e->order, most->devices, operations, room);
    e->own_starts = room_take(room, all, sizeof *e->own_starts);
    e->own_ends = room_take(room, all, sizeof *e->own_ends);
    return online;
}

// ---- a problem ----------------------------------------------------------------------------------

static double delay_to(const struct pipeline *p, int32_t stage, int32_t to, double bytes)
{
    if (to < 0 || to >= p->shape.stages)
        return 0;
    return pipeline_delay(p, pipeline_device(p, 0, stage), pipeline_device(p, 0, to), bytes);
}

static void find_stages(struct online *e)
{
    const struct pipeline *p = e->pipeline;
    int32_t n = 0;
    for (int32_t d = 0; d < p->shape.devices; d++) {
        e->first[d] = n;
        for (int32_t s = 0; s < p->shape.stages; s++) {
            const struct pipeline_stage *of = &p->stage[s];
            if (pipeline_device(p, 0, s) != d)
                continue;
            e->stage[s] = (struct online_stage){
                .device = d,
                .chunk = n - e->first[d],
                .kept = of->kept_until_b + of->kept_until_w,
                .freed = {0, of->kept_until_b, of->kept_until_w},
                .time = {of->f, of->b, of->w},
                .bytes = {of->forward_bytes, of->backward_bytes},
                .delay = {delay_to(p, s, s + 1, of->forward_bytes),
                          delay_to(p, s, s - 1, of->backward_bytes)},
            };
            e->stages[n++] = s;
        }
    }
    e->first[p->shape.devices] = n;
}

// Sets the figures of a device that replicates do not change.
static void open_device(struct online *e, int32_t d)
{
    const double limit = e->pipeline->limit[d], fixed = e->pipeline->fixed[d],
                 least = isinf(limit) ? order_peak(e->pipeline, e->reference, d) : limit;
    const int32_t chunks = e->first[d + 1] - e->first[d];
    double kept = 0;
    for (int32_t i = e->first[d]; i < e->first[d + 1]; i++)
        kept += e->stage[e->stages[i]].kept / chunks;
    const double forwards = kept > 0 ? (least - fixed) / kept + 1e-9 : (double)INFINITY;
    e->room[d] = least + 1e-9 * fabs(least);
    e->now = 0;
    e->running[d] = (struct online_running){.counted = true};
    e->device[d] = (struct online_device){
        .limit = least,
        .n_chunks = chunks,
        .n = e->reference->n[d],
        .cap = forwards < chunks * e->items ? (int32_t)forwards : chunks * e->items,
    };
}

void online_open(struct online *online, const struct pipeline *pipeline,
                 const struct order *reference)
{
    struct online *e = online;
    e->pipeline = pipeline;
    e->reference = reference;
    e->channels.pipeline = pipeline;
    e->items = pipeline_items(pipeline);
    e->let_wait = false;
    e->order.devices = reference->devices;
    find_stages(e);
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        open_device(e, d);
    online_find_reference(e);
}

void online_let_wait(struct online *online, bool always)
{
    online->let_wait = always;
}

// Advances the positions of the device to operations that have not started.
static void find_next(const struct online *e, int32_t d, struct online_device *device)
{
    const int64_t first = order_at(e->reference, d, 0);
    const struct operation *op = &e->reference->operations[first];
    const uint8_t *is_started = &e->is_started[first];
    int32_t next = device->next, fb = device->next_fb, w = device->next_w;
    while (next < device->n && is_started[next])
        next++;
    while (fb < device->n && (is_started[fb] || op[fb].type == OPERATION_W))
        fb++;
    while (w < device->n && (is_started[w] || op[w].type != OPERATION_W))
        w++;
    device->next = next;
    device->next_fb = fb;
    device->next_w = w;
}

// Sets the figures of a device to the start of the step.
static void start_device(struct online *e, int32_t d)
{
    const struct online_device *old = &e->device[d];
    struct online_device device = {.used = e->pipeline->fixed[d],
                                   .limit = old->limit,
                                   .n_chunks = old->n_chunks,
                                   .n = old->n,
                                   .cap = old->cap};
    for (int32_t i = e->first[d]; i < e->first[d + 1]; i++)
        for (int type = 0; type < 3; type++) {
            device.left[type] += e->items;
            device.work_left[type] += e->items * e->stage[e->stages[i]].time[type];
        }
    find_next(e, d, &device);
    e->device[d] = device;
    e->running[d] = (struct online_running){.counted = true};
    earliest_set(&e->wake, d, device.n > 0 ? 0 : (double)INFINITY, 0);
}

void online_start(struct online *online, const struct executor_times *times, int lane)
{
    struct online *e = online;
    const int32_t n = e->pipeline->shape.stages * e->items;
    e->times = times;
    e->lane = lane;
    e->now = e->makespan = 0;
    e->decision.n = 0;
    e->left = order_total(e->reference);
    for (int32_t s = 0; s < e->pipeline->shape.stages; s++)
        memset(e->stage[s].started, 0, sizeof e->stage[s].started);
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < n; i++)
            e->input[k][i].arrival = k == OPERATION_F && i < e->items ? 0 : -1;
    memset(e->is_started, 0, (size_t)e->reference->devices * (size_t)e->reference->room);
    order_clear(&e->order);
    channels_start(&e->channels);
    earliest_clear(&e->wake);
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        start_device(e, d);
}

// ---- decisions ----------------------------------------------------------------------------------

static bool decide(struct online *e, int32_t device, bool may_wait, struct online_decision *out)
{
    online_see(e, device);
    if (online_candidates(e, device) == 0)
        return false;
    if (may_wait)
        e->candidate[e->decision.n++] = (struct online_candidate){.type = ONLINE_WAIT,
                                                                  .chunk = -1,
                                                                  .stage = -1,
                                                                  .item = -1,
                                                                  .at = -1};
    e->decision.device = device;
    e->decision.now = e->now;
    e->decision.candidate = e->candidate;
    *out = e->decision;
    return true;
}

// All devices wait, and nothing is on the way: the first one that can do something must.
static bool decide_anyway(struct online *e, struct online_decision *out)
{
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        if (decide(e, d, false, out))
            return true;
    assert(false && "the guard lets every step end");
    return false;
}

bool online_next(struct online *online, struct online_decision *decision)
{
    struct online *e = online;
    while (e->left > 0) {
        const int32_t d = earliest_device(&e->wake);
        const double now = e->wake.start[d];
        if (isinf(now))
            return decide_anyway(e, decision);
        e->now = now;
        const double next = online_next_arrival(e, d);
        if (decide(e, d, e->let_wait || !isinf(next), decision))
            return true;
        earliest_set(&e->wake, d, next, 0);
    }
    return false;
}

static double duration_of(const struct online *e, const struct executor_piece *piece)
{
    if (e->times == NULL)
        return e->stage[piece->index / e->items].time[piece->type];
    return executor_times_duration(e->times, e->pipeline, piece);
}

// Sends the result of an operation that ends at `end`.
static void send(struct online *e, int32_t type, int32_t stage, int32_t item, double end)
{
    const struct online_stage *s = &e->stage[stage];
    const bool is_loss = type == OPERATION_F && stage + 1 == e->pipeline->shape.stages;
    const int32_t to = is_loss               ? stage
                       : type == OPERATION_F ? stage + 1
                                             : stage - 1,
                  to_type = is_loss ? OPERATION_B : type, index = online_index(e, stage, item);
    if (type == OPERATION_W || to < 0)
        return;
    const double nominal = is_loss ? 0 : s->delay[type];
    double delay = nominal;
    if (e->times != NULL && !is_loss)
        delay = e->times->delay[type][(int64_t)index * EXECUTOR_LANES + e->lane];
    const int32_t receiver = e->stage[to].device;
    const double arrival =
        channels_send(&e->channels, s->device, receiver, s->bytes[type], end, delay);
    e->input[to_type][online_index(e, to, item)] =
        (struct online_input){.started = e->now,
                              .expected = e->now + (s->time[type] + nominal),
                              .arrival = arrival};
    if (receiver != s->device && e->stage[to].started[to_type] == item &&
        e->running[receiver].end <= e->now && arrival < e->wake.start[receiver])
        earliest_set(&e->wake, receiver, arrival, 0);
}

// Counts an operation that starts, as a part of the order that was run and in the reference order.
static void count_start(struct online *e, int32_t d, const struct online_candidate *c)
{
    struct online_device *device = &e->device[d];
    const struct order *reference = e->reference;
    e->is_started[order_at(reference, d, c->at)] = 1;
    find_next(e, d, device);
    device->started++;
    device->left[c->type]--;
    device->work_left[c->type] -= c->nominal;
    device->in_flight += (c->type == OPERATION_F) - (c->type == OPERATION_W);
    e->stage[c->stage].started[c->type]++;
    e->left--;
}

// Counts the input of an F or B that starts, if another device sent it.
static void count_input(struct online *e, int32_t d, const struct online_candidate *c)
{
    struct online_device *device = &e->device[d];
    const int32_t from = c->type == OPERATION_F ? c->stage - 1 : c->stage + 1;
    if (c->type == OPERATION_W || from < 0 || from == e->pipeline->shape.stages ||
        e->stage[from].device == d)
        return;
    const struct online_input *input = &e->input[c->type][online_index(e, c->stage, c->item)];
    const double late = input->arrival - input->expected;
    device->n_received++;
    device->late += late;
    device->late_squares += late * late;
}

static void run(struct online *e, int32_t d, const struct online_candidate *c)
{
    struct online_device *device = &e->device[d];
    const struct executor_piece piece = {.type = (enum operation_type)c->type,
                                         .device = d,
                                         .index = online_index(e, c->stage, c->item),
                                         .behind = -1,
                                         .lane = e->lane,
                                         .start = e->now};
    const double end = e->now + duration_of(e, &piece);
    const int64_t at = order_at(&e->order, d, e->order.n[d]);
    order_add(&e->order, d, (enum operation_type)c->type, c->item, c->stage);
    e->own_starts[at] = e->now;
    e->own_ends[at] = end;
    e->makespan = end > e->makespan ? end : e->makespan;
    if (c->type == OPERATION_F)
        device->used += e->stage[c->stage].kept;
    if (c->type == OPERATION_W)
        device->pending--;
    device->busy = true;
    device->expected = e->now + c->nominal;
    e->running[d] = (struct online_running){c->type, c->stage, c->item, e->now, end, false};
    count_input(e, d, c);
    count_start(e, d, c);
    earliest_set(&e->wake, d, end, 0);
    send(e, c->type, c->stage, c->item, end);
}

void online_act(struct online *online, int32_t candidate)
{
    struct online *e = online;
    const int32_t d = e->decision.device;
    const struct online_candidate *c = &e->candidate[candidate];
    assert(candidate >= 0 && candidate < e->decision.n);
    if (c->type == ONLINE_WAIT)
        earliest_set(&e->wake, d, online_next_arrival(e, d), 0);
    else
        run(e, d, c);
}
