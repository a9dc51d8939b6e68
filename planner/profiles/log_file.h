// SPDX-License-Identifier: Apache-2.0
// Reads logs of training frameworks: the peak memory of every rank, and why a run failed. A log may
// be of any size and may be compressed with gzip; lines beyond 64 KiB are truncated.
#ifndef PPS_PLANNER_PROFILES_LOG_FILE_H
#define PPS_PLANNER_PROFILES_LOG_FILE_H

#include "base/text/status.h"

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

struct log_file {
    struct log_peak *peaks; // one per rank, in order of appearance
    size_t n_peaks, room;
    enum log_failure failure;
    uint64_t line;  // of the failure
    char text[256]; // the line of the failure, without prefix and colours
    bool is_text;   // false: the file begins with binary data and was not read
};

// Reads a log. default_rank: the rank of lines that name no rank; -1: unknown. An exception is not a
// failure if the log shows later that training continues. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status log_file_read(struct log_file *log,
                                             const char *path,
                                             int32_t default_rank,
                                             struct pps_error *err);
void log_file_free(struct log_file *log);

// Adds the figures of a peak to the entry of its rank. false: out of memory.
bool log_peaks_add(struct log_peak **peaks,
                   size_t *n,
                   size_t *room,
                   const struct log_peak *peak);

#endif
