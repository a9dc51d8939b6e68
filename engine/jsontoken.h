// SPDX-License-Identifier: Apache-2.0
// The strict check of one JSON token: a string, a number, a word. Private to jsonscan.
#ifndef PPS_JSONTOKEN_H
#define PPS_JSONTOKEN_H

#include "jsonfile.h"

// Each begins at byte *at and moves it past the token.

// At an opening quote.
PPS_MUST_CHECK enum pps_status pps_json_string(const struct pps_json *json,
                                               size_t *at,
                                               struct pps_error *err);

// At a digit, a sign or a point.
PPS_MUST_CHECK enum pps_status pps_json_number(const struct pps_json *json,
                                               size_t *at,
                                               struct pps_error *err);

// At a letter or '_': true, false or null.
PPS_MUST_CHECK enum pps_status pps_json_word(const struct pps_json *json,
                                             size_t *at,
                                             struct pps_error *err);

#endif
