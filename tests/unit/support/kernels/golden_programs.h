// SPDX-License-Identifier: Apache-2.0
// Golden pipeline programs.
#pragma once

#include "kernels/common/split/program.h"
#include "tests/unit/support/kernels/golden.h"

// Reads the ratios and shape that both kinds of case have.
struct nd_program golden_program(const cJSON *item, const char *stages);

// Reads the whole program of a case of kind "pipeline".
struct nd_program golden_pipeline(const cJSON *golden);

// Names of the files of pipelines.
enum { N_GOLDEN_PIPELINES = 11 };
extern const char *const golden_pipelines[N_GOLDEN_PIPELINES];
