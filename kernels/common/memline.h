// SPDX-License-Identifier: Apache-2.0
// Memory along an order: a forward takes what its chunk keeps of a micro-batch, the backward gives
// it back. Peaks, where they are, and how many micro-batches of every chunk are in flight then.
#ifndef PPS_MEMLINE_H
#define PPS_MEMLINE_H

#include "orders.h"

#include <stdbool.h>
#include <stdint.h>

struct memline_peak {
    double memory;    // most that is held at once; the unit of the weights
    int32_t at;       // index of the task that takes it there; -1: nothing is ever taken
    double in_flight; // micro-batches, of all chunks, in flight then (a split counts 1 / S)
};

// weights[chunk]: what one micro-batch takes. The first of equal peaks.
struct memline_peak memline_of_order(const struct orders_shape *shape,
                                     const struct orders_task *tasks, // orders_length of them
                                     const double *weights);

// What is held from the start of every forward, and the end of every backward, on: after[k], of task
// k. The same unit.
void memline_curve(const struct orders_shape *shape,
                   const struct orders_task *tasks,
                   const double *weights,
                   double *after);

// Vectors of splits in flight, [chunk] each, none of which is at most another in all chunks: for
// any weights >= 0 the peak is the greatest of sum(weight * vector) / S. Writes at most `room`
// vectors to `vectors` and returns how many there are; memline_vectors_most says how much room
// there must be for any stage of the shape.
int32_t memline_vectors(const struct orders_shape *shape,
                        const struct orders_task *tasks,
                        int32_t *vectors,
                        int32_t room);
int32_t memline_vectors_most(const struct orders_shape *shape);

double memline_of_vectors(const struct orders_shape *shape,
                          const int32_t *vectors,
                          int32_t n,
                          const double *weights);

// Micro-batches in flight of 1F1B (one chunk): min(M, P - stage).
static inline int32_t memline_1f1b(int32_t stages, int32_t micro_batches, int32_t stage)
{
    return micro_batches < stages - stage ? micro_batches : stages - stage;
}

#endif
