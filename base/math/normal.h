// SPDX-License-Identifier: Apache-2.0
// Normal and uniform random numbers as pure functions of a key and a counter of Philox (random.h), and
// rows of them with the same bits. One counter gives one number.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Inverse of the normal distribution function at (k + 0.5) / 2^53, k < 2^53, within 1e-11 of the result
// (relative). normal_inverse(2^53 - 1 - k) = -normal_inverse(k).
double normal_inverse(uint64_t k);

// Returns a normal number: normal_inverse of the first 53 bits of the words 0 and 1 of the result.
double normal_draw(const uint32_t counter[4], const uint32_t key[2]);

// Returns (x + 0.5) / 2^32, in (0, 1), of the first word x of the result.
double normal_uniform(const uint32_t counter[4], const uint32_t key[2]);

enum { NORMAL_LANES = 8 };

// Implementations for instruction sets; all compute the same bits as the functions above.
struct normal_rows {
    // Fills n rows of NORMAL_LANES numbers: row i, lane k has the counter
    // (counter[0] + k, counter[1], counter[2] + i, counter[3]).
    void (*draw)(const uint32_t counter[4], const uint32_t key[2], size_t n, double *out);
    void (*uniform)(const uint32_t counter[4], const uint32_t key[2], size_t n, double *out);
    // Replaces n rows by detmath_exp of each number.
    void (*exp)(size_t n, double *inout);
};

enum normal_set { NORMAL_PORTABLE, NORMAL_AVX2, NORMAL_AVX512, NORMAL_SETS };

// Returns the implementation for an instruction set; NULL: this processor or build lacks it.
const struct normal_rows *normal_rows_of(enum normal_set set);

// Returns the fastest implementation for this processor.
const struct normal_rows *normal_rows(void);
