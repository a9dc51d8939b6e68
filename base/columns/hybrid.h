// SPDX-License-Identifier: Apache-2.0
// Packs small numbers in the hybrid of run lengths and bit fields that Parquet uses for dictionary
// codes and definition levels. Source: "Run Length Encoding / Bit-Packing Hybrid" in the Parquet
// format specification. Thread-safe.
#pragma once

#include "base/text/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_HYBRID_BITS_MAX = 32 };

// Returns the bits that numbers below n need, at least 1.
int pps_hybrid_bits(uint32_t n);

// Appends n numbers of at most `bits` bits each.
void pps_hybrid_write(struct text_buffer *out, const uint32_t *numbers, size_t n, int bits);

// Appends n > 0 equal numbers.
void pps_hybrid_run(struct text_buffer *out, uint32_t number, size_t n, int bits);

// Reads exactly n numbers from `bytes` bytes. Returns false if the bytes are not the packed form
// of n numbers of this width.
bool pps_hybrid_read(const unsigned char *at, size_t bytes, int bits, uint32_t *numbers,
                     size_t n);
