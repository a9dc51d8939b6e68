// SPDX-License-Identifier: Apache-2.0
// Reads and writes decimal, finite numbers in text written by people; only blanks may surround a
// number.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// `text` of n bytes, need not end with NUL. No hexadecimal, no "inf" or "nan", no digit groups,
// 64 characters at most. false: not a number of this form; *value is unchanged.
bool number_text_read(const char *text, size_t n, double *value);

// Returns `value` rounded to `decimals` (0..15) digits after the point, ties to even on the exact
// binary value: the same number as printf and strtod give.
double number_text_round(double value, int decimals);

enum { NUMBER_TEXT_CAP = 32 };

// Writes the fewest significant digits that read back as the same finite number, whole numbers
// without an exponent; at most NUMBER_TEXT_CAP bytes with the final NUL. Returns buffer.
const char *number_text_write(char *buffer, double value);

// Writes at most cap - 1 characters of text for a message: control characters become '?', and "..."
// marks truncated text. Returns buffer.
const char *number_text_quote(char *buffer, size_t cap, const char *text, size_t n);
