// SPDX-License-Identifier: Apache-2.0
// Defines vectors of LANES doubles, in the vector types that the compiler provides for its
// target; the headers of lanes use them. Private to the model. The including file defines
// LANES, a power of two. + - * / work on a `vec` as on a double.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(LANES * sizeof(int64_t)))); // all bits, or none

#define VEC_INLINE static inline __attribute__((always_inline))

VEC_INLINE vec vec_all(double x)
{
    vec all = {0};
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

// Returns the lesser of a and b; b if they are equal.
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

VEC_INLINE mask mask_all(void)
{
    return ~(mask){0};
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
    int64_t any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any |= m[lane];
    return any != 0;
}

VEC_INLINE bool mask_get(mask m, int lane)
{
    return m[lane] != 0;
}

// Returns the first lane of a mask that is not empty.
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

// Loads one number of each lane.
VEC_INLINE vec vec_gather(const double *const from[LANES])
{
    vec v = {0};
    for (int lane = 0; lane < LANES; lane++)
        v[lane] = *from[lane];
    return v;
}

// One set of up to 64 elements per lane, one bit per element.
typedef uint64_t bits __attribute__((vector_size(LANES * sizeof(uint64_t))));

VEC_INLINE bits bits_load(const uint64_t from[LANES])
{
    bits b = {0};
    for (int lane = 0; lane < LANES; lane++)
        b[lane] = from[lane];
    return b;
}

VEC_INLINE bits bits_all(uint64_t one)
{
    bits b = {0};
    for (int lane = 0; lane < LANES; lane++)
        b[lane] = one;
    return b;
}

VEC_INLINE void bits_store(uint64_t to[LANES], bits b)
{
    for (int lane = 0; lane < LANES; lane++)
        to[lane] = b[lane];
}

// Returns the lanes that have any element of b.
VEC_INLINE mask bits_test(bits b, uint64_t some)
{
    return (mask)((b & some) != 0);
}

// Convert to whole numbers, and back.
VEC_INLINE bits bits_of(vec a)
{
    bits b = {0};
    for (int lane = 0; lane < LANES; lane++)
        b[lane] = (uint64_t)a[lane];
    return b;
}

VEC_INLINE vec vec_of_bits(bits b)
{
    vec v = {0};
    for (int lane = 0; lane < LANES; lane++)
        v[lane] = (double)b[lane];
    return v;
}

// Returns 1 / n of whole numbers; 1 for 0. Dividing is as fast as a table here.
VEC_INLINE vec bits_part(bits n, const double small[16])
{
    vec v = {0};
    (void)small;
    for (int lane = 0; lane < LANES; lane++)
        v[lane] = 1.0 / (double)(n[lane] + (n[lane] == 0));
    return v;
}

// m ? a + b : a
VEC_INLINE bits bits_add_where(mask m, bits a, uint64_t b)
{
    return a + ((bits)m & b);
}

// m ? a - b : a
VEC_INLINE bits bits_sub_where(mask m, bits a, uint64_t b)
{
    return a - ((bits)m & b);
}

// m ? a | b : a
VEC_INLINE bits bits_or_where(mask m, bits a, bits b)
{
    return a | ((bits)m & b);
}

VEC_INLINE bits bits_where(mask m, bits b)
{
    return (bits)m & b;
}

// Returns the lanes whose set is not empty.
VEC_INLINE mask bits_any(bits b)
{
    return (mask)(b != 0);
}

// m ? a : b
VEC_INLINE bits bits_pick(mask m, bits a, bits b)
{
    return ((bits)m & a) | (~(bits)m & b);
}

// Returns the number of the only bit that is set; `none` if no bit is.
VEC_INLINE bits bits_number(bits one, uint64_t none)
{
    bits b = {0};
    for (int lane = 0; lane < LANES; lane++)
        b[lane] = one[lane] != 0 ? (uint64_t)__builtin_ctzll(one[lane]) : none;
    return b;
}

// Load eight numbers of each lane, from index k on in its row, and store them.
VEC_INLINE void vec_load_rows(vec out[8], const double *const row[LANES], int k)
{
    for (int n = 0; n < 8; n++) {
        vec v = {0};
        for (int lane = 0; lane < LANES; lane++)
            v[lane] = row[lane][k + n];
        out[n] = v;
    }
}

VEC_INLINE void vec_store_rows(const vec in[8], double *const row[LANES], int k)
{
    for (int n = 0; n < 8; n++)
        for (int lane = 0; lane < LANES; lane++)
            row[lane][k + n] = in[n][lane];
}

// A count per lane, up to four. Both halves of a lane hold the count, because every processor
// can compare halves.
typedef int32_t tally __attribute__((vector_size(LANES * sizeof(int64_t))));

// Adds one in lanes m.
VEC_INLINE tally tally_add(tally t, mask m)
{
    return t - (tally)m;
}

// Subtracts one in lanes m, whose counts are above 0.
VEC_INLINE tally tally_take(tally t, mask m)
{
    return t + (tally)m;
}

// Adds one in lanes m whose counts are 0, or subtracts one in lanes m whose counts are 1.
VEC_INLINE tally tally_add_first(tally t, mask m)
{
    return tally_add(t, m);
}

VEC_INLINE tally tally_take_last(tally t, mask m)
{
    return tally_take(t, m);
}

// Returns the lanes with a count above n.
VEC_INLINE mask tally_over(tally t, int n)
{
    return (mask)(t > n);
}

// m ? a : b
VEC_INLINE tally tally_pick(mask m, tally a, tally b)
{
    return ((tally)m & a) | (~(tally)m & b);
}

// Returns the greater count of each lane.
VEC_INLINE tally tally_most(tally a, tally b)
{
    return tally_pick((mask)(a > b), a, b);
}

VEC_INLINE int tally_get(tally t, int lane)
{
    return t[2 * lane];
}

VEC_INLINE void tally_set(tally *t, int lane, int n)
{
    (*t)[2 * lane] = (*t)[2 * lane + 1] = n;
}
