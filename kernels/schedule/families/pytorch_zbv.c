// SPDX-License-Identifier: Apache-2.0
// Defines the zero-bubble schedule in placement V that follows a rule: the one for equal times of forwards,
// backwards of inputs and backwards of weights, whatever the times are.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

enum { F, B, W, TYPES };

// One device while its operations are added.
struct vee {
    struct order *order;
    int32_t device, micro_batches;
    int32_t stage[2];       // of a chunk
    int32_t next[2][TYPES]; // micro-batch of a chunk
};

// The rule is one for 2 P - 1 micro-batches and more: those that a step does not have are left out.
static void add(struct vee *vee, int chunk, int type)
{
    static const enum operation_type types[TYPES] = {OPERATION_F, OPERATION_B, OPERATION_W};
    const int32_t micro_batch = vee->next[chunk][type]++;
    if (micro_batch < vee->micro_batches)
        order_add(vee->order, vee->device, types[type], micro_batch, vee->stage[chunk]);
}

static void add_backward(struct vee *vee, int chunk)
{
    add(vee, chunk, B);
    add(vee, chunk, W);
}

static void warm_up(struct vee *vee, int32_t devices)
{
    const int32_t d = vee->device;
    for (int32_t i = 0; i < 2 * (devices - d) - 1; i++)
        add(vee, 0, F);
    for (int32_t i = 0; i < d; i++) {
        add(vee, 1, F);
        add(vee, 0, F);
    }
    for (int32_t i = 0; i < devices - d; i++) {
        add(vee, 1, F);
        add_backward(vee, 1);
    }
}

static void cool_down(struct vee *vee, int32_t devices)
{
    for (int32_t i = 0; i < vee->device; i++) {
        add(vee, 0, B);
        add(vee, 1, B);
    }
    for (int32_t i = 0; i < devices - vee->device; i++)
        add_backward(vee, 0);
    for (int chunk = 1; chunk >= 0; chunk--)
        while (vee->next[chunk][W] < vee->next[chunk][B])
            add(vee, chunk, W);
}

static void order_device(const struct family_task *task, int32_t device)
{
    const struct pipeline_shape *shape = &task->pipeline->shape;
    const int32_t devices = shape->devices, least = 2 * devices - 1;
    const int32_t n = shape->micro_batches > least ? shape->micro_batches : least;
    struct vee vee = {.order = task->order,
                      .device = device,
                      .micro_batches = shape->micro_batches,
                      .stage = {device, shape->stages - 1 - device}};
    warm_up(&vee, devices);
    while (vee.next[1][F] < n) {
        if (vee.next[0][F] < n)
            add(&vee, 0, F);
        add_backward(&vee, 0);
        add(&vee, 1, F);
        add_backward(&vee, 1);
    }
    cool_down(&vee, devices);
}

const struct family family_pytorch_zbv = {
    .name = "pytorch_zbv",
    .summary = "zero bubble in placement V by a rule, as ScheduleZBVZeroBubble",
    .source = "torch.distributed.pipelining; Qi et al., ICLR 2024",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .device = order_device,
};
