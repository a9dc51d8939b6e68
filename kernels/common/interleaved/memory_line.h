// SPDX-License-Identifier: Apache-2.0
// Computes activation memory along an order: a forward allocates what its chunk keeps of a
// micro-batch, the backward frees it. Finds peaks, their places, and the number of micro-batches of
// every chunk that are in flight at a peak.
#pragma once

#include "kernels/common/interleaved/orders.h"

#include <stdbool.h>
#include <stdint.h>

struct memline_peak {
    double memory; // largest amount held at once; the unit of the weights
    int32_t at;    // index of the operation that reaches it; -1: no memory is ever allocated
    double
        in_flight; // micro-batches of all chunks in flight at the peak (a split counts 1 / S)
};

// Returns a shape with fewer micro-batches whose orders have the same peaks and vectors in flight: the
// order of a long pipeline repeats from part to part, and the returned shape lacks parts in the
// middle. A short shape is returned unchanged.
struct orders_shape memline_short_shape(const struct orders_shape *shape);

// Returns the place in the order of the long shape of an operation at this place in that of its short shape.
int32_t memline_long_place(const struct orders_shape *shape,
                           const struct orders_shape *short_shape, int32_t at);

// weights[chunk]: memory of one micro-batch. Returns the first of equal peaks.
struct memline_peak memline_of_order(const struct orders_shape *shape,
                                     const struct operation *order, // orders_length of them
                                     const double *weights);

// after[k]: memory held after operation k, that is from the start of a forward or the end of a backward
// on. The unit is that of the weights.
void memline_curve(const struct orders_shape *shape, const struct operation *order,
                   const double *weights, double *after);

// Computes the Pareto-maximal vectors of splits in flight, [chunk] each: no vector is <= another in
// all chunks. For any weights >= 0 the peak is the maximum of sum(weight * vector) / S. Writes at
// most `room` vectors to `vectors` and returns their number; memline_vectors_most returns the room
// that suffices for any stage of the shape.
int32_t memline_vectors(const struct orders_shape *shape, const struct operation *order,
                        int32_t *vectors, int32_t room);
int32_t memline_vectors_most(const struct orders_shape *shape);

double memline_of_vectors(int32_t chunks, int32_t splits, const int32_t *vectors, int32_t n,
                          const double *weights);

// Returns the micro-batches in flight of 1F1B (one chunk): min(M, P - stage).
static inline int32_t memline_1f1b(int32_t stages, int32_t micro_batches, int32_t stage)
{
    return micro_batches < stages - stage ? micro_batches : stages - stage;
}
