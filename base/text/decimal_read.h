// SPDX-License-Identifier: Apache-2.0
// Converts plain decimals to doubles, correctly rounded and independent of the locale.
// Thread-safe.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { PPS_DECIMAL_LONGEST = 63 }; // maximum characters of a number

// Reads a number of n characters: an optional sign, at least one digit with at most one decimal
// point, and an optional exponent, without surrounding characters. *value equals the result of
// strtod in the C locale, so it may be infinite or zero if the exponent is large. Returns false
// for any other text and for a text longer than PPS_DECIMAL_LONGEST. The text need not end with
// NUL.
bool pps_decimal_read(const char *text, size_t n, double *value);
