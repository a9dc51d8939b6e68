// SPDX-License-Identifier: Apache-2.0
// Numbers in text that people write: decimal, finite, nothing else around them but blanks.
#ifndef PPS_NUMTEXT_H
#define PPS_NUMTEXT_H

#include <stdbool.h>
#include <stddef.h>

// `text` of n bytes, need not end with NUL. No hexadecimal, no "inf" or "nan", no digit groups,
// 64 characters at most. false: not such a number; *value is untouched.
bool numtext_read(const char *text, size_t n, double *value);

// `value` rounded to `decimals` (0..15) digits after the point, half to even of the exact binary
// value: what printf would write, read again.
double numtext_round(double value, int decimals);

enum { NUMTEXT_CAP = 32 };

// The fewest significant digits that read back as the same finite number, whole ones without an
// exponent; at most NUMTEXT_CAP bytes with the final NUL. Returns buffer.
const char *numtext_write(char *buffer, double value);

// At most cap - 1 characters of text, fit for a message: control characters become '?', what is
// left out "...". Returns buffer.
const char *numtext_quote(char *buffer, size_t cap, const char *text, size_t n);

#endif
