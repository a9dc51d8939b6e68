// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a step: operations and messages in order of start, and the memory of devices.
#include "kernels/common/executor/step_trace.h"

#include <math.h>
#include <stdlib.h>

enum { TRACK_COMPUTE, TRACK_FORWARD, TRACK_BACKWARD };
enum { KIND_MESSAGE = OPERATION_TYPES };

static const char *const track_names[] = {"compute", "to next stage: activations",
                                          "to previous stage: gradients", NULL};
static const char *const kind_names[] = {[OPERATION_F] = "forward",
                                         [OPERATION_B] = "backward of input",
                                         [OPERATION_W] = "backward of weights",
                                         [OPERATION_BW] = "backward",
                                         [OPERATION_R] = "recomputed forward",
                                         [KIND_MESSAGE] = "message",
                                         NULL};
static const char *const counter_names[] = {"memory", NULL};
static const char *const gib_counter_names[] = {"memory_gib", NULL};
static const char *const load_names[] = {"compute", "network", NULL};
static const int32_t load_of[] = {0, 1, 1};

#define STEP_NAMES                                                                             \
    .group = "device", .item = "micro_batch", .flag = "overlapped", .tracks = track_names,     \
    .kinds = kind_names, .chunk = "chunk", .loads = load_names, .load_of = load_of

const struct pps_trace_names step_trace_names = {STEP_NAMES, .counters = counter_names};

const struct pps_trace_names step_trace_names_us = {STEP_NAMES, .counters = gib_counter_names,
                                                    .time_unit = "us"};

// ---- events -------------------------------------------------------------------------------------

// A segment, or a level where piece.track is -1.
struct event {
    double time;
    int64_t number; // order of events of one time
    struct pps_piece piece;
    double memory;
};

struct events {
    struct event *list;
    int64_t n;
};

static void add(struct events *events, struct event event)
{
    event.number = events->n;
    events->list[events->n++] = event;
}

static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

// Returns the number of a stage among those of its device; direction 1 counts after direction 0.
static int32_t chunk_of(const struct pipeline *pipeline, const struct operation *op)
{
    const int32_t part = op->direction * pipeline->shape.stages + op->stage;
    int32_t chunk = 0;
    for (int32_t k = 0; k < part; k++)
        chunk += pipeline->device_of[k] == pipeline->device_of[part];
    return chunk;
}

static double delay_of(const struct step_trace *step, const struct operation *op,
                       int32_t device, int32_t to)
{
    const struct pipeline *pipeline = step->pipeline;
    const struct pipeline_stage *stage = &pipeline->stage[op->stage];
    const bool forward = op->type == OPERATION_F;
    if (step->times != NULL)
        return step->times
            ->delay[!forward][(int64_t)executor_times_index(pipeline, op) * EXECUTOR_LANES];
    return pipeline_delay(pipeline, device, pipeline_device(pipeline, op->direction, to),
                          forward ? stage->forward_bytes : stage->backward_bytes);
}

// Adds the message that an operation sends to another device. Messages of a device that occupy a
// channel are drawn from the time at which they are ready.
static void add_message(struct events *events, const struct step_trace *step,
                        const struct operation *op, int32_t device, double end)
{
    const struct pipeline *pipeline = step->pipeline;
    const bool forward = op->type == OPERATION_F;
    const int32_t to = forward ? op->stage + 1 : op->stage - 1;
    if (op->type == OPERATION_W || op->type == OPERATION_R || to < 0 ||
        to >= pipeline->shape.stages)
        return;
    const double delay = delay_of(step, op, device, to);
    const struct pps_piece piece = {.group = device,
                                    .track = forward ? TRACK_FORWARD : TRACK_BACKWARD,
                                    .kind = KIND_MESSAGE,
                                    .item = op->item / pipeline->shape.slices,
                                    .ordinal = op->item,
                                    .chunk = chunk_of(pipeline, op),
                                    .start = end,
                                    .end = end + delay,
                                    .rate = 1};
    if (delay > 0)
        add(events, (struct event){.time = end, .piece = piece});
}

static void add_device(struct events *events, const struct step_trace *step, int32_t device)
{
    const struct order *order = step->order;
    const struct pipeline *pipeline = step->pipeline;
    const double *starts = step->starts, *ends = step->ends;
    double memory = pipeline->fixed[device];
    const struct pps_piece level = {.group = device, .track = -1};
    add(events, (struct event){.time = 0, .piece = level, .memory = memory});
    for (int32_t i = 0; i < order->n[device]; i++) {
        const int64_t at = order_at(order, device, i);
        const struct operation *op = &order->operations[at];
        const double change = operation_memory(pipeline, op);
        const bool paired = order->paired[at] || (i > 0 && order->paired[at - 1]);
        memory += change;
        add(events, (struct event){.time = starts[at],
                                   .piece = {.group = device,
                                             .track = TRACK_COMPUTE,
                                             .kind = op->type,
                                             .item = op->item / pipeline->shape.slices,
                                             .ordinal = op->item,
                                             .chunk = chunk_of(pipeline, op),
                                             .start = starts[at],
                                             .end = ends[at],
                                             .rate = 1,
                                             .flag = paired}});
        if (change != 0)
            add(events, (struct event){.time = change > 0 ? starts[at] : ends[at],
                                       .piece = level,
                                       .memory = memory});
        add_message(events, step, op, device, ends[at]);
    }
}

// ---- the timeline -------------------------------------------------------------------------------

enum pps_outcome step_trace_send(const struct step_trace *step,
                                 const struct pps_trace_sink *sink)
{
    const struct pipeline *pipeline = step->pipeline;
    const int32_t devices = pipeline->shape.devices;
    const double time = step->time > 0 ? step->time : 1,
                 memory = step->memory > 0 ? step->memory : 1;
    struct events events = {
        calloc((size_t)(3 * order_total(step->order) + devices), sizeof *events.list), 0};
    if (events.list == NULL)
        return PPS_NO_MEMORY;
    for (int32_t d = 0; d < devices; d++) {
        if (isfinite(pipeline->limit[d]))
            sink->limit(sink->self, &(struct pps_limit){d, 0, pipeline->limit[d] * memory});
        add_device(&events, step, d);
    }
    qsort(events.list, (size_t)events.n, sizeof *events.list, compare);
    for (int64_t i = 0; i < events.n; i++) {
        struct event *event = &events.list[i];
        event->piece.start *= time;
        event->piece.end *= time;
        if (event->piece.track >= 0)
            sink->piece(sink->self, &event->piece);
        else
            sink->level(sink->self,
                        &(struct pps_level){event->piece.group, 0, event->time * time,
                                            event->memory * memory});
    }
    free(events.list);
    return PPS_DONE;
}
