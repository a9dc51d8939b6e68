// SPDX-License-Identifier: Apache-2.0
// The text of a JSON document as bytes and characters: UTF-8 checks, the line and column of a
// byte, and errors with the place of a byte. Private to jsonfile, jsonscan and jsontoken.
#ifndef PPS_JSONTEXT_H
#define PPS_JSONTEXT_H

#include "base/document/json.h"

// Returns line and column (in characters), both from 1, of byte `at` <= json->n. A line ends
// with LF, CRLF or CR.
void pps_json_position(const struct pps_json *json, size_t at, int *line, int *column);

// Fills err with the place of byte `at` and the message, in which control characters become
// '?'. Returns PPS_E_INPUT.
enum pps_status pps_json_fail_byte(const struct pps_json *json,
                                   size_t at,
                                   struct pps_error *err,
                                   const char *format,
                                   ...) __attribute__((format(printf, 4, 5)));

// Like pps_json_fail_byte, with a va_list and a known place. If line is 0, err has no place.
enum pps_status pps_json_fail_list(const struct pps_json *json,
                                   int line,
                                   int column,
                                   struct pps_error *err,
                                   const char *format,
                                   va_list args) __attribute__((format(printf, 5, 0)));

// Returns the length in bytes of the UTF-8 character at the start of s, which has n >= 1 bytes;
// 0 if the bytes are not UTF-8.
size_t pps_utf8_length(const char *s, size_t n);

// Refuses NUL bytes and invalid UTF-8.
PPS_MUST_CHECK enum pps_status pps_json_check_bytes(const struct pps_json *json,
                                                    struct pps_error *err);

#endif
