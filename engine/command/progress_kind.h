// SPDX-License-Identifier: Apache-2.0
// The forms of progress on stderr: a line that is redrawn, lines of a log, or JSON lines.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>

enum pps_progress_kind {
    PPS_PROGRESS_NEVER,
    PPS_PROGRESS_LINE, // redrawn, at most six times a second
    PPS_PROGRESS_LOG,  // a line every minute or 5 %, whichever is later
    PPS_PROGRESS_JSON, // the same as JSON lines
};

// Parses "auto" (a redrawn line on a terminal, else a log), "line", "log", "json" or "never".
PPS_MUST_CHECK enum pps_status pps_progress_parse(const char *text,
                                                  enum pps_progress_kind *kind,
                                                  struct pps_error *err);

// Returns whether to report again, `since` seconds and the part `part` of the work after the last
// report.
bool pps_progress_due(enum pps_progress_kind kind, double since, double part);
