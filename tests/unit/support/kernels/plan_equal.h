// SPDX-License-Identifier: Apache-2.0
// Compares plans, so that tests see what a writer leaves out.
#pragma once

#include "kernels/common/plan/plan.h"

// Returns whether two plans are equal in every bit.
bool plan_equal(const struct plan *a, const struct plan *b);
