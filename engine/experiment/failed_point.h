// SPDX-License-Identifier: Apache-2.0
// The error message of --fail-fast for the point that ends a run.
#ifndef PPS_FAILPOINT_H
#define PPS_FAILPOINT_H

#include "engine/experiment/experiment.h"

// Returns PPS_E_POINTS with the parameter values of point `index`, which the kernel could not
// finish.
PPS_MUST_CHECK enum pps_status pps_fail_point(const struct pps_experiment *e,
                                              uint64_t index,
                                              struct pps_error *err);

#endif
