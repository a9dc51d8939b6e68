// SPDX-License-Identifier: Apache-2.0
// Keyed permutations of 0 ... n - 1 shuffle a list that is never stored: each place is computed
// by itself. Thread-safe: a permutation is const after pps_permutation_init.
#pragma once

#include <stdint.h>

enum { PPS_PERMUTATION_MOVES = 8 };

struct pps_permutation {
    uint64_t n;
    uint64_t rows, columns; // rows * columns >= n, by a small margin
    uint64_t key[PPS_PERMUTATION_MOVES];
};

// Needs 1 <= n <= 2^63. Each pair of seed and purpose gives another permutation.
void pps_permutation_init(struct pps_permutation *permutation, uint64_t n, uint64_t seed,
                          uint32_t purpose);

// Returns the place of k < n. Different k have different places.
uint64_t pps_permutation_at(const struct pps_permutation *permutation, uint64_t k);
