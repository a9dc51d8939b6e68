// SPDX-License-Identifier: Apache-2.0
// Reads the peaks of dry runs.
#ifndef PPS_PLANNER_ND_INPUT_DRY_RUN_PEAKS_H
#define PPS_PLANNER_ND_INPUT_DRY_RUN_PEAKS_H

#include "planner/nd/profiling/peaks.h"

#include "engine/command/command.h"

// Reads a table (JSON if its name ends in .json, else CSV) or a folder of logs. A folder of logs
// has one folder per run, named by its degrees, for example DP8_TP2_PP4_EP16, with logs of MindSpore,
// Megatron-LM or torchtitan in it or below (planner/profiles). Runs without a peak and failed runs
// are named on stderr. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status nd_dryrun_peaks_load(const char *path,
                                                    bool dense,
                                                    struct nd_dryrun_peaks *peaks,
                                                    struct pps_error *err);

#endif
