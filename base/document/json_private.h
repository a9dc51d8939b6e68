// SPDX-License-Identifier: Apache-2.0
// Declares the parts of the JSON reader: errors with a place, the strict scan, its tokens, and the
// checks of the tree.
#pragma once

#include "base/document/json.h"

enum { PPS_JSON_DEEPEST = 64 }; // open brackets

// Fills err with the place of byte `at` and the message, in which control characters become
// '?'. Returns PPS_E_INPUT.
enum pps_status pps_json_fail_byte(const struct pps_json *json, size_t at,
                                   struct pps_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// ---- tree -----------------------------------------------------------------------------------

// Assigns json->places to the items of the tree, and refuses repeated keys.
PPS_MUST_CHECK enum pps_status pps_json_match(struct pps_json *json, struct pps_error *err);

// ---- scan -----------------------------------------------------------------------------------

// Refuses everything that RFC 8259 forbids and some things that it allows (see json.h), blanks
// comments, and fills json->places in document order; their items remain NULL. Comments are
// overwritten with spaces, so all offsets stay valid.
PPS_MUST_CHECK enum pps_status pps_json_scan(struct pps_json *json, struct pps_error *err);

// ---- tokens ---------------------------------------------------------------------------------

// Each function starts at byte *at and moves *at past the token.

// Checks a string; *at is its opening quote.
PPS_MUST_CHECK enum pps_status pps_json_string(const struct pps_json *json, size_t *at,
                                               struct pps_error *err);

// Checks a number; *at is a digit, a sign or a point.
PPS_MUST_CHECK enum pps_status pps_json_number(const struct pps_json *json, size_t *at,
                                               struct pps_error *err);

// Checks true, false or null; *at is a letter or '_'.
PPS_MUST_CHECK enum pps_status pps_json_word(const struct pps_json *json, size_t *at,
                                             struct pps_error *err);
