// SPDX-License-Identifier: Apache-2.0
// Places the weight gradients of an order anew.
#include "kernels/schedule/automatic/refill.h"

#include "kernels/schedule/automatic/earliest.h"

#include <math.h>

// What a device runs next.
struct next {
    double start; // INFINITY: nothing can run
    bool is_weight;
};

struct device {
    double clock, memory, limit;
    int32_t position;  // in `from`
    int32_t due, done; // weight gradients: entries of `weights` written, and run
    struct next next;
};

struct refill {
    const struct pipeline *pipeline;
    const struct order *from;
    struct order *to;
    double threshold;
    struct device *device;
    struct earliest earliest;
    struct operation *weights; // [device * per_device + entry]: in the order of their backwards
    size_t per_device;
    double *input
        [2]; // [stage * M + item]: arrival of the input of an F, of a B; INFINITY: not sent
};

struct refill *refill_take(const struct pipeline_shape *most, struct room *room)
{
    struct refill *refill = room_take(room, 1, sizeof *refill), counted;
    struct refill *r = refill != NULL ? refill : &counted;
    const size_t items = (size_t)most->stages * (size_t)most->micro_batches;
    r->device = room_take(room, (size_t)most->devices, sizeof *r->device);
    earliest_take(&r->earliest, most->devices, room);
    r->per_device = items / (size_t)most->devices;
    r->weights = room_take(room, items, sizeof *r->weights);
    for (int k = 0; k < 2; k++)
        r->input[k] = room_take(room, items, sizeof *r->input[k]);
    return refill;
}

static double *input_of(const struct refill *r, int backward, int32_t stage, int32_t item)
{
    return &r->input[backward]
                    [(size_t)stage * (size_t)r->pipeline->shape.micro_batches + (size_t)item];
}

static double kept(const struct pipeline_stage *stage)
{
    return stage->kept_until_b + stage->kept_until_w;
}

static void open_refill(struct refill *r)
{
    const struct pipeline *p = r->pipeline;
    const size_t m = (size_t)p->shape.micro_batches, items = (size_t)p->shape.stages * m;
    for (size_t i = 0; i < items; i++) {
        r->input[0][i] = i < m ? 0 : (double)INFINITY;
        r->input[1][i] = (double)INFINITY;
    }
    for (int32_t d = 0; d < p->shape.devices; d++)
        r->device[d] = (struct device){.limit = p->limit[d] + 1e-9 * fabs(p->limit[d]),
                                       .memory = p->fixed[d]};
}

static struct operation *weights_of(const struct refill *r, int32_t d)
{
    return r->weights + (size_t)d * r->per_device;
}

// Returns the next operation of a device that is not a W; NULL: none.
static const struct operation *next_operation(struct refill *r, int32_t d)
{
    int32_t *position = &r->device[d].position;
    for (; *position < r->from->n[d]; ++*position) {
        const struct operation *op = &r->from->operations[order_at(r->from, d, *position)];
        if (op->type != OPERATION_W)
            return op;
    }
    return NULL;
}

// Finds what a device runs next.
static void choose(struct refill *r, int32_t d)
{
    struct device *device = &r->device[d];
    const struct operation *op = next_operation(r, d);
    double start = (double)INFINITY;
    if (op != NULL) {
        const bool forward = op->type == OPERATION_F;
        const double needed = forward ? kept(&r->pipeline->stage[op->stage]) : 0;
        if (!forward || device->memory + needed <= device->limit)
            start = fmax(device->clock, *input_of(r, !forward, op->stage, op->item));
    }
    device->next = (struct next){start, false};
    if (device->done < device->due) {
        const double w = r->pipeline->stage[weights_of(r, d)[device->done].stage].w,
                     gap = start - device->clock;
        if (gap > 0 && gap >= r->threshold * w)
            device->next = (struct next){device->clock, true};
    }
    earliest_set(&r->earliest, d, device->next.start, device->next.is_weight);
}

// Sends the result of an operation; returns the device that receives it; -1: none.
static int32_t send(struct refill *r, int32_t d, const struct operation *op)
{
    const struct pipeline *p = r->pipeline;
    const bool forward = op->type == OPERATION_F;
    const struct pipeline_stage *stage = &p->stage[op->stage];
    int32_t to = forward ? op->stage + 1 : op->stage - 1;
    int backward = !forward;
    if (to < 0)
        return -1;
    if (to == p->shape.stages) { // the loss: its backward may begin
        to = op->stage;
        backward = 1;
    }
    const int32_t receiver = p->device_of[to];
    const double delay = to == op->stage ? 0
                                         : pipeline_delay(p, d, receiver,
                                                          forward ? stage->forward_bytes
                                                                  : stage->backward_bytes);
    *input_of(r, backward, to, op->item) = r->device[d].clock + delay;
    return receiver;
}

static void run_weight(struct refill *r, int32_t d)
{
    struct device *device = &r->device[d];
    const struct operation *op = &weights_of(r, d)[device->done++];
    const struct pipeline_stage *stage = &r->pipeline->stage[op->stage];
    order_add(r->to, d, OPERATION_W, op->item, op->stage);
    device->clock += stage->w;
    device->memory -= stage->kept_until_w;
}

// Runs what a device runs next; returns another device whose choice may change; -1: none.
static int32_t run(struct refill *r, int32_t d)
{
    struct device *device = &r->device[d];
    if (device->next.is_weight) {
        run_weight(r, d);
        return -1;
    }
    const struct operation *op = next_operation(r, d);
    const struct pipeline_stage *stage = &r->pipeline->stage[op->stage];
    const bool forward = op->type == OPERATION_F;
    device->position++;
    device->clock = device->next.start + (forward ? stage->f : stage->b);
    device->memory += forward ? kept(stage) : -stage->kept_until_b;
    if (!forward)
        weights_of(r, d)[device->due++] = *op;
    order_add(r->to, d, (enum operation_type)op->type, op->item, op->stage);
    return send(r, d, op);
}

enum refill_status refill_build(struct refill *refill, const struct pipeline *pipeline,
                                const struct order *from, double threshold, struct poll *poll,
                                struct order *to)
{
    struct refill *r = refill;
    const int32_t devices = pipeline->shape.devices;
    r->pipeline = pipeline;
    r->from = from;
    r->to = to;
    r->threshold = threshold;
    open_refill(r);
    earliest_clear(&r->earliest);
    for (int32_t d = 0; d < devices; d++)
        choose(r, d);
    for (int64_t n = order_total(from); n > 0; n--) {
        const int32_t d = earliest_device(&r->earliest);
        if (isinf(r->device[d].next.start))
            return REFILL_NO_ROOM;
        const int32_t receiver = run(r, d);
        choose(r, d);
        if (receiver >= 0 && receiver != d)
            choose(r, receiver);
        if (poll_over_after(poll, 8))
            return REFILL_STOPPED;
    }
    return REFILL_DONE;
}
