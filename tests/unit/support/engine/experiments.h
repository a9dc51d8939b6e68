// SPDX-License-Identifier: Apache-2.0
// Loads experiments from text, for tests.
#pragma once

#include "engine/experiment/experiment.h"

// Sets whether experiments loaded from now on have a column of statuses (--status).
void load_with_status(bool is_on);

// Loads an experiment that may name any of test_kernels.
enum pps_status load_text(const char *text, struct pps_experiment **experiment,
                          struct pps_error *err);

// Loads a valid experiment; fails the test if loading fails.
struct pps_experiment *load_good(const char *text);
