// SPDX-License-Identifier: Apache-2.0
// The definition of `sensitivity`, for the fast path and the reference. Private to the model.
#ifndef PPS_CONTENTION_SENSITIVITY_H
#define PPS_CONTENTION_SENSITIVITY_H

#include "model.h"

enum { SENSITIVITY_TRIALS = 2 };

// The point with one length changed in its last bits.
struct contention_point contention_point_beside(const struct contention_point *point,
                                                int trial);

// Relative.
double contention_change(double before, double after);

#endif
