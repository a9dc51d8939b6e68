// SPDX-License-Identifier: Apache-2.0
// The resolved experiment: an experiment that says the same with everything spelled out, and its
// digest.
#ifndef PPS_RESOLVE_H
#define PPS_RESOLVE_H

#include "experiment.h"

// Fills experiment->resolved and ->digest.
PPS_MUST_CHECK enum pps_status pps_experiment_resolve(struct pps_experiment *experiment,
                                                      const char *points_path,
                                                      struct pps_error *err);

#endif
