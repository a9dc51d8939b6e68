// SPDX-License-Identifier: Apache-2.0
// Keeps the partial schedules of the exact search that have the same number of operations. Of two with
// the same operations, the layer drops the one that is not earlier at any stage or message. When it
// is full, it drops the ones with the largest bounds, and remembers the least bound dropped.
#pragma once

#include "kernels/schedule/exact/bound.h"

#include <math.h>

struct exact_label {
    double bound, sum; // exact_bound_of
    uint32_t next;     // of the same hash, or of the free labels; index + 1
    uint32_t parent;   // number of the label before
    uint16_t stage;    // of the last operation
    uint8_t type;
    uint8_t alive;
    uint32_t hash;
    // followed by the operations done and the flags held, uint16_t, and, from the next multiple of 8
    // bytes, by the times: clocks, then arrivals by stage
};

struct exact_key {
    double bound, sum;
    uint32_t index;
};

struct exact_layer {
    char *labels;
    size_t stride, n_counts; // bytes of a label; counts of a label
    uint32_t *table;         // [mask + 1]: index + 1 of the first label
    uint32_t mask_most, mask;
    struct exact_key *keys; // [n_kept] after exact_layer_select, best first
    uint32_t capacity;      // labels in memory
    uint32_t width;         // labels kept at most; 2 * width <= capacity
    uint32_t n, free;       // labels used so far; first free label, index + 1
    uint32_t n_kept;
    double full_bound, full_sum; // once full: labels that are not better are dropped
    double dropped;              // the least bound of the labels dropped
};

// Returns the bytes of a label.
size_t exact_label_bytes(const struct pipeline_shape *shape);

void exact_layer_take(struct exact_layer *layer, const struct pipeline_shape *shape,
                      uint32_t width, struct room *room);
void exact_layer_clear(struct exact_layer *layer, uint32_t width);

// Adds a state with its least starts. The operation is the last one done.
void exact_layer_add(struct exact_layer *layer, const struct exact_bound *bound,
                     const struct exact_state *state, const struct exact_label *label);

// Keeps the best `width` labels and sorts them.
void exact_layer_select(struct exact_layer *layer);

static inline struct exact_label *exact_layer_label(const struct exact_layer *layer, uint32_t i)
{
    return (void *)(layer->labels + i * layer->stride);
}

// Writes a label into the state.
void exact_layer_unpack(const struct exact_layer *layer, const struct exact_instance *instance,
                        uint32_t i, struct exact_state *state);
