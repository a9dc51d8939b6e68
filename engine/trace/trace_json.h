// SPDX-License-Identifier: Apache-2.0
// Writes timelines as JSON for ui.perfetto.dev while a kernel sends them. A group is a process and a
// track is a thread. Tasks of one track that overlap in time use several threads, since viewers expect
// nested events within a thread. A segment is one complete event. Usual values are left out: a rate of
// 1, a flag that is not set, an item that equals the number in the name. Counters are those
// of the kernel and the loads of each group and of all groups: means over bins of time.
//
// Memory does not grow with the number of segments.
#pragma once

#include "base/text/status.h"
#include "engine/timeline/part.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdio.h>

struct pps_tracejson;

// Writes the beginning to out, which the caller still owns. names must stay valid. With
// only_loads there are no events of segments. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_tracejson_open(struct pps_tracejson **json,
                                                  const struct pps_trace_names *names,
                                                  bool only_loads, FILE *out,
                                                  struct pps_error *err);

// Begins the timeline of a point, the first or the second. title: one line that names the point.
// label: in front of the names of its groups, as "A"; or NULL. Both must stay valid.
void pps_tracejson_begin(struct pps_tracejson *json, const char *title, const char *label,
                         struct pps_trace_window window);

// Returns the sink for the segments of the part that is shown.
struct pps_trace_sink pps_tracejson_sink(struct pps_tracejson *json);

// Ends the timeline of a point with its loads and the mark of its end. end: of the whole timeline.
void pps_tracejson_end(struct pps_tracejson *json, double end);

// Writes the end and frees the file. shown: what the file leaves out of the timelines; "": nothing.
// Returns PPS_E_MACHINE if any write failed.
PPS_MUST_CHECK enum pps_status pps_tracejson_close(struct pps_tracejson *json,
                                                   const char *shown, struct pps_error *err);

// Returns the number of microseconds of the file per unit of time of the model.
double pps_tracejson_scale(const struct pps_tracejson *json);

// Frees the file without writing. NULL is fine.
void pps_tracejson_abandon(struct pps_tracejson *json);
