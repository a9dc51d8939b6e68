// SPDX-License-Identifier: Apache-2.0
// A snapshot records the position, the counts and the best rows of a run that keeps only the
// best rows. The run replaces the snapshot from time to time, in a record log beside the result
// (NAME.top.part); a resumed run reads it.
#pragma once

#include "base/resume/record_log.h"
#include "engine/run/sweep.h"

struct pps_snapshot {
    const struct pps_sweep *sweep;
    struct pps_record_log *log;
    // What earlier runs have found and what this run finds; a snapshot has the sum.
    struct pps_totals *earlier, *totals;
    double next_s; // when to write the next one; 0 at first
};

// A sink for the blocks of the run: it keeps none, and writes a snapshot where one is due. The
// snapshot must stay where it is.
struct pps_sink pps_snapshot_sink(struct pps_snapshot *snapshot);

// Writes one now. The file is replaced at once or not at all.
PPS_MUST_CHECK enum pps_status pps_snapshot_write(const struct pps_snapshot *snapshot,
                                                  struct pps_error *err);

// Opens the log beside the result at `path`; with `resume`, that of an interrupted run, if there is one. If it
// is damaged or of another run, begins a new one and describes the fault. The caller calls
// pps_record_log_close in every case.
PPS_MUST_CHECK enum pps_status pps_snapshot_open(struct pps_record_log *log,
                                                 const struct pps_sweep *sweep,
                                                 const char *path, bool resume,
                                                 struct pps_error *fault,
                                                 struct pps_error *err);

// Reads the latest snapshot: *totals is what blocks 0 ... *blocks - 1 have given (pps_totals_free in
// every case). *blocks is 0 if there is none. PPS_E_WRONG if it is not one of this run.
PPS_MUST_CHECK enum pps_status pps_snapshot_read(struct pps_record_log *log,
                                                 const struct pps_sweep *sweep,
                                                 uint64_t *blocks, struct pps_totals *totals,
                                                 struct pps_error *err);
