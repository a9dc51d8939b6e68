// SPDX-License-Identifier: Apache-2.0
// Recognises the usual assignments of stages to devices: linear, interleaved, and others.
#include "kernels/dynapipe/model/assignment.h"

enum assignment assignment_of(const struct dynapipe_pipeline *pipeline)
{
    for (int32_t s = 0; s < pipeline->stages; s++)
        if (pipeline->device_of[s] != s % pipeline->devices)
            return ASSIGNMENT_OTHER;
    if (pipeline->stages % pipeline->devices != 0)
        return ASSIGNMENT_OTHER;
    return pipeline->stages == pipeline->devices ? ASSIGNMENT_LINEAR : ASSIGNMENT_INTERLEAVED;
}
