// SPDX-License-Identifier: Apache-2.0
// Counts the vectors in flight of a stage as the published formula does.
#include "tests/unit/support/kernels/proxy_published.h"

#include <stdlib.h>
#include <string.h>

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static void factors(const struct balance_shape *shape, int32_t s, int32_t *a)
{
    const int32_t p = shape->stages, last = shape->chunks - 1, d = p - 2 * s - 1;
    for (int32_t v = 0; v <= last; v++)
        a[v] = p;
    if (last == 0) {
        a[0] = p - s;
    } else if (shape->order == BALANCE_LESS_MEMORY) {
        a[last] -= s;
    } else {
        a[0] += d > 0 ? d : 0;
        a[last] += d < 0 ? d : 0;
        for (int32_t v = 0; v <= last; v++)
            a[v] = least(a[v], shape->micro_batches);
    }
}

// Micro-batches cut in q pieces. From the last stage down to this one, the first chunk whose factor has not yet
// reached the level takes one or two more.
static void factors_of_pieces(const struct balance_shape *shape, int32_t s, int32_t *a)
{
    const int32_t p = shape->stages, q = shape->pieces, last = shape->chunks - 1;
    if (last == 0) {
        a[0] = p - s + q - 1;
        return;
    }
    const int32_t step = shape->order == BALANCE_LESS_MEMORY ? 1 : 2;
    int32_t level = 1;
    for (int32_t v = 0; v <= last; v++)
        a[v] = v == last ? q : p;
    for (int32_t stage = p - 2; stage >= s; stage--) {
        int32_t v = 0;
        while (v <= last && a[v] % p == 0 && a[v] / p >= level)
            v++;
        level += v > last;
        a[v > last ? 0 : v] += step;
    }
    for (int32_t v = 0; v <= last; v++)
        a[v] = least(a[v], (int64_t)shape->micro_batches * q);
}

static void add(int32_t *a, int32_t factor, int32_t more, int32_t less)
{
    a[more] += factor;
    a[less] -= factor;
}

// Adds the growth of memory after the warm-up, step by step along the chunks.
static void add_growth(const struct balance_shape *shape, int32_t s, int32_t *a)
{
    const int32_t p = shape->stages, n = shape->chunks, d = p - 2 * s - 1;
    int32_t forward = n - 1, backward = n - 1;
    for (int32_t i = 1; i < n; i++) {
        if (i % 2 == 1)
            forward = (forward + 1) % n;
        else
            backward--;
        if (shape->order == BALANCE_LESS_MEMORY) {
            add(a, i % 2 == 1 ? p - s : s, forward, backward);
        } else if (i % 2 == 1) {
            add(a, p - abs(d), forward, backward);
        } else {
            add(a, d > 0 ? d : 0, forward + 1, backward + 1);
            add(a, d < 0 ? -d : 0, forward, backward);
        }
    }
}

int32_t proxy_published_vectors(const struct balance_shape *shape, int32_t stage,
                                int32_t *vectors)
{
    const int32_t n = shape->chunks;
    if (shape->pieces > 1)
        factors_of_pieces(shape, stage, vectors);
    else
        factors(shape, stage, vectors);
    if (n == 1 || (int64_t)shape->micro_batches * shape->pieces == shape->stages)
        return 1;
    memcpy(vectors + n, vectors, (size_t)n * sizeof *vectors);
    add_growth(shape, stage, vectors + n);
    for (int32_t v = 0; v < n; v++)
        vectors[n + v] = vectors[n + v] > 0 ? vectors[n + v] : 0;
    return 2;
}
