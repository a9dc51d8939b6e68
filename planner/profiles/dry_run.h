// SPDX-License-Identifier: Apache-2.0
// Reads the logs of one run: the peak memory of its ranks and stages, or why it failed.
#ifndef PPS_PLANNER_PROFILES_DRY_RUN_H
#define PPS_PLANNER_PROFILES_DRY_RUN_H

#include "planner/profiles/log_file.h"
#include "planner/profiles/run_folders.h"

struct dry_run {
    struct log_peak *peaks; // one per rank; `file` is an index in the files of the run
    size_t n_peaks, room;
    size_t n_logs; // files that were read
    enum log_failure failure;
    size_t failed_file; // an index in the files of the run
    uint64_t failed_line;
    char failed_text[256];
};

// Reads all files of a run that may be logs: text files in any folder of the run, except data,
// models, programs and configurations, which their extensions tell. The rank of a figure is the rank
// that its line names, else the rank that the path of its file names. After an error
// there is nothing to free.
PPS_MUST_CHECK enum pps_status dry_run_read(struct dry_run *run,
                                            const struct run_files *files,
                                            struct pps_error *err);
void dry_run_free(struct dry_run *run);

// Returns the greatest figures of a stage, or of the run with stage -1. A run whose figures do not
// name ranks has figures for the run only. log_peak_mb() of the result is 0 without figures.
struct log_peak dry_run_peak(const struct dry_run *run,
                             const struct run_degrees *degrees,
                             int32_t stage);

// Writes "out of memory (FILE:LINE: TEXT)" of a failed run.
void dry_run_describe_failure(const struct dry_run *run,
                              const struct run_files *files,
                              char *text,
                              size_t size);

#endif
