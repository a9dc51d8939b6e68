// SPDX-License-Identifier: Apache-2.0
// The text of a JSON document as bytes and characters: is it UTF-8, where does a byte stand,
// and errors that point at a byte. Private to jsonfile, jsonscan and jsontoken.
#ifndef PPS_JSONTEXT_H
#define PPS_JSONTEXT_H

#include "jsonfile.h"

// Line and column (in characters), both from 1, of byte `at` <= json->n. A line ends at LF, at
// CRLF, or at a CR alone.
void pps_json_position(const struct pps_json *json, size_t at, int *line, int *column);

// Fills err with the place of byte `at` and the text, in which control characters become '?';
// returns PPS_E_INPUT.
enum pps_status pps_json_fail_byte(const struct pps_json *json,
                                   size_t at,
                                   struct pps_error *err,
                                   const char *format,
                                   ...) __attribute__((format(printf, 4, 5)));

// The same with the arguments already taken. Without a place where line is 0.
enum pps_status pps_json_fail_list(const struct pps_json *json,
                                   int line,
                                   int column,
                                   struct pps_error *err,
                                   const char *format,
                                   va_list args) __attribute__((format(printf, 5, 0)));

// Bytes of the UTF-8 character at the start of s, of which n >= 1 bytes exist; 0: it is none.
size_t pps_utf8_length(const char *s, size_t n);

// Refuses NUL bytes and whatever is not UTF-8.
PPS_MUST_CHECK enum pps_status pps_json_check_bytes(const struct pps_json *json,
                                                    struct pps_error *err);

#endif
