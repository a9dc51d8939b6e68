// SPDX-License-Identifier: Apache-2.0
// Options of a training run whose documents were read.
#pragma once

#include "planner/shared/plan_run.h"

// Applies the options (NULL: none) that override documents, and the defaults. Does not close the run after an
// error.
enum pps_status plan_run_apply_options(struct plan_run *run, const struct pps_args *args,
                                       struct pps_error *err);
