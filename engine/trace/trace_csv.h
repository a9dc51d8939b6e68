// SPDX-License-Identifier: Apache-2.0
// Writes the timeline of one point as CSV while the kernel sends it, one line per segment of constant
// rate: kind,<item>,<group>,start,end,rate,<flag>[,<chunk>]. Numbers read back exactly; the flag is 0
// or 1; the last column exists if the kernel names chunks. The line of a counter has the counter's
// name as kind, its time as start, its value as rate, and empty cells otherwise.
#ifndef PPS_ENGINE_TRACE_TRACE_CSV_H
#define PPS_ENGINE_TRACE_TRACE_CSV_H

#include "ppsweep/kernel.h"

#include <stdio.h>

struct pps_tracecsv {
    const struct pps_trace_names *names;
    FILE *out;
};

// Writes the header. Writing errors show in `out`.
void pps_tracecsv_begin(const struct pps_tracecsv *csv);

// Returns the sink for a kernel's `trace`; it writes to `out`.
struct pps_trace_sink pps_tracecsv_sink(struct pps_tracecsv *csv);

#endif
