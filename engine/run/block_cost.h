// SPDX-License-Identifier: Apache-2.0
// Predicts the cost of a block from the kernel's `cost` of some of its points, or of all points
// of a small block.
#pragma once

#include "engine/experiment/experiment.h"
#include "engine/run/work_schedule.h"

// Returns the predicted cost of the n >= 1 points from number `first`. The result is the same
// for every call with the same range. Moves the cursor.
struct pps_foretold pps_block_cost(struct pps_cursor *cursor,
                                   const struct pps_experiment *experiment, uint64_t first,
                                   uint64_t n);
