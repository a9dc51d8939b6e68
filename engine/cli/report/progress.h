// SPDX-License-Identifier: Apache-2.0
// Reports the progress of a run on stderr: one line that is redrawn on a terminal, occasional
// lines in a log, or JSON lines for programs.
#ifndef PPS_ENGINE_CLI_REPORT_PROGRESS_H
#define PPS_ENGINE_CLI_REPORT_PROGRESS_H

#include "base/text/status.h"
#include "engine/forecast/pace.h"

#include <stdbool.h>
#include <stdint.h>

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

struct pps_progress {
    enum pps_progress_kind kind;
    const struct pps_experiment
        *experiment; // the experiment of the run; NULL: all points cost the same
    bool only_best;  // rows are evaluated, only the best rows are kept
    uint64_t n_points;
    uint64_t earlier_points, earlier_rows; // of the interrupted run that this run resumes
    double start_s, shown_s;
    double shown_part;
    bool drawn; // the terminal shows a progress line
    bool begun; // the pace has been started
    struct pps_workload workload;
    struct pps_pace pace;
};

// Starts the progress of n_points points. The caller sets other fields afterwards.
void pps_progress_begin(struct pps_progress *progress,
                        enum pps_progress_kind kind,
                        uint64_t n_points);

// Names the few points that take much longer than the others, so that progress may seem to
// stop. Called before the first block.
void pps_progress_costly(const struct pps_progress *progress);

// Called by one thread at a time after each block, with the counts of this run.
void pps_progress_update(struct pps_progress *progress, const struct pps_passed *passed);

// Erases the progress line from the terminal.
void pps_progress_end(struct pps_progress *progress);

#endif
