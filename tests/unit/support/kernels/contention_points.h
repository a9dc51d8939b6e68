// SPDX-License-Identifier: Apache-2.0
// Points of the contention model: a usual point, random points, their number, scratch and text.
#ifndef TESTS_SUPPORT_CONTENTION_POINTS_H
#define TESTS_SUPPORT_CONTENTION_POINTS_H

#include "kernels/contention/model/model.h"

// Returns the number of points to compare: $PPS_RANDOM_POINTS, or 20000. Fewer are set under sanitizers.
uint64_t n_points(void);

// Returns a number of rounds that is proportional to the number of points: `usual` at 20000. At least 1.
int n_rounds(int usual);

struct contention_point usual(void);

// Random point of the whole parameter space; n up to 64, gpus up to 16.
struct contention_point random_point(uint64_t seed);

// Returns scratch for points up to this one; the caller frees it.
void *scratch_for(const struct contention_point *largest);

// Returns a text with all fields of a point; valid in this thread until the next call.
const char *show(const struct contention_point *p);

#endif
