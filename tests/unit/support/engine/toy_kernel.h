// SPDX-License-Identifier: Apache-2.0
// A small kernel for tests, with documents, presets, words for answers and infeasible points. A
// box of `size` things of `weight` each, taken x at a time, needs size * weight * x of the
// `room` of a place. If it fits, time = size * weight * factor / x. The point x = 13 always
// fails.
#pragma once

#include "ppsweep/kernel.h"

enum { TOY_BOX, TOY_PLACE, TOY_SIZE, TOY_WEIGHT, TOY_ROOM, TOY_FACTOR, TOY_X, TOY_FAST, TOY_N };
enum { TOY_TIME, TOY_ANSWER, TOY_NEED, TOY_DETAIL, TOY_COLUMNS };
enum { TOY_SLOT_BOX, TOY_SLOT_PLACE, TOY_SLOT_WAY };

// Returns the number of opened sets of documents that are not closed yet.
int toy_n_open(void);

extern const struct pps_kernel toy;
extern const struct pps_column toy_columns[TOY_COLUMNS];

// Kernels that experiments of tests may name: the toy kernel, kernels whose references are wrong at
// x = 5 or 9, and the kernels of ppsweep.
extern const struct pps_kernel *const test_kernels[];
