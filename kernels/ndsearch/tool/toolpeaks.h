// SPDX-License-Identifier: Apache-2.0
// Peaks of dry runs, from wherever they are.
#ifndef PPS_NDSEARCH_TOOLPEAKS_H
#define PPS_NDSEARCH_TOOLPEAKS_H

#include "kernels/ndsearch/search/peaks.h"

#include "engine/tool.h"

// A table, CSV or JSON by its name; or a folder of logs: one folder a run, whose name has the
// degrees as in DP8_TP2_PP4_EP16, with text files that say
// "Used peak memory usage (without fragments): 51234M". To be freed whatever comes back.
PPS_MUST_CHECK enum pps_status nd_tool_peaks(const char *path,
                                             bool dense,
                                             struct nd_dryrun_peaks *peaks,
                                             struct pps_error *err);

#endif
