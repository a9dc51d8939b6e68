// SPDX-License-Identifier: Apache-2.0
// Reports the progress of a run on stderr: one line that is redrawn on a terminal, occasional
// lines in a log, or JSON lines for programs.
#pragma once

#include "base/system/time_limit.h"
#include "engine/command/command.h"
#include "engine/command/progress_kind.h"
#include "engine/forecast/pace.h"
#include "engine/read/result.h"

#include <stdbool.h>
#include <stdint.h>

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
    struct pps_time_limit first_word; // without a block
};

// Starts the progress of n_points points. The caller sets other fields afterwards.
void pps_progress_begin(struct pps_progress *progress, enum pps_progress_kind kind,
                        uint64_t n_points);

// Names the few points that take much longer than the others, so that progress may seem to
// stop, and says on a terminal, after a second without a block, which point takes longest. Called before the first
// block; pps_progress_end must follow.
void pps_progress_costly(struct pps_progress *progress);

// Called by one thread at a time after each block, with the counts of this run.
void pps_progress_update(struct pps_progress *progress, const struct pps_passed *passed);

// Erases the progress line from the terminal.
void pps_progress_end(struct pps_progress *progress);

// ---- read progress ------------------------------------------------------------------------------

#define PPS_READ_PROGRESS_OPTION                                                               \
    {                                                                                          \
        "progress", 0, "HOW", "auto, line, log, json or never (auto)"                          \
    }

struct pps_read_progress {
    enum pps_progress_kind kind;
    double start_s, shown_s, shown_part;
    bool drawn; // the terminal shows a progress line
    bool quiet;
};

// Installs the signal handlers and sets the watch of a view: its stop flag, and the progress
// that --progress and --quiet ask for. `progress` must outlive the reading. With streams_rows the
// command writes rows while it reads: then the default is no progress if the rows go to a terminal.
PPS_MUST_CHECK enum pps_status pps_read_progress_begin(struct pps_read_progress *progress,
                                                       const struct pps_args *args,
                                                       struct pps_read_watch *watch,
                                                       bool streams_rows,
                                                       struct pps_error *err);

// Erases the progress line from the terminal.
void pps_read_progress_end(struct pps_read_progress *progress);
