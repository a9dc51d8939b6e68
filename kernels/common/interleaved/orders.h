// SPDX-License-Identifier: Apache-2.0
// Generates orders: the sequence of forwards and backwards of every stage of a pipeline. One
// generator covers 1F1B and the interleaved orders (Narayanan et al. 2021, figures 3 and 4), in
// which the micro-batches pass the pipeline in groups, called parts.
//
// In this folder a stage is a device: it runs the chunks that PIPELINE_LOOP places on it. Operations
// are those of plans: their `stage` is chunk * stages + device, and a backward is a BW.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Number of forwards of a stage with several chunks before its first backward. A stage with one
// chunk always uses the low warm-up, which is 1F1B.
enum orders_warmup {
    ORDERS_STANDARD, // twice the distance to the last stage: stages do not wait for each other
    ORDERS_LOW,      // once the distance: fewer micro-batches in flight, more idle time
};

struct orders_shape {
    int32_t stages;        // P >= 1
    int32_t chunks;        // V >= 1 a stage
    int32_t micro_batches; // M >= P
    int32_t splits;        // S >= 1 parts of a sequence, one operation each
    enum orders_warmup warmup;
    int32_t ahead; // more forwards before the first backward
};

enum {
    ORDERS_CHUNKS_MAX = 1024,                   // bounds of V and S
    ORDERS_TASKS_MAX = PIPELINE_OPERATIONS_MAX, // and of all operations of a step
};

// Returns whether the shape has an order; if not, `text`, of `size` bytes, gives the reason.
bool orders_check(const struct orders_shape *shape, char *text, size_t size);

// Returns the number of operations of one stage: 2 V M S.
int32_t orders_length(const struct orders_shape *shape);

// Return the number of parts, and the number of micro-batches in part k: P, and M mod P more in part 0. Forwards run part by part,
// within a part chunk by chunk, within a chunk micro-batch by micro-batch. Backwards do the same
// from the last chunk and split to the first.
int32_t orders_parts(const struct orders_shape *shape);
int32_t orders_part_size(const struct orders_shape *shape, int32_t k);

// Writes the order of one stage: orders_length operations. The shape has passed orders_check.
//
// Number of warm-up forwards, before forwards and backwards alternate: ((V - 1) p + d) S for a stage
// with d stages behind it, where p is the size of the first part, the largest; 2 d instead of d in the standard
// order of several chunks; at most all forwards. The last stage has S - 1 more, as the backward of a
// sequence starts with its last split.
void orders_of_stage(const struct orders_shape *shape, int32_t stage,
                     struct operation *operations);

// Like orders_of_stage; returns false if the poll (may be NULL) ended the loop early.
bool orders_of_stage_polled(const struct orders_shape *shape, int32_t stage,
                            struct operation *operations, struct poll *poll);

// ---- plans --------------------------------------------------------------------------------------

// Returns the shape of the pipeline that runs the orders, PIPELINE_LOOP.
struct pipeline_shape orders_pipeline(const struct orders_shape *shape);

// Writes the orders of all stages to an order with room for orders_length operations. Returns false
// if the poll (may be NULL) ended the loop early.
bool orders_write(const struct orders_shape *shape, struct order *order, struct poll *poll);

static inline int32_t orders_chunk(const struct orders_shape *shape, const struct operation *op)
{
    return shape->chunks == 1 ? 0 : op->stage / shape->stages;
}

static inline int32_t orders_micro_batch(const struct orders_shape *shape,
                                         const struct operation *op)
{
    return shape->splits == 1 ? op->item : op->item / shape->splits;
}

static inline int32_t orders_split(const struct orders_shape *shape, const struct operation *op)
{
    return shape->splits == 1 ? 0 : op->item % shape->splits;
}
