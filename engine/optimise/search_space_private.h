// SPDX-License-Identifier: Apache-2.0
// Declares the steps that open a search space.
#pragma once

#include "engine/optimise/search_space.h"

// Adds an arm, unless there is one of the same key.
PPS_MUST_CHECK enum pps_status pps_search_space_add(struct pps_search_space *space,
                                                    const struct pps_arm *arm,
                                                    struct pps_error *err);
