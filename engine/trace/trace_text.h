// SPDX-License-Identifier: Apache-2.0
// Writes the trace of one point as text while the kernel sends it: CSV of its constant-rate
// segments, or JSON for chrome://tracing and ui.perfetto.dev.
#ifndef PPS_ENGINE_TRACE_TRACE_TEXT_H
#define PPS_ENGINE_TRACE_TRACE_TEXT_H

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdio.h>

enum pps_trace_format {
    // kind,<item>,<group>,start,end,rate,<flag>[,<chunk>]; numbers read back exactly, the flag is
    // 0 or 1. The last column exists if the kernel names chunks.
    // The row of a counter has the counter's name as kind, its time as start, its value as
    // rate, and empty cells otherwise.
    PPS_TRACE_CSV,
    // A group is a process and a track is a thread. Tasks of one track that overlap in time use
    // several threads, since viewers expect nested events within a thread. A segment is one
    // complete event; one time unit of the model is a microsecond. Counters belong to their
    // group.
    PPS_TRACE_CHROME,
};

struct pps_tracefile;

// Writes the beginning to out, which the caller still owns. names must stay valid. After an
// error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_tracefile_open(struct pps_tracefile **file,
                                                  enum pps_trace_format format,
                                                  const struct pps_trace_names *names,
                                                  FILE *out,
                                                  struct pps_error *err);

// Returns the sink for a kernel's `trace`, which sends segments in order of their start.
struct pps_trace_sink pps_tracefile_sink(struct pps_tracefile *file);

// Writes the end, flushes and frees the file. Returns PPS_E_MACHINE if any write failed.
PPS_MUST_CHECK enum pps_status pps_tracefile_close(struct pps_tracefile *file,
                                                   struct pps_error *err);

// Frees the file without writing. NULL is fine.
void pps_tracefile_abandon(struct pps_tracefile *file);

#endif
