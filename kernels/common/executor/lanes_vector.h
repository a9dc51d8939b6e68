// SPDX-License-Identifier: Apache-2.0
// Defines lines: the doubles of all lanes, in vectors of LANES_WIDTH doubles, which the including file
// defines.
#pragma once

#include "kernels/common/executor/executor_lanes.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define LINE_INLINE static inline __attribute__((always_inline))

enum { LINE_VECTORS = EXECUTOR_LANES / LANES_WIDTH };

typedef double vec __attribute__((vector_size(LANES_WIDTH * sizeof(double))));
typedef int64_t vec_mask __attribute__((vector_size(LANES_WIDTH * sizeof(int64_t))));

struct line {
    vec part[LINE_VECTORS];
};

LINE_INLINE double *line_at(double *lines, int64_t index)
{
    return (double *)__builtin_assume_aligned(lines + index * EXECUTOR_LANES, ROOM_ALIGNMENT);
}

LINE_INLINE struct line line_load(const double *from)
{
    struct line line;
    for (int k = 0; k < LINE_VECTORS; k++)
        line.part[k] = ((const vec *)(const void *)from)[k];
    return line;
}

LINE_INLINE void line_store(double *to, struct line line)
{
    for (int k = 0; k < LINE_VECTORS; k++)
        ((vec *)(void *)to)[k] = line.part[k];
}

LINE_INLINE struct line line_add(struct line a, struct line b)
{
    for (int k = 0; k < LINE_VECTORS; k++)
        a.part[k] += b.part[k];
    return a;
}

LINE_INLINE struct line line_scale(double factor, struct line a, double divisor)
{
    for (int k = 0; k < LINE_VECTORS; k++)
        a.part[k] = factor * (a.part[k] / divisor);
    return a;
}

LINE_INLINE struct line line_all(double value)
{
    struct line line;
    for (int k = 0; k < LINE_VECTORS; k++)
        line.part[k] = (vec){0} + value;
    return line;
}

// a > b ? a : b
LINE_INLINE vec vec_later(vec a, vec b)
{
#if defined(__x86_64__) && LANES_WIDTH == 8
    return (vec)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__x86_64__) && LANES_WIDTH == 4
    return (vec)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__x86_64__) && LANES_WIDTH == 2
    return (vec)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    const vec_mask later = a > b;
    return (vec)((later & (vec_mask)a) | (~later & (vec_mask)b));
#endif
}

LINE_INLINE struct line line_later(struct line a, struct line b)
{
    for (int k = 0; k < LINE_VECTORS; k++)
        a.part[k] = vec_later(a.part[k], b.part[k]);
    return a;
}
