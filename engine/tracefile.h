// SPDX-License-Identifier: Apache-2.0
// Writes the trace of one point as text while the kernel tells it: CSV of its constant-rate
// pieces, or JSON for chrome://tracing and ui.perfetto.dev.
#ifndef PPS_TRACEFILE_H
#define PPS_TRACEFILE_H

#include "kernel.h"
#include "status.h"

#include <stdio.h>

enum pps_trace_format {
    // kind,<item>,<group>,start,end,rate,<flag>; numbers read back exactly, the flag is 0 or 1. A
    // counter's row has its name as kind, its time as start and its value as rate, nothing else.
    PPS_TRACE_CSV,
    // A process a group and a thread a track; tasks of one track that overlap in time stand on
    // several threads, as viewers want events of one thread nested. A piece is one complete
    // event; a unit of time of the model is a microsecond. Counters are counters of their group.
    PPS_TRACE_CHROME,
};

struct pps_tracefile;

// Writes the beginning to out, which stays the caller's. names must stay valid.
PPS_MUST_CHECK enum pps_status pps_tracefile_open(struct pps_tracefile **file,
                                                  enum pps_trace_format format,
                                                  const struct pps_trace_names *names,
                                                  FILE *out,
                                                  struct pps_error *err);

// Where a kernel's `trace` puts its pieces, in order of their start.
struct pps_trace_sink pps_tracefile_sink(struct pps_tracefile *file);

// Writes the end, flushes and frees. PPS_E_MACHINE where anything could not be written.
PPS_MUST_CHECK enum pps_status pps_tracefile_close(struct pps_tracefile *file,
                                                   struct pps_error *err);

// Frees only. NULL is fine.
void pps_tracefile_abandon(struct pps_tracefile *file);

#endif
