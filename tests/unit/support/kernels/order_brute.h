// SPDX-License-Identifier: Apache-2.0
// Finds the shortest plan of a small task by trying all orders of passes, as an oracle that shares no code with the search.
#pragma once

#include "tests/unit/support/kernels/plan_case.h"

// Returns the smallest makespan of all plans that fit, with any recomputation that the task allows, and are shorter than `below`; `below` if there is
// none. Returns NAN if more than `most` partial schedules would have to be tried.
double order_brute(const struct plan_case *c, double below, int64_t most);
