// SPDX-License-Identifier: Apache-2.0
// Orders: in which order every stage of a pipeline does its forwards and backwards. One generator
// for 1F1B and the interleaved orders (Narayanan et al. 2021, figures 3 and 4), in which the
// micro-batches go through the pipeline part by part; and the placement of chunks.
#ifndef PPS_ORDERS_H
#define PPS_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a task is. Other kinds (the weight part of a backward, transfers) may follow; a reader of
// an order must not take "not a forward" for "a backward".
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

// How far a stage of several chunks runs ahead before its first backward. A stage of one chunk
// always warms up low, which is 1F1B.
enum orders_warmup {
    ORDERS_STANDARD, // twice the distance to the last stage: no stage waits for its neighbours
    ORDERS_LOW,      // once: fewer micro-batches in flight, more waiting
};

// Where the M mod P micro-batches go that make no part of P.
enum orders_remainder {
    ORDERS_FIRST, // the first part is longer
    ORDERS_LAST,  // the last part is
    ORDERS_PADDED, // a last part of their own: the order of ceil(M / P) P, less what is not there
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

// Whether the shape has an order; otherwise `text`, of `size` bytes, says why not.
bool orders_check(const struct orders_shape *shape, char *text, size_t size);

// Tasks of one stage: 2 V M S.
int32_t orders_length(const struct orders_shape *shape);

// Number of parts, and of micro-batches in part k. Forwards go part by part, in a part chunk by
// chunk, in a chunk micro-batch by micro-batch; backwards too, but from the last chunk, and split,
// to the first.
int32_t orders_parts(const struct orders_shape *shape);
int32_t orders_part_size(const struct orders_shape *shape, int32_t k);

// The order of one stage: orders_length tasks. The shape has passed orders_check.
//
// Forwards before forwards and backwards take turns: ((V - 1) p + d) S of a stage with d stages
// behind it, p being the size of the largest part, 2 d in place of d in the standard order of
// several chunks; all there are, if these are fewer. The last stage has S - 1 more, as the backward
// of a sequence starts with its last split.
void orders_of_stage(const struct orders_shape *shape,
                     int32_t stage,
                     struct orders_task *tasks);

// Which stages the parts of the model, P V in order, go to.
enum orders_placement {
    ORDERS_LOOP, // chunk v of stage i is part v P + i of the model
    ORDERS_VEE,  // every second chunk runs from the last stage to the first
};

// Which part of the model chunk `chunk` of `stage` is, and the way back.
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
