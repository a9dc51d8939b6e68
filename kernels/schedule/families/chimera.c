// SPDX-License-Identifier: Apache-2.0
// Defines Chimera: units of P micro-batches, half of them in each of two directions.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"
#include "kernels/schedule/families/slot_order.h"

static const char *misfit(const struct pipeline_shape *shape,
                          const struct family_options *options)
{
    (void)options;
    if (shape->stages != shape->devices)
        return "needs 1 stage per device";
    if (shape->devices % 2 != 0)
        return "needs an even number of devices";
    if (shape->micro_batches % shape->devices != 0)
        return "needs a number of micro-batches that p divides";
    return shapes_misfit_directions(shape, 2);
}

static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    (void)options;
    return slot_order_take(2 * (int64_t)shape->micro_batches + 4 * (int64_t)shape->devices,
                           room);
}

// Puts the operations of one unit and one direction on their stage.
static void put_unit(struct slot_order *slots, int32_t devices, int32_t unit, int direction,
                     int32_t stage)
{
    const int64_t start = 2 * (int64_t)devices * unit;
    for (int32_t i = 0; i < devices / 2; i++) {
        struct operation op = {.item = unit * devices + direction * (devices / 2) + i,
                               .stage = (int16_t)stage,
                               .type = OPERATION_F,
                               .direction = (uint8_t)direction};
        slot_order_put(slots, start + stage + 2 * i, op);
        op.type = OPERATION_BW;
        slot_order_put(slots, start + 2 * devices - 1 - stage + 2 * i, op);
    }
}

static void order_device(const struct family_task *task, int32_t device)
{
    const int32_t devices = task->pipeline->shape.devices;
    slot_order_clear(task->memory);
    for (int32_t unit = 0; unit < task->pipeline->shape.micro_batches / devices; unit++) {
        put_unit(task->memory, devices, unit, 0, device);
        put_unit(task->memory, devices, unit, 1, devices - 1 - device);
    }
    slot_order_append(task->memory, task->order, device);
}

const struct family family_chimera = {
    .name = "chimera",
    .summary = "two directions that fill each other's bubbles",
    .source = "Li and Hoefler, Chimera, SC 2021",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_BIDIRECTIONAL,
    .directions = 2,
    .whole_backward = true,
    .misfit = misfit,
    .chunks = shapes_one_chunk,
    .take = take,
    .device = order_device,
};
