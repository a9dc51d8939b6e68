// SPDX-License-Identifier: Apache-2.0
// The families that search: dispatch rules and repeated patterns, improved by local search.
#pragma once

#include "kernels/schedule/families/family.h"

// Evaluations if the options have no budget.
enum { SEARCH_BUDGET = 50000 };

extern const struct family family_search;   // stages s mod P; any number of chunks
extern const struct family family_v_search; // placement V
