// SPDX-License-Identifier: Apache-2.0
// Says how the stages of a pipeline are assigned to devices.
#pragma once

#include "kernels/dynapipe/model/micro_batches.h"

enum assignment {
    ASSIGNMENT_LINEAR,      // one stage per device: stage s on device s
    ASSIGNMENT_INTERLEAVED, // devices 0 ... D - 1 again and again, at least twice
    ASSIGNMENT_OTHER,       // for example there and back: 0, 1, 2, 1, 0
};

// Classifies an assignment of stages.
enum assignment assignment_of(const struct dynapipe_pipeline *pipeline);
