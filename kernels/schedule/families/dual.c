// SPDX-License-Identifier: Apache-2.0
// Defines DualPipe and DualPipeV, whose devices run forwards and backwards of two phases as overlapped
// pairs. Phases 0 and 1 are two directions (DualPipe) or the two chunks of placement V (DualPipeV).
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

#include <stddef.h>

// The queue of backwards of weights that wait: 2 * items.
struct waiting {
    int32_t item;
    int8_t phase;
};

// One device while its operations are added.
struct dual {
    struct order *order;
    int32_t device;
    struct operation part[2]; // stage and direction of a phase
    int32_t forwards[2], backwards[2];
    struct waiting *queue;
    int32_t first, n; // of the queue
};

static void add(struct dual *dual, enum operation_type type, int phase, int32_t item,
                bool paired)
{
    struct order *order = dual->order;
    const int64_t at = order_at(order, dual->device, order->n[dual->device]);
    order_add(order, dual->device, type, item, dual->part[phase].stage);
    order->operations[at].direction = dual->part[phase].direction;
    order->paired[at] = paired;
}

static void forward(struct dual *dual, int phase)
{
    add(dual, OPERATION_F, phase, dual->forwards[phase]++, false);
}

static void backward(struct dual *dual, int phase)
{
    add(dual, OPERATION_BW, phase, dual->backwards[phase]++, false);
}

static void backward_of_input(struct dual *dual, int phase)
{
    dual->queue[dual->n++] = (struct waiting){dual->backwards[phase], (int8_t)phase};
    add(dual, OPERATION_B, phase, dual->backwards[phase]++, false);
}

static void backward_of_weights(struct dual *dual)
{
    const struct waiting *waiting = &dual->queue[dual->first++];
    add(dual, OPERATION_W, waiting->phase, waiting->item, false);
}

static void pair(struct dual *dual, int forward_phase)
{
    add(dual, OPERATION_F, forward_phase, dual->forwards[forward_phase]++, true);
    backward(dual, !forward_phase);
}

// Adds all operations of a device. `depth` devices of a half, `at` from the outer end, `items`
// micro-batches of a phase.
static void order_device(struct dual *dual, int32_t depth, int32_t at, int32_t items)
{
    const int32_t outer = depth - 1 - at;
    for (int32_t i = 0; i < 2 * outer; i++)
        forward(dual, 0);
    for (int32_t i = 0; i <= at; i++) {
        forward(dual, 0);
        forward(dual, 1);
    }
    for (int32_t i = 0; i < outer; i++) {
        backward_of_input(dual, 1);
        backward_of_weights(dual);
        forward(dual, 1);
    }
    for (int32_t i = 0; i < items - 2 * depth + at + 1; i++) {
        // The turn of a micro-batch on the inner device: its backward needs this forward.
        if (i == 0 && outer == 0) {
            forward(dual, 0);
            backward(dual, 1);
        } else {
            pair(dual, 0);
        }
        pair(dual, 1);
    }
    for (int32_t i = 0; i < outer; i++) {
        backward(dual, 1);
        pair(dual, 1);
    }
    const int32_t split = (at + 1) / 2; // from here on backwards are in two pieces
    for (int32_t i = 0; i <= at; i++) {
        const bool one_split = at % 2 == 1 ? i >= split : i > split;
        const bool zero_split = i >= split;
        if (one_split)
            backward_of_input(dual, 1);
        else
            backward(dual, 1);
        if (zero_split)
            backward_of_input(dual, 0);
        else
            backward(dual, 0);
    }
    for (int32_t i = 0; i < outer; i++) {
        backward_of_weights(dual);
        backward_of_input(dual, 0);
    }
    for (int32_t i = 0; i <= at; i++)
        backward_of_weights(dual);
}

static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    (void)options;
    return room_take(room, 2 * (size_t)shape->micro_batches, sizeof(struct waiting));
}

// ---- DualPipeV ----------------------------------------------------------------------------------

static const char *misfit_vee(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    if (shape->stages != 2 * shape->devices)
        return "needs 2 stages per device";
    if (shape->micro_batches / 2 < shape->devices)
        return "needs at least 2p micro-batches";
    return shapes_misfit_directions(shape, 1);
}

static void order_vee(const struct family_task *task, int32_t device)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    struct dual dual = {.order = task->order,
                        .device = device,
                        .part = {{.stage = (int16_t)device},
                                 {.stage = (int16_t)(2 * shape->devices - 1 - device)}},
                        .queue = task->memory};
    order_device(&dual, shape->devices, device, shape->micro_batches);
}

const struct family family_dualpipev = {
    .name = "dualpipev",
    .summary = "DualPipe folded into placement V",
    .source = "DeepSeek-AI, DualPipe (repository), 2025",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_PAIR,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .pairs = true,
    .misfit = misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .device = order_vee,
};

// ---- DualPipe -----------------------------------------------------------------------------------

static const char *misfit_two(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    (void)options;
    if (shape->stages != shape->devices)
        return "needs 1 stage per device";
    if (shape->devices % 2 != 0)
        return "needs an even number of devices";
    if (shape->micro_batches % 2 != 0)
        return "needs an even number of micro-batches";
    if (shape->micro_batches / 2 < shape->devices)
        return "needs at least 2p micro-batches";
    return shapes_misfit_directions(shape, 2);
}

static void order_two(const struct family_task *task, int32_t device)
{
    const int32_t devices = task->pipeline->shape.devices;
    const int32_t mirror = devices - 1 - device;
    const bool far = device >= devices / 2;
    struct dual dual = {.order = task->order, .device = device, .queue = task->memory};
    for (int phase = 0; phase < 2; phase++) {
        const bool back = (phase == 1) != far;
        dual.part[phase].direction = back;
        dual.part[phase].stage = (int16_t)(back ? mirror : device);
    }
    order_device(&dual, devices / 2, far ? mirror : device,
                 task->pipeline->shape.micro_batches / 2);
}

const struct family family_dualpipe = {
    .name = "dualpipe",
    .summary = "two directions, forwards overlap backwards",
    .source = "DeepSeek-AI, DeepSeek-V3 Technical Report, 2024",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_PAIR,
    .placement = PIPELINE_BIDIRECTIONAL,
    .directions = 2,
    .pairs = true,
    .misfit = misfit_two,
    .chunks = shapes_one_chunk,
    .take = take,
    .device = order_two,
};
