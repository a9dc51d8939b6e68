// SPDX-License-Identifier: Apache-2.0
// Generates orders: the sequence of forwards and backwards of every stage of a pipeline. One
// generator covers 1F1B and the interleaved orders (Narayanan et al. 2021, figures 3 and 4), in
// which the micro-batches pass the pipeline in groups, called parts. Also defines the placement of
// chunks.
#ifndef PPS_COMMON_PIPELINE_ORDERS_H
#define PPS_COMMON_PIPELINE_ORDERS_H

#include "kernels/common/pipeline/poll.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kind of a task. Other kinds (the weight part of a backward, transfers) may be added: code must
// not assume that a task that is not a forward is a backward.
enum orders_kind {
    ORDERS_FORWARD,
    ORDERS_BACKWARD,
};

struct orders_task {
    int32_t micro_batch; // from 0
    int16_t chunk;       // of the stage, from 0
    int16_t split;       // part of the sequence, from 0
    int16_t kind;        // enum orders_kind
};

// Number of forwards of a stage with several chunks before its first backward. A stage with one
// chunk always uses the low warm-up, which is 1F1B.
enum orders_warmup {
    ORDERS_STANDARD, // twice the distance to the last stage: stages do not wait for each other
    ORDERS_LOW,      // once the distance: fewer micro-batches in flight, more idle time
};

// Place of the M mod P micro-batches that do not fill a part of P micro-batches.
enum orders_remainder {
    ORDERS_FIRST,  // the first part is longer
    ORDERS_LAST,   // the last part is
    ORDERS_PADDED, // an extra last part: the order of ceil(M / P) P micro-batches, minus padding
};

struct orders_shape {
    int32_t stages;        // P >= 1
    int32_t chunks;        // V >= 1 a stage
    int32_t micro_batches; // M >= P
    int32_t splits;        // S >= 1 parts of a sequence, one task each
    enum orders_warmup warmup;
    enum orders_remainder remainder;
};

enum {
    ORDERS_CHUNKS_MAX = 1024,   // bounds of V and S
    ORDERS_TASKS_MAX = 1 << 28, // and of all tasks of a pipeline
};

// Returns whether the shape has an order; if not, `text`, of `size` bytes, gives the reason.
bool orders_check(const struct orders_shape *shape, char *text, size_t size);

// Returns the number of tasks of one stage: 2 V M S.
int32_t orders_length(const struct orders_shape *shape);

// Return the number of parts, and the number of micro-batches in part k. Forwards run part by part,
// within a part chunk by chunk, within a chunk micro-batch by micro-batch. Backwards do the same
// from the last chunk and split to the first.
int32_t orders_parts(const struct orders_shape *shape);
int32_t orders_part_size(const struct orders_shape *shape, int32_t k);

// Writes the order of one stage: orders_length tasks. The shape has passed orders_check.
//
// Number of warm-up forwards, before forwards and backwards alternate: ((V - 1) p + d) S for a stage
// with d stages behind it, where p is the size of the largest part; 2 d instead of d in the standard
// order of several chunks; at most all forwards. The last stage has S - 1 more, as the backward of a
// sequence starts with its last split.
void orders_of_stage(const struct orders_shape *shape,
                     int32_t stage,
                     struct orders_task *tasks);

// Like orders_of_stage; returns false if the poll (may be NULL) ended the loop early.
bool orders_of_stage_polled(const struct orders_shape *shape,
                            int32_t stage,
                            struct orders_task *tasks,
                            struct poll *poll);

// Assignment of the P V model chunks, in the order of the model, to stages.
enum orders_placement {
    ORDERS_LOOP, // chunk v of stage i is model chunk v P + i
    ORDERS_VEE,  // every second chunk runs from the last stage to the first
};

// Convert between (chunk, stage) and the position of the chunk in the model.
int32_t orders_position(enum orders_placement placement,
                        int32_t stages,
                        int32_t chunk,
                        int32_t stage);
void orders_at_position(enum orders_placement placement,
                        int32_t stages,
                        int32_t position,
                        int32_t *chunk,
                        int32_t *stage);

#endif
