// SPDX-License-Identifier: Apache-2.0
// Computes direction numbers and scrambles them.
#include "base/math/sobol.h"

#include "base/math/random.h"

enum { BITS = PPS_SOBOL_BITS, MAX_DEGREE = 7 };

// S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections,
// SIAM J. Sci. Comput. 30 (2008), 2635-2654: the beginning of their table new-joe-kuo-6 of
// 2008. Dimension d >= 1 has a primitive polynomial over GF(2) of this degree, whose inner
// coefficients are the bits of `inner`, and odd numbers m_1 ... m_degree with m_i < 2^i.
static const struct {
    int degree;
    uint32_t inner;
    uint32_t m[MAX_DEGREE];
} table[PPS_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
};

static uint64_t high_bit(int b)
{
    return (uint64_t)1 << (BITS - 1 - b);
}

// Computes direction numbers; the recurrence of the polynomial gives the numbers from m_(degree
// + 1) on.
static void set_directions(uint64_t direction[BITS], int t)
{
    const int degree = table[t].degree;
    uint64_t m[BITS];
    for (int i = 0; i < BITS; i++) {
        if (i < degree) {
            m[i] = table[t].m[i];
        } else {
            m[i] = m[i - degree] ^ m[i - degree] << degree;
            for (int c = 1; c < degree; c++)
                if ((table[t].inner >> (degree - 1 - c) & 1) != 0)
                    m[i] ^= m[i - c] << c;
        }
        direction[i] = m[i] << (BITS - 1 - i);
    }
}

void pps_sobol_init(struct pps_sobol *sobol)
{
    for (int d = 0; d < PPS_SOBOL_DIMENSIONS; d++) {
        sobol->shift[d] = 0;
        if (d > 0)
            set_directions(sobol->direction[d], d - 1);
        for (int b = 0; d == 0 && b < BITS; b++)
            sobol->direction[d][b] = high_bit(b);
    }
}

// Multiplies a vector of digits by the matrix whose row b, a mask of digits up to b, is row[b].
static uint64_t multiply(const uint64_t row[BITS], uint64_t digits)
{
    uint64_t product = 0;
    for (int b = 0; b < BITS; b++)
        if (__builtin_parityll(row[b] & digits))
            product |= high_bit(b);
    return product;
}

void pps_sobol_scramble(struct pps_sobol *sobol, uint64_t seed, uint32_t purpose)
{
    for (int d = 0; d < PPS_SOBOL_DIMENSIONS; d++) {
        uint64_t row[BITS];
        const uint64_t first = (uint64_t)d * (BITS + 1);
        for (int b = 0; b < BITS; b++) {
            const uint64_t before = ~(uint64_t)0 << (BITS - b); // digits 0 ... b - 1
            row[b] = high_bit(b) | (pps_random_53(seed, first + (uint64_t)b, purpose) & before);
        }
        for (int b = 0; b < BITS; b++)
            sobol->direction[d][b] = multiply(row, sobol->direction[d][b]);
        sobol->shift[d] = pps_random_53(seed, first + BITS, purpose);
    }
}

uint64_t pps_sobol_at(const struct pps_sobol *sobol, uint64_t k, int dimension)
{
    uint64_t x = sobol->shift[dimension];
    for (; k != 0; k &= k - 1)
        x ^= sobol->direction[dimension][__builtin_ctzll(k)];
    return x;
}
