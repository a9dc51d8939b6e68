// SPDX-License-Identifier: Apache-2.0
// Calls of the C library that several tests make. They fail the test if the call fails.
#pragma once

#include "ppsweep.h"

// An experiment with a few rows and skipped points.
#define SMALL_SWEEP                                                                            \
    "{\"n\": [8, 12], \"sync_freq\": [1, 2, 9], \"congestion\": [true, false], "               \
    "\"pipeline\": [\"1f1b\", \"gpipe\"], \"priority_step\": 0.5}"

#define NDSEARCH_INPUTS                                                                        \
    "{\"model\": [\"llama3-8b\", \"llama3-70b\"], \"cluster\": {\"hardware\": \"H100\", "      \
    "\"nnodes\": 8}}"

struct ppsweep_model *open_model(const char *kernel, const char *inputs);

// Returns the number of a parameter.
int model_param(const struct ppsweep_model *model, const char *name);

// Runs an experiment to its end and sets the size of the options. summary may be NULL.
void run_sweep(struct ppsweep_run_options options, struct ppsweep_summary *summary);
