// SPDX-License-Identifier: Apache-2.0
// Prints the plan of a run, for `plan` and `run --dry-run`.
#pragma once

#include "engine/cli/verbs.h"

// Prints the plan of the experiment in args on stdout.
PPS_MUST_CHECK enum pps_status pps_plan_print(const struct pps_args *args,
                                              struct pps_error *err);
