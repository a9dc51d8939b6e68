// SPDX-License-Identifier: Apache-2.0
// Formats counts, sizes and times for people. Thread-safe.
#ifndef PPS_BASE_TEXT_HUMAN_H
#define PPS_BASE_TEXT_HUMAN_H

#include <stddef.h>

// Writes a count for people, as in "1 234 567".
void pps_human_count(double n, char *out, size_t cap);

// Writes a size for people, as in "12.3 MiB".
void pps_human_bytes(double bytes, char *out, size_t cap);

// Writes a time for people, as in "1h 02m", "3.4 s" or "12 ms".
void pps_human_seconds(double seconds, char *out, size_t cap);

#endif
