// SPDX-License-Identifier: Apache-2.0
// Writes a small result in its own folder and verifies it, for tests.
#pragma once

#include "tests/unit/support/engine/results.h"
#include "tests/unit/support/files.h"

#include "engine/check/verify.h"

// 48 points; a rule skips points 12 to 23.
#define SMALL                                                                                  \
    "{\"n\": [2, 3], \"gpus\": 2, \"sync_freq\": [1, 2], "                                     \
    "\"priority_step\": 0.5, \"where\": \"n > 2 || sync_freq < 2\"}"

enum pps_status verify_with(const struct pps_verify_ask *ask, struct pps_verified *verified,
                            struct pps_error *err);

enum pps_status verify(const char *path, double sample, struct pps_verified *verified,
                       struct pps_error *err);

void passes(const char *path, double sample, struct pps_verified *verified);

// The message must contain these words.
void fails(const char *path, double sample, enum pps_status status, const char *words);
