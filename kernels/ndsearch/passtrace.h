// SPDX-License-Identifier: Apache-2.0
// Passes of a pipeline as a trace: a lane and a memory counter a stage.
#ifndef PPS_NDSEARCH_PASSTRACE_H
#define PPS_NDSEARCH_PASSTRACE_H

#include "engine/kernel.h"
#include "kernels/common/passes.h"

extern const struct pps_trace_names nd_trace_names;

// Sorts the passes and tells them, with limits that are finite. us, gib: their units of time and
// memory; a unit of time of the trace is a microsecond.
void nd_trace_passes(struct passes *passes,
                     double us,
                     double gib,
                     const struct pps_trace_sink *sink);

#endif
