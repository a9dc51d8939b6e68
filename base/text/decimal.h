// SPDX-License-Identifier: Apache-2.0
// Converts doubles to text: fixed decimals rounded as printf does, and the shortest text that
// reads back as the same double. Independent of the locale. All functions are thread-safe.
#pragma once

#include <stddef.h>

#define PPS_FULL_DIGITS (-1) // `--digits full`
#define PPS_MAX_DIGITS  17   // maximum number of fixed decimals
#define PPS_DECIMAL_CAP 336  // bytes for any double with PPS_MAX_DIGITS decimals

// Writes a finite value with 0 ... PPS_MAX_DIGITS decimals: the same characters as
// printf("%.*f"), without a NUL. out must have room for PPS_DECIMAL_CAP bytes. Returns the
// number of characters.
size_t pps_decimal_fixed(char *out, double value, int decimals);

// Writes a finite value as "%.*g" with the fewest digits (at most 17) that read back as the
// same double. Returns the number of characters, at most 32.
size_t pps_decimal_full(char *out, double value);

// Calls pps_decimal_fixed if decimals >= 0, or pps_decimal_full if decimals is PPS_FULL_DIGITS.
size_t pps_decimal_write(char *out, double value, int decimals);

// Writes a whole number with |value| < 2^53 as "%.0f". Returns the number of characters, at
// most 17.
size_t pps_decimal_integer(char *out, double value);

// Writes a value as people write it: the fewest digits (at most 15) that give the same value of
// 15 significant digits. With `real` the text has at least one decimal ("1.0", "0.3", "1e-09").
// Negative zero is written as zero. strtod of the text is the value that the text means.
// Returns the number of characters, at most 24.
size_t pps_decimal_meant(char *out, double value, int real);
