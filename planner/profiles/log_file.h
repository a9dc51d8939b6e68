// SPDX-License-Identifier: Apache-2.0
// Reads logs of training frameworks: the peak memory of every rank, and why a run failed. A log may
// be of any size and may be compressed with gzip; lines beyond 64 KiB are truncated.
#pragma once

#include "base/text/status.h"
#include "planner/profiles/run_folders.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Greatest figures of a rank in a file, MiB; 0: not in the file.
struct log_peak {
    int32_t rank;     // -1: unknown
    double used_mb;   // peak without fragments
    double held_mb;   // peak with fragments
    double theory_mb; // computed by the framework, not measured
    uint64_t line;    // of the figure that log_peak_mb() returns
    size_t file;      // of that figure: an index in a list of the caller
};

// Returns the figure that is compared with a limit: used_mb, else held_mb, else theory_mb.
double log_peak_mb(const struct log_peak *peak);

enum log_failure {
    LOG_NO_FAILURE,
    LOG_ERROR, // an exception ended the process
    LOG_NO_MEMORY,
};

const char *log_failure_name(enum log_failure failure); // "error", "out of memory"

// Figures of the steps of a log, in the order of its lines.
struct log_steps {
    double *values;
    size_t n, room;
};

// Returns the median of the steps but the first, which also starts the run; 0: there are none. Sorts the steps.
double log_steps_median(struct log_steps *steps);

struct log_file {
    struct log_peak *peaks; // one per rank, in order of appearance
    size_t n_peaks, room;
    struct log_steps seconds; // of steps
    struct log_steps tokens;  // a second, of one device
    enum log_failure failure;
    uint64_t line;  // of the failure
    char text[256]; // the line of the failure, without prefix and colours
    bool is_text;   // false: the file begins with binary data and was not read
};

// Reads a log. default_rank: the rank of lines that name no rank; -1: unknown. An exception is not a
// failure if the log shows later that training continues. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status log_file_read(struct log_file *log, const char *path,
                                             int32_t default_rank, struct pps_error *err);
void log_file_free(struct log_file *log);

// ---- dry run ------------------------------------------------------------------------------------

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
PPS_MUST_CHECK enum pps_status dry_run_read(struct dry_run *run, const struct run_files *files,
                                            struct pps_error *err);
void dry_run_free(struct dry_run *run);

// Returns the greatest figures of a stage, or of the run with stage -1. A run whose figures do not
// name ranks has figures for the run only. log_peak_mb() of the result is 0 without figures.
struct log_peak dry_run_peak(const struct dry_run *run, const struct run_degrees *degrees,
                             int32_t stage);

// Writes "out of memory (FILE:LINE: TEXT)" of a failed run.
void dry_run_describe_failure(const struct dry_run *run, const struct run_files *files,
                              char *text, size_t size);
