// SPDX-License-Identifier: Apache-2.0
// How far a run is, told on stderr: one line redrawn on a terminal, seldom whole lines in a log,
// JSON lines for programs.
#ifndef PPS_PROGRESS_H
#define PPS_PROGRESS_H

#include "pace.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum pps_progress_kind {
    PPS_PROGRESS_NEVER,
    PPS_PROGRESS_LINE, // redrawn, at most six times a second
    PPS_PROGRESS_LOG,  // a line every minute or 5 %, whichever is later
    PPS_PROGRESS_JSON, // the same as JSON lines
};

// "auto" (a line on a terminal that can, else a log), "line", "log", "json" or "never".
PPS_MUST_CHECK enum pps_status pps_progress_parse(const char *text,
                                                  enum pps_progress_kind *kind,
                                                  struct pps_error *err);

struct pps_progress {
    enum pps_progress_kind kind;
    const struct pps_experiment *experiment; // whose points are computed; NULL: all are alike
    bool only_best;                          // rows are judged, few of them kept
    uint64_t n_points;
    uint64_t earlier_points, earlier_rows; // of an interrupted run that this one continues
    double start_s, shown_s;
    double shown_part;
    bool drawn; // a line stands on the terminal
    bool begun; // the pace is
    struct pps_workload workload;
    struct pps_pace pace;
};

// What else there is to say of the run is set after it.
void pps_progress_begin(struct pps_progress *progress,
                        enum pps_progress_kind kind,
                        uint64_t n_points);

// Names the few points that take so much longer than others that progress may seem to stand still.
// To be called before the first block.
void pps_progress_costly(const struct pps_progress *progress);

// Called by one thread at a time after each block, with what this run has passed.
void pps_progress_update(struct pps_progress *progress, const struct pps_passed *passed);

// Takes the line off the terminal.
void pps_progress_end(struct pps_progress *progress);

#endif
