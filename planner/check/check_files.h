// SPDX-License-Identifier: Apache-2.0
// Writes the files of `ppsweep check`: the plan of the training and the timeline of its step.
#pragma once

#include "planner/check/checked.h"

// The options that check_files_write() reads, for a table of options.
#define CHECK_FILES_OPTIONS                                                                    \
    {"plan", 0, "FILE", "write the training as a plan, which other commands read: NAME.json"}, \
        {"trace", 0, "FILE",                                                                   \
         "write a timeline of the step in us: NAME.json (Perfetto), NAME.svg, .png or .csv"},  \
    {                                                                                          \
        "force", 0, NULL, "overwrite files even if others wrote or edited them"                \
    }

// Checks the names before the work.
PPS_MUST_CHECK enum pps_status check_files_check(const struct pps_args *args,
                                                 struct pps_error *err);

// Writes the files that the options name, and prints their names on stderr.
PPS_MUST_CHECK enum pps_status check_files_write(const struct checked *checked,
                                                 const struct pps_args *args,
                                                 struct pps_error *err);

// Write one of them. page: of a long timeline only as much as can be read at the width of a page.
PPS_MUST_CHECK enum pps_status checked_write_plan(const struct checked *checked,
                                                  const char *path, const struct pps_gate *gate,
                                                  struct pps_error *err);
PPS_MUST_CHECK enum pps_status checked_write_trace(const struct checked *checked,
                                                   const char *path, bool page,
                                                   const struct pps_gate *gate,
                                                   struct pps_error *err);
