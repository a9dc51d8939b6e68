// SPDX-License-Identifier: Apache-2.0
// Orders the operations of a device by time slots.
#include "kernels/schedule/families/slot_order.h"

#include <string.h>

struct slot_order {
    int64_t n;
    struct operation *list; // [n]
    uint8_t *used;          // [n]
};

struct slot_order *slot_order_take(int64_t n, struct room *room)
{
    struct slot_order *slots = room_take(room, 1, sizeof *slots);
    struct operation *list = room_take(room, (size_t)n, sizeof *list);
    uint8_t *used = room_take(room, (size_t)n, 1);
    if (slots != NULL)
        *slots = (struct slot_order){n, list, used};
    return slots;
}

void slot_order_clear(struct slot_order *slots)
{
    memset(slots->used, 0, (size_t)slots->n);
}

void slot_order_put(struct slot_order *slots, int64_t slot, struct operation operation)
{
    slots->list[slot] = operation;
    slots->used[slot] = 1;
}

void slot_order_append(const struct slot_order *slots, struct order *order, int32_t device)
{
    for (int64_t i = 0; i < slots->n; i++) {
        if (!slots->used[i])
            continue;
        const int64_t at = order_at(order, device, order->n[device]++);
        order->operations[at] = slots->list[i];
        order->paired[at] = 0;
    }
}
