// SPDX-License-Identifier: Apache-2.0
// Counts the micro-batches in flight along an order.
#include "kernels/common/interleaved/memory_line.h"

#include <string.h>

// Computed from counts, so that freed memory leaves no rounding error.
static double held(int32_t chunks, const int32_t *counts, const double *weights)
{
    double sum = 0;
    for (int32_t v = 0; v < chunks; v++)
        sum += weights[v] * counts[v];
    return sum;
}

// The first part has fewer than 2 P micro-batches and the warm-up lasts less than (2 V + 2) P forwards,
// so that forwards and backwards of the third part on alternate in a fixed pattern. The last part
// may differ. Twelve parts hold the start, a whole period and the end, also for V = 1.
enum { PARTS_KEPT = 12 };

struct orders_shape memline_short_shape(const struct orders_shape *shape)
{
    struct orders_shape kept = *shape;
    const int32_t parts = shape->micro_batches / shape->stages;
    if (parts > PARTS_KEPT)
        kept.micro_batches -= (parts - PARTS_KEPT) * shape->stages;
    return kept;
}

int32_t memline_long_place(const struct orders_shape *shape,
                           const struct orders_shape *short_shape, int32_t at)
{
    const int32_t kept = orders_length(short_shape);
    return at < kept / 2 ? at : at + orders_length(shape) - kept;
}

struct memline_peak memline_of_order(const struct orders_shape *shape,
                                     const struct operation *order, const double *weights)
{
    struct memline_peak peak = {.at = -1};
    int32_t counts[ORDERS_CHUNKS_MAX] = {0};
    const int32_t n = orders_length(shape);
    int32_t splits = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t step = order[k].type == OPERATION_F ? 1 : -1;
        counts[orders_chunk(shape, &order[k])] += step;
        splits += step;
        if (step <= 0)
            continue;
        const double now = held(shape->chunks, counts, weights) / shape->splits;
        if (now > peak.memory || peak.at < 0)
            peak = (struct memline_peak){now, k, splits / (double)shape->splits};
    }
    return peak;
}

void memline_curve(const struct orders_shape *shape, const struct operation *order,
                   const double *weights, double *after)
{
    int32_t counts[ORDERS_CHUNKS_MAX] = {0};
    const int32_t n = orders_length(shape);
    for (int32_t k = 0; k < n; k++) {
        counts[orders_chunk(shape, &order[k])] += order[k].type == OPERATION_F ? 1 : -1;
        after[k] = held(shape->chunks, counts, weights) / shape->splits;
    }
}

// ---- vectors ------------------------------------------------------------------------------------

static bool at_most(const int32_t *a, const int32_t *b, int32_t chunks)
{
    for (int32_t v = 0; v < chunks; v++)
        if (a[v] > b[v])
            return false;
    return true;
}

// Adds `counts` unless another vector dominates it; drops the vectors that it dominates.
static int32_t add(int32_t *vectors, int32_t n, const int32_t *counts, int32_t chunks)
{
    const size_t bytes = (size_t)chunks * sizeof *counts;
    int32_t kept = 0;
    for (int32_t k = 0; k < n; k++)
        if (at_most(counts, &vectors[(size_t)k * (size_t)chunks], chunks))
            return n;
    for (int32_t k = 0; k < n; k++) {
        const int32_t *one = &vectors[(size_t)k * (size_t)chunks];
        if (!at_most(one, counts, chunks))
            memmove(&vectors[(size_t)kept++ * (size_t)chunks], one, bytes);
    }
    memcpy(&vectors[(size_t)kept * (size_t)chunks], counts, bytes);
    return kept + 1;
}

int32_t memline_vectors_most(const struct orders_shape *shape)
{
    return orders_length(shape) / 2 + 1;
}

int32_t memline_vectors(const struct orders_shape *shape, const struct operation *order,
                        int32_t *vectors, int32_t room)
{
    int32_t counts[ORDERS_CHUNKS_MAX] = {0};
    const int32_t n = orders_length(shape);
    int32_t found = 0;
    for (int32_t k = 0; k < n; k++) {
        const bool forward = order[k].type == OPERATION_F;
        counts[orders_chunk(shape, &order[k])] += forward ? 1 : -1;
        // A maximum is reached only before a backward.
        if (!forward || (k + 1 < n && order[k + 1].type == OPERATION_F))
            continue;
        if (found < room)
            found = add(vectors, found, counts, shape->chunks);
    }
    return found;
}

double memline_of_vectors(int32_t chunks, int32_t splits, const int32_t *vectors, int32_t n,
                          const double *weights)
{
    double most = 0;
    for (int32_t k = 0; k < n; k++) {
        const double sum = held(chunks, &vectors[(size_t)k * (size_t)chunks], weights);
        most = sum > most ? sum : most;
    }
    return most / splits;
}
