// SPDX-License-Identifier: Apache-2.0
// Holds the order of operations of every device of a pipeline.
#include "kernels/common/plan/order.h"

#include <stdlib.h>
#include <string.h>

double operation_memory(const struct pipeline *pipeline, const struct operation *op)
{
    const struct pipeline_stage *stage = &pipeline->stage[op->stage];
    switch ((enum operation_type)op->type) {
    case OPERATION_F:
        return stage->kept_until_b + stage->kept_until_w;
    case OPERATION_B:
        return -stage->kept_until_b;
    case OPERATION_W:
        return -stage->kept_until_w;
    case OPERATION_BW:
        return -(stage->kept_until_b + stage->kept_until_w);
    case OPERATION_R:
    case OPERATION_TYPES:
        break;
    }
    return 0;
}

int32_t order_room(const struct pipeline *pipeline, bool with_r)
{
    return (with_r ? 4 : 3) * pipeline_most_chunks(pipeline) * pipeline_items(pipeline);
}

void order_take(struct order *order, int32_t devices, int32_t operations, struct room *room)
{
    *order = (struct order){.devices = devices, .room = order_stride(operations)};
    const size_t all = (size_t)devices * (size_t)order->room;
    order->n = room_take(room, (size_t)devices, sizeof *order->n);
    order->operations = room_take(room, all, sizeof *order->operations);
    order->paired = room_take(room, all, sizeof *order->paired);
    if (room->memory != NULL)
        order_clear(order);
}

struct order *order_new(int32_t devices, int32_t operations)
{
    struct order counted;
    struct room count = {NULL, 0};
    (void)room_take(&count, 1, sizeof(struct order));
    order_take(&counted, devices, operations, &count);
    struct room room = {
        count.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, count.used), 0};
    if (room.memory == NULL)
        return NULL;
    struct order *order = room_take(&room, 1, sizeof *order);
    order_take(order, devices, operations, &room);
    return order;
}

void order_free(struct order *order)
{
    free(order);
}

void order_clear(struct order *order)
{
    memset(order->n, 0, (size_t)order->devices * sizeof *order->n);
}

void order_copy(struct order *to, const struct order *from)
{
    for (int32_t d = 0; d < from->devices; d++) {
        const size_t n = (size_t)from->n[d];
        to->n[d] = from->n[d];
        memcpy(to->operations + order_at(to, d, 0), from->operations + order_at(from, d, 0),
               n * sizeof *to->operations);
        memcpy(to->paired + order_at(to, d, 0), from->paired + order_at(from, d, 0), n);
    }
}

int64_t order_total(const struct order *order)
{
    int64_t n = 0;
    for (int32_t d = 0; d < order->devices; d++)
        n += order->n[d];
    return n;
}

static bool operations_equal(const struct operation *a, const struct operation *b)
{
    return a->item == b->item && a->stage == b->stage && a->type == b->type &&
           a->direction == b->direction;
}

bool order_equal(const struct order *a, const struct order *b)
{
    if (a->devices != b->devices)
        return false;
    for (int32_t d = 0; d < a->devices; d++) {
        if (a->n[d] != b->n[d])
            return false;
        for (int32_t i = 0; i < a->n[d]; i++) {
            const int64_t x = order_at(a, d, i), y = order_at(b, d, i);
            if (!operations_equal(&a->operations[x], &b->operations[y]) ||
                a->paired[x] != b->paired[y])
                return false;
        }
    }
    return true;
}

double order_peak(const struct pipeline *pipeline, const struct order *order, int32_t device)
{
    double held = pipeline->fixed[device], peak = held;
    for (int32_t i = 0; i < order->n[device]; i++) {
        held += operation_memory(pipeline, &order->operations[order_at(order, device, i)]);
        peak = held > peak ? held : peak;
    }
    return peak;
}
