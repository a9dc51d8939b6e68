// SPDX-License-Identifier: Apache-2.0
// A time that a point cannot beat, from a few dozen operations. Why it holds: bound.c.
#ifndef PPS_CONTENTION_BOUND_H
#define PPS_CONTENTION_BOUND_H

#include "model.h"

// At most contention_simulate's total_time of the point, rounding included.
double contention_lower_bound(const struct contention_point *point);

#endif
