// SPDX-License-Identifier: Apache-2.0
// Sorts the files of a run by what they hold, and groups the files of each rank.
#pragma once

#include "planner/profiles/run_folders.h"

enum { PROFILE_NO_FILE = -1 };

// The files of one rank: those of an Ascend folder (ASCEND_PROFILER_OUTPUT), or one trace of PyTorch.
// Indices in the list of files; PROFILE_NO_FILE: there is none.
struct profile_unit {
    long table;   // kernel_details.csv
    long trace;   // trace_view.json, or a trace of PyTorch (.json, .json.gz)
    long memory;  // operator_memory.csv, else memory_record.csv
    long steps;   // step_trace_time.csv
    int32_t rank; // that a path names; -1: none
};

struct profile_units {
    struct profile_unit *rows; // in order of their files
    size_t n, room;
};

// Finds the units of a run. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status profile_units_find(struct profile_units *units,
                                                  const struct run_files *files,
                                                  struct pps_error *err);
void profile_units_free(struct profile_units *units);
