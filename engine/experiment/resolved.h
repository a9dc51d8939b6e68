// SPDX-License-Identifier: Apache-2.0
// The resolved experiment is an equivalent experiment with every value written out. Its digest
// identifies the experiment.
#pragma once

#include "engine/experiment/experiment.h"

// Sets experiment->resolved and experiment->digest.
PPS_MUST_CHECK enum pps_status pps_experiment_resolve(struct pps_experiment *experiment,
                                                      const char *points_path,
                                                      struct pps_error *err);
