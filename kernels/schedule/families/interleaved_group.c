// SPDX-License-Identifier: Apache-2.0
// Defines grouped interleaving: a building block of `group` micro-batches on v chunks, repeated.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"
#include "kernels/schedule/families/slot_order.h"

#include <math.h>

static int32_t group_of(const struct pipeline_shape *shape,
                        const struct family_options *options)
{
    return options->group > 0 ? options->group : shape->devices;
}

static int32_t chunks_of(const struct pipeline_shape *shape)
{
    return shape->stages / shape->devices;
}

static int32_t greatest_divisor(int32_t a, int32_t b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

// The block of a group: slots of its operations.
struct block {
    int32_t devices, chunks, group;
    int64_t stride;      // slots from a chunk to the next: 3 K group
    int32_t chunk_steps; // chunks between two shifts of 3 group slots: v / D
};

// Returns the least number of micro-batches of a group that hides the way through the devices.
static int32_t least_group(const struct pipeline *pipeline)
{
    const int32_t devices = pipeline->shape.devices;
    double longest = 0, forward = 0, backward = 0;
    for (int32_t c = 0; c < chunks_of(&pipeline->shape); c++) {
        double f = 0, b = 0;
        for (int32_t d = 0; d < devices; d++) {
            const struct pipeline_stage *stage = &pipeline->stage[c * devices + d];
            longest = fmax(longest, stage->f + stage->b + stage->w);
            f += stage->f;
            b += stage->b;
        }
        forward = fmax(forward, f);
        backward = fmax(backward, b);
    }
    const double ways = longest > 0 ? ceil(fmax(forward, backward) / longest * (1 - 1e-12)) : 0;
    const int32_t half = (devices + 1) / 2;
    return ways > half ? (int32_t)ways : half;
}

static struct block block_of(const struct pipeline *pipeline,
                             const struct family_options *options)
{
    const int32_t group = group_of(&pipeline->shape, options);
    const int32_t chunks = chunks_of(&pipeline->shape);
    const int32_t groups = (least_group(pipeline) + group - 1) / group;
    return (struct block){.devices = pipeline->shape.devices,
                          .chunks = chunks,
                          .group = group,
                          .stride = 3 * (int64_t)groups * group,
                          .chunk_steps = chunks / greatest_divisor(chunks, groups)};
}

static int64_t chunk_slot(const struct block *block, int32_t chunk)
{
    return block->stride * chunk + 3 * (int64_t)block->group * (chunk / block->chunk_steps);
}

static int64_t slot_of_forward(const struct block *block, int32_t chunk, int32_t d)
{
    return chunk_slot(block, chunk) + d;
}

// Slot of the first backward of a group on a device.
static int64_t first_backward(const struct block *block, int32_t d)
{
    return slot_of_forward(block, block->chunks - 1, d) +
           3 * (int64_t)(block->devices - 1 - d) + 1;
}

// An upper bound of all slots: the times at worst make the stride 3 (p + group).
static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    const int64_t group = group_of(shape, options), chunks = chunks_of(shape);
    const int64_t stride = 3 * ((int64_t)shape->devices + group);
    const int64_t groups = (shape->micro_batches + group - 1) / group;
    return slot_order_take(2 * (stride + 3 * group) * chunks + 4 * (int64_t)shape->devices +
                               6 * group + 3 * group * chunks * groups + 4,
                           room);
}

static void put_micro_batch(struct slot_order *slots, const struct block *block,
                            int32_t micro_batch, int32_t d)
{
    const int64_t shift =
        3 * (int64_t)(micro_batch % block->group) +
        3 * (int64_t)block->group * block->chunks * (micro_batch / block->group);
    for (int32_t c = 0; c < block->chunks; c++) {
        const int32_t back = block->chunks - 1 - c;
        const int64_t backward = first_backward(block, d) + chunk_slot(block, c) + shift;
        struct operation op = {.item = micro_batch,
                               .stage = (int16_t)(c * block->devices + d),
                               .type = OPERATION_F};
        slot_order_put(slots, slot_of_forward(block, c, d) + shift, op);
        op.stage = (int16_t)(back * block->devices + d);
        op.type = OPERATION_B;
        slot_order_put(slots, backward, op);
        op.type = OPERATION_W;
        slot_order_put(slots, backward + 1, op);
    }
}

static void order_device(const struct family_task *task, int32_t device)
{
    const struct block block = block_of(task->pipeline, task->options);
    slot_order_clear(task->memory);
    for (int32_t m = 0; m < task->pipeline->shape.micro_batches; m++)
        put_micro_batch(task->memory, &block, m, device);
    slot_order_append(task->memory, task->order, device);
}

const struct family family_interleaved_group = {
    .name = "interleaved_group",
    .summary = "interleaved chunks in groups, backwards in two pieces",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_GROUP,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_loop,
    .chunks = shapes_several_chunks,
    .take = take,
    .device = order_device,
};
