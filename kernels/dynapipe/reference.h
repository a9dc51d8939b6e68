// SPDX-License-Identifier: Apache-2.0
// Replays schedules operation by operation, for the reference of the kernel.
#pragma once

#include "kernels/dynapipe/methods/lanes.h"

// Runs lanes one operation at a time, whatever can start. Allocates. Returns the makespan; NAN: memory lacks, or the
// lanes wait forever.
double dynapipe_replay(const struct dynapipe_pipeline *pipeline,
                       const struct micro_batches *batches, const struct lanes *lanes);
