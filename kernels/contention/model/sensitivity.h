// SPDX-License-Identifier: Apache-2.0
// Defines `sensitivity` for the fast path and the reference. Private to the model.
#pragma once

#include "kernels/contention/model/model.h"

enum { SENSITIVITY_TRIALS = 2 };

// Returns the point with one length changed in its last bits; trial < SENSITIVITY_TRIALS.
struct contention_point contention_point_beside(const struct contention_point *point,
                                                int trial);

// Returns the relative change from `before` to `after`.
double contention_change(double before, double after);
