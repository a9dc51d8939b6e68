// SPDX-License-Identifier: Apache-2.0
// Writes the timeline of a strategy in every form of traces.
#ifndef PPS_BALANCE_REPORT_TIMELINE_FILE_H
#define PPS_BALANCE_REPORT_TIMELINE_FILE_H

#include "base/write/gate.h"
#include "planner/balance/report/picture.h"

// Writes JSON, CSV, SVG or PNG by the ending of the path (engine/trace/trace_write.h); "-" is CSV on standard
// output. Replays the strategy. force: replace a file that exists. The file appears when it is complete; stdout
// says so, and how to open JSON.
PPS_MUST_CHECK enum pps_status balance_timeline_write(const struct balance_picture *picture,
                                                      const char *path,
                                                      const struct pps_gate *gate,
                                                      struct pps_error *err);

#endif
