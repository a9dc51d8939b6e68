// SPDX-License-Identifier: Apache-2.0
// Names the points of `trace` in the titles of timelines.
#ifndef PPS_ENGINE_CLI_OPTIONS_TRACE_TITLE_H
#define PPS_ENGINE_CLI_OPTIONS_TRACE_TITLE_H

#include "engine/cli/options/trace_point.h"

// Returns "contention 4, row 12 of first.csv.gz: n=8 gpus=4 (other parameters: defaults)". The caller
// frees it. NULL: out of memory.
char *pps_trace_title(const struct pps_trace_point *point);

// Returns how the second point differs from the first: "row 13 of first.csv.gz: p_grad_sync=0.5
// instead of 0.2". The caller frees it. NULL: out of memory.
char *pps_trace_title_second(const struct pps_trace_point *first,
                             const struct pps_trace_point *second);

#endif
