// SPDX-License-Identifier: Apache-2.0
// Keyed permutations of 0 ... n - 1, of which any place is computed by itself: shuffling a list
// that nobody writes down.
#ifndef PPS_PERMUTATION_H
#define PPS_PERMUTATION_H

#include <stdint.h>

enum { PPS_PERMUTATION_MOVES = 8 };

struct pps_permutation {
    uint64_t n;
    uint64_t rows, columns; // rows * columns >= n, by little more
    uint64_t key[PPS_PERMUTATION_MOVES];
};

// 1 <= n <= 2^63. Another seed or purpose is another permutation.
void pps_permutation_init(struct pps_permutation *permutation,
                          uint64_t n,
                          uint64_t seed,
                          uint32_t purpose);

// Where k < n goes. Different k go to different places.
uint64_t pps_permutation_at(const struct pps_permutation *permutation, uint64_t k);

#endif
