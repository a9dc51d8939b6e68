// SPDX-License-Identifier: Apache-2.0
// Points of the contention model: a usual point, random points, scratch and text.
#pragma once

#include "kernels/contention/model/model.h"

struct contention_point usual(void);

// Random point of the whole parameter space; n up to 64, gpus up to 16.
struct contention_point random_point(uint64_t seed);

// Returns scratch for points up to this one; the caller frees it.
void *scratch_for(const struct contention_point *largest);

// Returns a text with all fields of a point; valid in this thread until the next call.
const char *show(const struct contention_point *p);
