// SPDX-License-Identifier: Apache-2.0
// Rows of random numbers for one instruction set. CMakeLists.txt compiles this file once for each set and
// defines ROWS, the name of the table. All do the operations of the scalar code in the same order.
#include "base/math/detmath_private.h"
#include "base/math/normal_private.h"

#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
enum { WIDTH = 8 };
#define MULTIPLY(a, b) _mm512_mul_epu32((__m512i)(a), _mm512_set1_epi64(b))
#elif defined(__AVX2__)
#include <immintrin.h>
enum { WIDTH = 4 };
#define MULTIPLY(a, b) _mm256_mul_epu32((__m256i)(a), _mm256_set1_epi64x(b))
#elif defined(__SSE2__)
#include <immintrin.h>
enum { WIDTH = 2 };
#define MULTIPLY(a, b) _mm_mul_epu32((__m128i)(a), _mm_set1_epi64x(b))
#else
enum { WIDTH = 2 };
#define MULTIPLY(a, b) (((a)&0xffffffffu) * (uint64_t)(b))
#endif

// Parts of a row.
typedef double vec __attribute__((vector_size(WIDTH * sizeof(double))));
typedef uint64_t words __attribute__((vector_size(WIDTH * sizeof(uint64_t))));

static const vec zero = {0};
static const words none = {0};

#define LANES_INLINE static inline __attribute__((always_inline))

// pps_philox for counters that differ in the first word. The upper halves of words c are not used, except
// those of products. Sets the first two words of the result.
LANES_INLINE void philox(words c0, const uint32_t counter[4], const uint32_t key[2], words *x0,
                         words *x1)
{
    words c1 = none + counter[1], c2 = none + counter[2], c3 = none + counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const words even = (words)MULTIPLY(c0, 0xd2511f53),
                    odd = (words)MULTIPLY(c2, 0xcd9e8d57);
        c0 = (odd >> 32) ^ c1 ^ k0;
        c1 = odd;
        c2 = (even >> 32) ^ c3 ^ k1;
        c3 = even;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    *x0 = c0 & 0xffffffffu;
    *x1 = c1 & 0xffffffffu;
}

LANES_INLINE words counters(uint32_t first)
{
    words c = {0};
    for (uint32_t lane = 0; lane < WIDTH; lane++)
        c[lane] = first + lane;
    return c;
}

// Converts integers below 2^52.
LANES_INLINE vec number_of(words k, double shift)
{
    return (vec)(k | 0x4330000000000000u) - (0x1p52 - shift);
}

// Draws normal numbers for the lanes of a part.
LANES_INLINE void draw_part(words c0, const uint32_t counter[4], const uint32_t key[2],
                            double *restrict out)
{
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    words x0, x1;
    philox(c0, counter, key, &x0, &x1);
    const words k = (x0 >> 5) << 26 | x1 >> 6, upper = (words)(k > most / 2);
    const vec t = number_of(k ^ (upper & most), 0.5) * 0x1p-53, q = 0.5 - t, r = 0.25 - q * q;
    vec p = zero + normal_p[0], s = zero + normal_q[0];
    for (int j = 1; j < NORMAL_TERMS; j++) {
        p = p * r + normal_p[j];
        s = s * r + normal_q[j];
    }
    const vec z = (vec)((words)(q * p / s) ^ (~upper & (UINT64_C(1) << 63)));
    memcpy(out, &z, sizeof z);
    const words tails = (words)(t < NORMAL_TAIL);
    uint64_t any = 0;
    for (int lane = 0; lane < WIDTH; lane++)
        any |= tails[lane];
    if (__builtin_expect(any != 0, 0))
        for (int lane = 0; lane < WIDTH; lane++)
            if (tails[lane] != 0) {
                const double size = normal_tail(t[lane]);
                out[lane] = upper[lane] != 0 ? size : -size;
            }
}

static void draw(const uint32_t counter[4], const uint32_t key[2], size_t n,
                 double *restrict out)
{
    const words c0 = counters(counter[0]);
    uint32_t c[4];
    memcpy(c, counter, sizeof c);
    for (size_t i = 0; i < n; i++, c[2]++)
        for (uint32_t lane = 0; lane < NORMAL_LANES; lane += WIDTH)
            draw_part(c0 + lane, c, key, out + i * NORMAL_LANES + lane);
}

static void uniform(const uint32_t counter[4], const uint32_t key[2], size_t n,
                    double *restrict out)
{
    const words c0 = counters(counter[0]);
    uint32_t c[4];
    memcpy(c, counter, sizeof c);
    for (size_t i = 0; i < n; i++, c[2]++)
        for (uint32_t lane = 0; lane < NORMAL_LANES; lane += WIDTH) {
            words x0, x1;
            philox(c0 + lane, c, key, &x0, &x1);
            const vec u = number_of(x0, 0.5) * 0x1p-32;
            memcpy(out + i * NORMAL_LANES + lane, &u, sizeof u);
        }
}

static void exponential(size_t n, double *restrict inout)
{
    for (double *at = inout; at < inout + n * NORMAL_LANES; at += WIDTH) {
        vec x;
        memcpy(&x, at, sizeof x);
        const vec least = zero + DETMATH_EXP_LEAST, most = zero + DETMATH_EXP_MOST;
        words pick = (words)(x < least);
        x = (vec)((pick & (words)least) | (~pick & (words)x));
        pick = (words)(x > most);
        x = (vec)((pick & (words)most) | (~pick & (words)x));
        const vec shifted = x * DETMATH_1_BY_LN2 + DETMATH_SHIFT,
                  whole_part = shifted - DETMATH_SHIFT,
                  rest = (x - whole_part * DETMATH_LN2_HIGH) - whole_part * DETMATH_LN2_LOW;
        vec sum = zero + detmath_exp_terms[0];
        for (int j = 1; j < DETMATH_EXP_TERMS; j++)
            sum = sum * rest + detmath_exp_terms[j];
        const words whole = (words)shifted + DETMATH_EXP_OFFSET, half = whole >> 1;
        sum = sum * (vec)(half << 52) * (vec)((whole - half) << 52);
        memcpy(at, &sum, sizeof sum);
    }
}

extern const struct normal_rows ROWS;
const struct normal_rows ROWS = {draw, uniform, exponential};
