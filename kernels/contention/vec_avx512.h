// SPDX-License-Identifier: Apache-2.0
// Eight doubles, one a lane, in AVX-512: what lane_steps.h is written in. Private to the model.
// + - * / work on a `vec` as they do on a double.
#ifndef PPS_CONTENTION_VEC_H
#define PPS_CONTENTION_VEC_H

#include <immintrin.h>
#include <stdbool.h>

enum { LANES = 8 };

typedef __m512d vec;
typedef __mmask8 mask; // a bit a lane

#define VEC_INLINE static inline __attribute__((always_inline))

VEC_INLINE vec vec_all(double x)
{
    return _mm512_set1_pd(x);
}

// The lesser; b where they are equal.
VEC_INLINE vec vec_min(vec a, vec b)
{
    return _mm512_min_pd(a, b);
}

// 1 / count for a count of 1 ... 8; of 0, something finite.
VEC_INLINE vec vec_reciprocal(vec count)
{
    const vec table =
        _mm512_setr_pd(1.0 / 8, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7);
    return _mm512_permutexvar_pd(_mm512_cvttpd_epi64(count), table); // of the last three bits
}

VEC_INLINE mask vec_le(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

VEC_INLINE mask vec_eq(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

VEC_INLINE mask vec_gt(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}

// m ? a : b
VEC_INLINE vec vec_pick(mask m, vec a, vec b)
{
    return _mm512_mask_mov_pd(b, m, a);
}

// m ? a : 0
VEC_INLINE vec vec_where(mask m, vec a)
{
    return _mm512_maskz_mov_pd(m, a);
}

// m ? a + b : a
VEC_INLINE vec vec_add_where(mask m, vec a, vec b)
{
    return _mm512_mask_add_pd(a, m, a, b);
}

// m ? a - b : a
VEC_INLINE vec vec_sub_where(mask m, vec a, vec b)
{
    return _mm512_mask_sub_pd(a, m, a, b);
}

VEC_INLINE mask mask_none(void)
{
    return 0;
}

VEC_INLINE mask mask_and(mask a, mask b)
{
    return (mask)(a & b);
}

// a and not b
VEC_INLINE mask mask_less(mask a, mask b)
{
    return (mask)(a & ~b);
}

VEC_INLINE mask mask_or(mask a, mask b)
{
    return (mask)(a | b);
}

VEC_INLINE bool mask_any(mask m)
{
    return m != 0;
}

// The first lane of some.
VEC_INLINE int mask_first(mask m)
{
    return __builtin_ctz(m);
}

VEC_INLINE bool mask_get(mask m, int lane)
{
    return m >> lane & 1;
}

VEC_INLINE void mask_set(mask *m, int lane, bool value)
{
    *m = (mask)((*m & ~(1u << lane)) | (unsigned)value << lane);
}

#endif
