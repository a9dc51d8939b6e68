// SPDX-License-Identifier: Apache-2.0
// The lower bound on the time of a point takes a few dozen operations. The proof is in lower_bound.c.
#pragma once

#include "kernels/contention/model/model.h"

// Returns a time that contention_simulate's total_time is never below, rounding included.
double contention_lower_bound(const struct contention_point *point);
