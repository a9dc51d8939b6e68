// SPDX-License-Identifier: Apache-2.0
// Writes the trace of a pipeline step: its passes as segments, with one lane and one memory
// counter per stage.
#ifndef PPS_NDSEARCH_TRACE_H
#define PPS_NDSEARCH_TRACE_H

#include "kernels/common/interleaved/passes.h"
#include "ppsweep/kernel.h"

extern const struct pps_trace_names nd_trace_names;

// Sorts the passes and writes them to the sink, with the finite limits. us: microseconds per time
// unit of the passes; gib: GiB per memory unit. The trace is in microseconds.
void nd_trace_passes(struct passes *passes,
                     double us,
                     double gib,
                     const struct pps_trace_sink *sink);

#endif
