// SPDX-License-Identifier: Apache-2.0
// LANES doubles in the vectors that the compiler has for its target: what lane_steps.h is written
// in. Private to the model. LANES, a power of two, is defined before. + - * / work on a `vec` as
// they do on a double.
#ifndef PPS_CONTENTION_VEC_H
#define PPS_CONTENTION_VEC_H

#include <stdbool.h>
#include <stdint.h>

typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(LANES * sizeof(int64_t)))); // all bits, or none

#define VEC_INLINE static inline __attribute__((always_inline))

VEC_INLINE vec vec_all(double x)
{
    vec all;
    for (int lane = 0; lane < LANES; lane++)
        all[lane] = x;
    return all;
}

// m ? a : b
VEC_INLINE vec vec_pick(mask m, vec a, vec b)
{
    return (vec)((m & (mask)a) | (~m & (mask)b));
}

// m ? a : 0
VEC_INLINE vec vec_where(mask m, vec a)
{
    return (vec)(m & (mask)a);
}

// The lesser; b where they are equal.
VEC_INLINE vec vec_min(vec a, vec b)
{
    return vec_pick(a < b, a, b);
}

// m ? a + b : a
VEC_INLINE vec vec_add_where(mask m, vec a, vec b)
{
    return a + vec_where(m, b);
}

// m ? a - b : a
VEC_INLINE vec vec_sub_where(mask m, vec a, vec b)
{
    return a - vec_where(m, b);
}

// 1 / count for a count of 1 ... 8; of 0, something finite.
VEC_INLINE vec vec_reciprocal(vec count)
{
    return vec_all(1) / vec_pick(count > vec_all(1), count, vec_all(1));
}

VEC_INLINE mask vec_le(vec a, vec b)
{
    return a <= b;
}

VEC_INLINE mask vec_eq(vec a, vec b)
{
    return a == b;
}

VEC_INLINE mask vec_gt(vec a, vec b)
{
    return a > b;
}

VEC_INLINE mask mask_none(void)
{
    return (mask){0};
}

VEC_INLINE mask mask_and(mask a, mask b)
{
    return a & b;
}

// a and not b
VEC_INLINE mask mask_less(mask a, mask b)
{
    return a & ~b;
}

VEC_INLINE mask mask_or(mask a, mask b)
{
    return a | b;
}

VEC_INLINE bool mask_any(mask m)
{
    int64_t any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any |= m[lane];
    return any != 0;
}

VEC_INLINE bool mask_get(mask m, int lane)
{
    return m[lane] != 0;
}

// The first lane of some.
VEC_INLINE int mask_first(mask m)
{
    int lane = 0;
    while (!mask_get(m, lane))
        lane++;
    return lane;
}

VEC_INLINE void mask_set(mask *m, int lane, bool value)
{
    (*m)[lane] = value ? -1 : 0;
}

#endif
