// SPDX-License-Identifier: Apache-2.0
// Checks the bytes of a JSON document and reports errors with the place of a byte.
#ifndef PPS_JSONTEXT_H
#define PPS_JSONTEXT_H

#include "base/document/json.h"

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

// Refuses NUL bytes and invalid UTF-8.
PPS_MUST_CHECK enum pps_status pps_json_check_bytes(const struct pps_json *json,
                                                    struct pps_error *err);

#endif
