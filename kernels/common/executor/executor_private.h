// SPDX-License-Identifier: Apache-2.0
// Holds the state of an executor.
#ifndef PPS_COMMON_EXECUTOR_EXECUTOR_PRIVATE_H
#define PPS_COMMON_EXECUTOR_EXECUTOR_PRIVATE_H

#include "kernels/common/executor/executor.h"

// The message that an operation of a stage sends.
struct route {
    int32_t receiver; // device; -1: none
    int32_t resource; // index of `free_at`; -1: none
    double occupation, latency;
};

enum { SEEN_F = 1, SEEN_B = 2, SEEN_W = 4, SEEN_BW = 8, SEEN_R = 16 };

struct executor {
    const struct pipeline *pipeline;
    const struct order *order;
    struct poll *poll;
    const double *release;
    enum executor_status status;
    int32_t n_parts, n_items; // directions * stages; M Q
    bool broken_on_device;    // an operation stands before its input on the same device
    double makespan, span;

    double *starts, *ends; // [order_at]
    // [part * items + item]: arrival of the input of an F, of a B; negative: not sent yet
    double *input[2];
    uint8_t *seen;          // [part * items + item]: bits SEEN_
    struct route *route[2]; // [part]: forward, backward
    double *free_at;        // [resource]
    double *clock;          // [device]
    int32_t *position;      // [device]: of the next operation
    int64_t
        *wanted; // [device]: index of the input that it waits for, with the kind in bit 0; -1
    int32_t *awake;    // stack of devices
    int64_t *sequence; // [operations]: order_at in the order of execution
    int64_t n_sequence;
};

// Index of an operation's stage and direction, and of its micro-batch on that stage.
static inline int64_t executor_part(const struct executor *e, const struct operation *op)
{
    return (int64_t)op->direction * e->pipeline->shape.stages + op->stage;
}

static inline int64_t executor_index(const struct executor *e, const struct operation *op)
{
    return executor_part(e, op) * e->n_items + op->item;
}

// Checks the set of operations; returns whether it is right. fault may be NULL.
bool executor_check(struct executor *e, struct executor_fault *fault);

#endif
