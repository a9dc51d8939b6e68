// SPDX-License-Identifier: Apache-2.0
// Defines vectors of eight doubles, one per lane, in AVX-512; the headers of lanes use them.
// Private to the model. + - * / work on a `vec` as on a double.
#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef __m512d vec;
typedef uint32_t mask; // one bit per lane

#define VEC_INLINE static inline __attribute__((always_inline))

VEC_INLINE vec vec_all(double x)
{
    return _mm512_set1_pd(x);
}

// Returns the lesser of a and b; b if they are equal.
VEC_INLINE vec vec_min(vec a, vec b)
{
    return _mm512_min_pd(a, b);
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
    return _mm512_mask_mov_pd(b, (__mmask8)m, a);
}

// m ? a : 0
VEC_INLINE vec vec_where(mask m, vec a)
{
    return _mm512_maskz_mov_pd((__mmask8)m, a);
}

// m ? a + b : a
VEC_INLINE vec vec_add_where(mask m, vec a, vec b)
{
    return _mm512_mask_add_pd(a, (__mmask8)m, a, b);
}

// m ? a - b : a
VEC_INLINE vec vec_sub_where(mask m, vec a, vec b)
{
    return _mm512_mask_sub_pd(a, (__mmask8)m, a, b);
}

VEC_INLINE mask mask_none(void)
{
    return 0;
}

VEC_INLINE mask mask_all(void)
{
    return 0xff;
}

VEC_INLINE mask mask_and(mask a, mask b)
{
    return a & b;
}

// Returns a and not b.
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
    return m != 0;
}

// Returns the first lane of a mask that is not empty.
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
    *m = (*m & ~(1u << lane)) | (uint32_t)value << lane;
}

// Loads one number of each lane.
VEC_INLINE vec vec_gather(const double *const from[LANES])
{
    return _mm512_setr_pd(*from[0], *from[1], *from[2], *from[3], *from[4], *from[5], *from[6],
                          *from[7]);
}

// One set of up to 64 elements per lane, one bit per element.
typedef uint64_t bits __attribute__((vector_size(LANES * sizeof(uint64_t))));

VEC_INLINE bits bits_load(const uint64_t from[LANES])
{
    return (bits)_mm512_loadu_si512(from);
}

VEC_INLINE bits bits_all(uint64_t one)
{
    return (bits)_mm512_set1_epi64((long long)one);
}

VEC_INLINE void bits_store(uint64_t to[LANES], bits b)
{
    _mm512_storeu_si512(to, (__m512i)b);
}

// Returns the lanes that have any element of b.
VEC_INLINE mask bits_test(bits b, uint64_t some)
{
    return _mm512_test_epi64_mask((__m512i)b, _mm512_set1_epi64((long long)some));
}

// Convert to whole numbers, and back.
VEC_INLINE bits bits_of(vec a)
{
    return (bits)_mm512_cvttpd_epu64(a);
}

VEC_INLINE vec vec_of_bits(bits b)
{
    return _mm512_cvtepu64_pd((__m512i)b);
}

// Returns 1 / n of whole numbers; from a table for 0 to 15.
VEC_INLINE vec bits_part(bits n, const double small[16])
{
    if (mask_any(bits_test(n, ~UINT64_C(15))))
        return vec_all(1) / _mm512_max_pd(vec_of_bits(n), vec_all(1));
    return _mm512_permutex2var_pd(_mm512_loadu_pd(small), (__m512i)n,
                                  _mm512_loadu_pd(small + 8));
}

// m ? a + b : a
VEC_INLINE bits bits_add_where(mask m, bits a, uint64_t b)
{
    return (bits)_mm512_mask_add_epi64((__m512i)a, (__mmask8)m, (__m512i)a,
                                       _mm512_set1_epi64((long long)b));
}

// m ? a - b : a
VEC_INLINE bits bits_sub_where(mask m, bits a, uint64_t b)
{
    return (bits)_mm512_mask_sub_epi64((__m512i)a, (__mmask8)m, (__m512i)a,
                                       _mm512_set1_epi64((long long)b));
}

// m ? a | b : a
VEC_INLINE bits bits_or_where(mask m, bits a, bits b)
{
    return (bits)_mm512_mask_or_epi64((__m512i)a, (__mmask8)m, (__m512i)a, (__m512i)b);
}

VEC_INLINE bits bits_where(mask m, bits b)
{
    return (bits)_mm512_maskz_mov_epi64((__mmask8)m, (__m512i)b);
}

// Returns the lanes whose set is not empty.
VEC_INLINE mask bits_any(bits b)
{
    return _mm512_test_epi64_mask((__m512i)b, (__m512i)b);
}

// m ? a : b
VEC_INLINE bits bits_pick(mask m, bits a, bits b)
{
    return (bits)_mm512_mask_mov_epi64((__m512i)b, (__mmask8)m, (__m512i)a);
}

// Returns the number of the only bit that is set; `none` if no bit is.
VEC_INLINE bits bits_number(bits one, uint64_t none)
{
    const bits number = 63 - (bits)_mm512_lzcnt_epi64((__m512i)one);
    return bits_pick(bits_any(one), number, bits_all(none));
}

// Load eight numbers of each lane, from index k on in its row, and store them. Half rows of two
// lanes are loaded as one vector, which saves a third of the shuffles.
VEC_INLINE void vec_load_rows(vec out[8], const double *const row[LANES], int k)
{
    for (int half = 0; half < 8; half += 4) {
        vec pair[4], two[4];
        for (int n = 0; n < 4; n++) {
            const int lane = n / 2 * 4 + n % 2;
            const __m256d low = _mm256_loadu_pd(row[lane] + k + half);
            pair[n] = _mm512_insertf64x4(_mm512_castpd256_pd512(low),
                                         _mm256_loadu_pd(row[lane + 2] + k + half), 1);
        }
        for (int n = 0; n < 4; n += 2) {
            two[n] = _mm512_unpacklo_pd(pair[n], pair[n + 1]);
            two[n + 1] = _mm512_unpackhi_pd(pair[n], pair[n + 1]);
        }
        for (int n = 0; n < 2; n++) {
            out[half + n] = _mm512_shuffle_f64x2(two[n], two[n + 2], 0x88);
            out[half + n + 2] = _mm512_shuffle_f64x2(two[n], two[n + 2], 0xdd);
        }
    }
}

VEC_INLINE void vec_store_rows(const vec in[8], double *const row[LANES], int k)
{
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (int half = 0; half < 8; half += 4)
        for (int odd = 0; odd < 2; odd++) {
            const vec *v = in + half;
            const vec a = odd ? _mm512_unpackhi_pd(v[0], v[1]) : _mm512_unpacklo_pd(v[0], v[1]);
            const vec b = odd ? _mm512_unpackhi_pd(v[2], v[3]) : _mm512_unpacklo_pd(v[2], v[3]);
            const vec low = _mm512_permutex2var_pd(a, front, b);
            const vec high = _mm512_permutex2var_pd(a, back, b);
            _mm256_storeu_pd(row[odd] + k + half, _mm512_castpd512_pd256(low));
            _mm256_storeu_pd(row[odd + 2] + k + half, _mm512_extractf64x4_pd(low, 1));
            _mm256_storeu_pd(row[odd + 4] + k + half, _mm512_castpd512_pd256(high));
            _mm256_storeu_pd(row[odd + 6] + k + half, _mm512_extractf64x4_pd(high, 1));
        }
}

// A count per lane, up to four, in four bits. Bit `lane` of byte k is set if the count is above
// k.
typedef uint32_t tally;

VEC_INLINE uint32_t tally_lanes(mask m)
{
    return m * 0x01010101u;
}

// Adds one in lanes m.
VEC_INLINE tally tally_add(tally t, mask m)
{
    return t | ((t << 8 | 0xff) & tally_lanes(m));
}

// Subtracts one in lanes m, whose counts are above 0.
VEC_INLINE tally tally_take(tally t, mask m)
{
    const uint32_t lanes = tally_lanes(m);
    return (t & ~lanes) | (t >> 8 & lanes);
}

// Adds one in lanes m whose counts are 0, or subtracts one in lanes m whose counts are 1.
VEC_INLINE tally tally_add_first(tally t, mask m)
{
    return t | m;
}

VEC_INLINE tally tally_take_last(tally t, mask m)
{
    return t & ~m;
}

// Returns the lanes with a count above n < 4.
VEC_INLINE mask tally_over(tally t, int n)
{
    return t >> 8 * n & 0xff;
}

// m ? a : b
VEC_INLINE tally tally_pick(mask m, tally a, tally b)
{
    const uint32_t lanes = tally_lanes(m);
    return (a & lanes) | (b & ~lanes);
}

// Returns the greater count of each lane.
VEC_INLINE tally tally_most(tally a, tally b)
{
    return a | b;
}

VEC_INLINE int tally_get(tally t, int lane)
{
    return __builtin_popcount(t & tally_lanes(1u << lane));
}

VEC_INLINE void tally_set(tally *t, int lane, int n)
{
    const uint32_t all = tally_lanes(1u << lane);
    *t = (*t & ~all) | (all & (uint32_t)((UINT64_C(1) << 8 * n) - 1));
}
