// SPDX-License-Identifier: Apache-2.0
// Finds the critical path of an executed order.
#include "kernels/common/executor/critical.h"

#include <math.h>

struct walk {
    const struct pipeline *pipeline;
    const struct order *order;
    const double *starts, *ends;
};

struct place {
    int32_t device, position; // position -1: none
};

static int64_t index_of(const struct walk *walk, struct place place)
{
    return order_at(walk->order, place.device, place.position);
}

static struct place last_place(const struct walk *walk)
{
    struct place last = {0, -1};
    for (int32_t d = 0; d < walk->order->devices; d++) {
        const struct place place = {d, walk->order->n[d] - 1};
        if (place.position >= 0 && (last.position < 0 || walk->ends[index_of(walk, place)] >
                                                             walk->ends[index_of(walk, last)]))
            last = place;
    }
    return last;
}

// Finds the operation on another device whose message an operation needs; position -1: none.
static struct place sender_of(const struct walk *walk, const struct operation *op,
                              int32_t device)
{
    const bool forward = op->type == OPERATION_F;
    const int32_t stage = forward ? op->stage - 1 : op->stage + 1;
    struct place place = {0, -1};
    if (op->type == OPERATION_W || op->type == OPERATION_R || stage < 0 ||
        stage >= walk->pipeline->shape.stages)
        return place;
    place.device = pipeline_device(walk->pipeline, op->direction, stage);
    if (place.device == device)
        return place;
    for (int32_t i = 0; i < walk->order->n[place.device]; i++) {
        const struct operation *other =
            &walk->order->operations[order_at(walk->order, place.device, i)];
        const bool sends = forward ? other->type == OPERATION_F
                                   : other->type == OPERATION_B || other->type == OPERATION_BW;
        if (sends && other->item == op->item && other->stage == stage &&
            other->direction == op->direction) {
            place.position = i;
            break;
        }
    }
    return place;
}

static bool is_second_of_unit(const struct walk *walk, struct place place)
{
    return place.position > 0 && walk->order->paired[index_of(walk, place) - 1] != 0;
}

static struct pipeline_stage parts_of(const struct walk *walk, int64_t at)
{
    const struct operation *op = &walk->order->operations[at];
    const struct pipeline_stage *stage = &walk->pipeline->stage[op->stage];
    return (struct pipeline_stage){
        .f = op->type == OPERATION_F ? stage->f : 0,
        .b = op->type == OPERATION_B || op->type == OPERATION_BW ? stage->b : 0,
        .w = op->type == OPERATION_W || op->type == OPERATION_BW ? stage->w : 0,
        .r = op->type == OPERATION_R ? stage->r : 0};
}

// Adds the operation, or the unit whose first operation stands here.
static void add_operation(const struct walk *walk, struct place place,
                          struct critical *critical)
{
    const int64_t at = index_of(walk, place);
    struct pipeline_stage parts = parts_of(walk, at);
    if (walk->order->paired[at]) {
        const struct pipeline_stage second = parts_of(walk, at + 1);
        parts.b += second.b;
        parts.w += second.w;
    }
    const double sum = parts.f + parts.b + parts.w + parts.r;
    const double factor = sum > 0 ? (walk->ends[at] - walk->starts[at]) / sum : 0;
    critical->f += parts.f * factor;
    critical->b += parts.b * factor;
    critical->w += parts.w * factor;
    critical->r += parts.r * factor;
    critical->operations += walk->order->paired[at] ? 2 : 1;
}

// Of the senders of an operation, or of both operations of a unit, the one that ends last before the
// start.
static struct place latest_sender(const struct walk *walk, struct place place)
{
    const int64_t at = index_of(walk, place);
    struct place latest = {0, -1};
    double arrival = -HUGE_VAL;
    for (int k = 0; k < (walk->order->paired[at] ? 2 : 1); k++) {
        const struct operation *op = &walk->order->operations[at + k];
        const struct place sender = sender_of(walk, op, place.device);
        if (sender.position < 0)
            continue;
        const struct pipeline_stage *stage =
            &walk->pipeline->stage[op->type == OPERATION_F ? op->stage - 1 : op->stage + 1];
        const double time = walk->ends[index_of(walk, sender)] +
                            pipeline_delay(walk->pipeline, sender.device, place.device,
                                           op->type == OPERATION_F ? stage->forward_bytes
                                                                   : stage->backward_bytes);
        if (time > arrival) {
            arrival = time;
            latest = sender;
        }
    }
    return latest;
}

bool critical_of(const struct pipeline *pipeline, const struct order *order,
                 const double *starts, const double *ends, struct poll *poll,
                 struct critical *critical)
{
    const struct walk walk = {pipeline, order, starts, ends};
    struct place place = last_place(&walk);
    *critical = (struct critical){.f = 0};
    while (place.position >= 0) {
        place.position -= is_second_of_unit(&walk, place);
        add_operation(&walk, place, critical);
        const double start = starts[index_of(&walk, place)];
        const struct place before = {place.device, place.position - 1};
        if (before.position >= 0 && ends[index_of(&walk, before)] >= start) {
            place = before;
            continue;
        }
        const struct place sender = latest_sender(&walk, place);
        if (poll_over_after(poll, (uint64_t)order->n[sender.device]))
            return false;
        if (sender.position < 0) {
            critical->start = start;
            break;
        }
        critical->messages += start - ends[index_of(&walk, sender)];
        place = sender;
    }
    return true;
}
