// SPDX-License-Identifier: Apache-2.0
// Checks one JSON token strictly: a string, a number or a word. Private to jsonscan.
#ifndef PPS_JSONTOKEN_H
#define PPS_JSONTOKEN_H

#include "base/document/json.h"

// Each function starts at byte *at and moves *at past the token.

// Checks a string; *at is its opening quote.
PPS_MUST_CHECK enum pps_status pps_json_string(const struct pps_json *json,
                                               size_t *at,
                                               struct pps_error *err);

// Checks a number; *at is a digit, a sign or a point.
PPS_MUST_CHECK enum pps_status pps_json_number(const struct pps_json *json,
                                               size_t *at,
                                               struct pps_error *err);

// Checks true, false or null; *at is a letter or '_'.
PPS_MUST_CHECK enum pps_status pps_json_word(const struct pps_json *json,
                                             size_t *at,
                                             struct pps_error *err);

#endif
