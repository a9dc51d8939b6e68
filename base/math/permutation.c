// SPDX-License-Identifier: Apache-2.0
// Permutes with a Feistel network over a rectangle of rows x columns that is hardly larger than
// n. Each step moves one coordinate by a random amount that depends on the other coordinate.
// Each step can be undone, so the network is a permutation of the rectangle. A place beyond n
// is mapped again until it is below n, which gives a permutation of 0 ... n - 1 ("cycle
// walking").
#include "base/math/permutation.h"

#include "base/math/random.h"

static uint64_t root_above(uint64_t n)
{
    uint64_t low = 1, high = (uint64_t)1 << 32;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if ((__uint128_t)middle * middle >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void pps_permutation_init(struct pps_permutation *permutation, uint64_t n, uint64_t seed,
                          uint32_t purpose)
{
    permutation->n = n;
    permutation->columns = root_above(n);
    permutation->rows = n / permutation->columns + (n % permutation->columns != 0);
    for (uint64_t m = 0; m < PPS_PERMUTATION_MOVES; m++)
        permutation->key[m] = pps_random_bits(seed, m, purpose);
}

// Mixes x: every bit of the result depends on every bit of x. The finalizer of SplitMix64
// (Steele, Lea, Flood: Fast splittable pseudorandom number generators; OOPSLA 2014).
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static uint64_t move(uint64_t at, uint64_t other, uint64_t key, uint64_t n)
{
    const uint64_t to = at + (uint64_t)((__uint128_t)mix(other ^ key) * n >> 64);
    return to >= n ? to - n : to;
}

uint64_t pps_permutation_at(const struct pps_permutation *p, uint64_t k)
{
    do {
        uint64_t row = k / p->columns, column = k % p->columns;
        for (int m = 0; m < PPS_PERMUTATION_MOVES; m += 2) {
            row = move(row, column, p->key[m], p->rows);
            column = move(column, row, p->key[m + 1], p->columns);
        }
        k = row * p->columns + column;
    } while (k >= p->n);
    return k;
}
