// SPDX-License-Identifier: Apache-2.0
// Reports on stderr how far the reading of a result is: for commands that read a result without
// computing rows.
#ifndef PPS_ENGINE_CLI_REPORT_READ_PROGRESS_H
#define PPS_ENGINE_CLI_REPORT_READ_PROGRESS_H

#include "engine/cli/report/progress.h"
#include "engine/command/command.h"
#include "engine/read/result.h"

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

#endif
