// SPDX-License-Identifier: Apache-2.0
// Formats counts, sizes and times for people. Thread-safe.
#pragma once

#include <stddef.h>

// Writes a count for people, as in "1 234 567".
void pps_human_count(double n, char *out, size_t cap);

// Returns a count as text, for one printf: "%s rows", pps_count_text(n).text.
struct pps_count_text {
    char text[32];
};
struct pps_count_text pps_count_text(double n);

// The same of a number with so many decimals: "12 345.600".
struct pps_count_text pps_decimals_text(double value, int decimals);

// The same with at most so many significant digits: pps_human_number.
struct pps_count_text pps_digits_text(double value, int digits);

// The same of a difference, with its sign: "+12 345.6". pps_change_text has so many decimals.
struct pps_count_text pps_signed_text(double value, int digits);
struct pps_count_text pps_change_text(double value, int decimals);

// Returns a time with three decimals in us, ms or s, by its size: "1 234.500 s".
struct pps_count_text pps_time_text(double seconds);

// Writes a number for people, with at most `digits` significant digits and blanks between groups of three
// digits, as in "12 345.6". Very large and very small numbers are written as 1e+20 and 1e-05.
void pps_human_number(double value, int digits, char *out, size_t cap);

// Copies a cell of a row: a number with blanks between groups of three digits, another text as it is.
void pps_human_cell(const char *cell, size_t n, char *out, size_t cap);

// Writes a size for people, as in "12.3 MiB".
void pps_human_bytes(double bytes, char *out, size_t cap);

// Writes a time for people, as in "1h 02m", "3.4 s" or "12 ms".
void pps_human_seconds(double seconds, char *out, size_t cap);
