// SPDX-License-Identifier: Apache-2.0
// Doubles to text: fixed decimals as printf rounds them, and the shortest text that reads back.
// Neither depends on the locale.
#ifndef PPS_DECIMAL_H
#define PPS_DECIMAL_H

#include <stddef.h>

#define PPS_FULL_DIGITS (-1) // `--digits full`
#define PPS_MAX_DIGITS  17   // greatest number of fixed decimals
#define PPS_DECIMAL_CAP 336  // room for any double with PPS_MAX_DIGITS decimals

// Writes value with this many decimals (0 ... PPS_MAX_DIGITS), the very characters of
// printf("%.*f"), without a terminating NUL. Returns the characters written; out must have room
// for PPS_DECIMAL_CAP. value must be finite.
size_t pps_decimal_fixed(char *out, double value, int decimals);

// Writes "%.*g" of a finite value with the fewest digits (at most 17) that read back as it.
// Returns the characters written, at most 32.
size_t pps_decimal_full(char *out, double value);

// One of the two: decimals >= 0 fixed, PPS_FULL_DIGITS full.
size_t pps_decimal_write(char *out, double value, int decimals);

// Writes a whole number |value| < 2^53, as "%.0f". At most 17 characters.
size_t pps_decimal_integer(char *out, double value);

// The text of a value as people write it: at most 15 significant digits, the fewest that give
// the same 15-digit value; with `real` at least one decimal ("1.0", "0.3", "1e-09"). At most 24
// characters. The value that the text stands for is strtod of it.
// Negative zero is written as zero.
size_t pps_decimal_meant(char *out, double value, int real);

#endif
