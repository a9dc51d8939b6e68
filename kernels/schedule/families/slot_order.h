// SPDX-License-Identifier: Apache-2.0
// Orders the operations of a device by time slots.
#pragma once

#include "kernels/common/plan/order.h"

struct slot_order;

// Takes room for slots 0 ... n - 1; NULL if the room only counts.
struct slot_order *slot_order_take(int64_t n, struct room *room);

void slot_order_clear(struct slot_order *slots);

// Puts an operation into its slot, which is empty.
void slot_order_put(struct slot_order *slots, int64_t slot, struct operation operation);

// Appends the operations in order of their slots to the order of a device.
void slot_order_append(const struct slot_order *slots, struct order *order, int32_t device);
