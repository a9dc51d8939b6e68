// SPDX-License-Identifier: Apache-2.0
// Plain decimals to doubles: correctly rounded, and independent of the locale.
#ifndef PPS_DECIMALREAD_H
#define PPS_DECIMALREAD_H

#include <stdbool.h>
#include <stddef.h>

enum { PPS_DECIMAL_LONGEST = 63 }; // characters of a number

// Reads a number of n characters: an optional sign, digits with at most one point among them, an
// optional exponent; nothing around it, and at least one digit. *value is what strtod makes of it
// in the C locale, so it may be infinite or zero where the exponent is large. false: it is no such number,
// or is longer than PPS_DECIMAL_LONGEST. The text need not end with NUL.
bool pps_decimal_read(const char *text, size_t n, double *value);

#endif
