// SPDX-License-Identifier: Apache-2.0
// Holds the order of operations of every device of a pipeline.
#pragma once

#include "kernels/common/plan/pipeline.h"

enum operation_type {
    OPERATION_F,  // forward
    OPERATION_B,  // backward of the stage's input
    OPERATION_W,  // backward of the weights
    OPERATION_BW, // both in one piece; its message leaves at the end of the piece
    OPERATION_R,  // a forward that is computed again; it sends nothing
    OPERATION_TYPES,
};

// A micro-batch has, on each stage and in its direction, one F, and either one B and one W or one BW,
// and at most one R. An F that is paired with the BW after it in the order starts and ends with it.
struct operation {
    int32_t item;      // micro-batch; with slices: micro-batch * slices + slice
    int16_t stage;     // of the model
    uint8_t type;      // enum operation_type
    uint8_t direction; // 0 or 1
};

// Returns the time of an operation of a stage.
static inline double operation_time(const struct pipeline_stage *stage, int type)
{
    const double times[OPERATION_TYPES] = {stage->f, stage->b, stage->w, stage->b + stage->w,
                                           stage->r};
    return times[type];
}

// Returns the memory that an operation takes at its start (F) or, negative, frees at its end.
double operation_memory(const struct pipeline *pipeline, const struct operation *op);

// The operation at position i of device d is at [d * room + i] of all arrays.
struct order {
    int32_t devices;
    int32_t room; // operations of a device at most: order_stride
    int32_t *n;   // [devices]: operations of a device
    struct operation *operations;
    uint8_t *paired; // 1: an F that runs as one unit with the BW that follows; otherwise 0
};

// Returns the room that every order of the pipeline needs: F, B, W and, with_r, R of all its chunks.
int32_t order_room(const struct pipeline *pipeline, bool with_r);

// Returns the room of an order with room for so many operations of a device. Long orders get a few more:
// their devices, which run side by side, then do not share a few sets of the cache.
static inline int32_t order_stride(int32_t operations)
{
    return operations < 128 ? operations : ((operations + 7) / 8 | 1) * 8;
}

// Takes the arrays from the room; the order is empty then.
void order_take(struct order *order, int32_t devices, int32_t operations, struct room *room);

// Allocates an empty order, which the caller frees with order_free. NULL: out of memory.
struct order *order_new(int32_t devices, int32_t operations);
void order_free(struct order *order);

void order_clear(struct order *order);

// Copies an order into one of the same devices and at least the same room.
void order_copy(struct order *to, const struct order *from);

// Returns the number of operations of all devices.
int64_t order_total(const struct order *order);

bool order_equal(const struct order *a, const struct order *b);

// Returns the largest memory of a device along its order.
double order_peak(const struct pipeline *pipeline, const struct order *order, int32_t device);

static inline int64_t order_at(const struct order *order, int32_t device, int32_t position)
{
    return (int64_t)device * order->room + position;
}

// Appends an operation in direction 0. The device has room.
static inline void order_add(struct order *order, int32_t device, enum operation_type type,
                             int32_t item, int32_t stage)
{
    const int64_t at = order_at(order, device, order->n[device]++);
    order->operations[at] =
        (struct operation){.item = item, .stage = (int16_t)stage, .type = (uint8_t)type};
    order->paired[at] = 0;
}
