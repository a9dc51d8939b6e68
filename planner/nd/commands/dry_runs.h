// SPDX-License-Identifier: Apache-2.0
// Lists dry runs of `ppsweep nd` and reads their peaks.
#pragma once

#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/expert_fit.h"

#include "engine/command/command.h"

// Reads --dryrun-data, fits the memory model with the degrees of --test-ep, and reports groups
// without a fit on stderr. Without --dryrun-data, *fits stays empty. Call nd_epfit_free() in every
// case.
PPS_MUST_CHECK enum pps_status nd_dryrun_fits(const struct nd_job *job,
                                              const struct pps_args *args,
                                              struct nd_epfit_result *fits,
                                              struct pps_error *err);

// Prints the dry runs that the surviving groups need, as CSV; with -o DIR writes this table to
// DIR/dry_runs.csv. If the training run was read from a configuration of a framework, -o also writes
// a copy of it for each dry run to DIR/dryrun_yaml.
PPS_MUST_CHECK enum pps_status nd_dryrun_print(const struct nd_job *job,
                                               const struct pps_args *args,
                                               struct pps_error *err);
