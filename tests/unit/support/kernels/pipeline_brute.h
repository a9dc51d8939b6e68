// SPDX-License-Identifier: Apache-2.0
// Solves the pipeline program by brute force, for tests: every split and every number of
// recomputed layers, memory along the whole order, the value by executing the order. Also draws
// random small programs.
#pragma once

#include "base/system/machine.h"
#include "kernels/common/interleaved/memory_line.h"
#include "kernels/common/search/solve.h"
#include "kernels/common/split/chunk.h"
#include "kernels/common/split/evaluator.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct brute {
    const struct nd_program *program;
    struct nd_evaluator *evaluator;
    struct nd_chunk_plan chunks[32];
    double forward[32], backward[32];
    struct operation *orders; // [stages][length]
    double best;
    struct nd_chunk_plan best_chunks[32];
};

// Returns the minimum; HUGE_VAL if nothing is feasible.
double brute_force(const struct nd_program *p);

// Draws a program with at most stages * chunks stages and `layers` layers; memory ranges from
// ample to insufficient.
struct nd_program brute_program(struct draws *d, int32_t stages, int32_t layers);
