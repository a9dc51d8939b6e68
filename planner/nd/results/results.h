// SPDX-License-Identifier: Apache-2.0
// Results of many runs: peaks of memory from logs, and ratios of layer times from profiles.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "planner/figures/ratios.h"
#include "planner/profiles/log_file.h"
#include "planner/profiles/profile_run.h"

#include <stdbool.h>
#include <stddef.h>

struct nd_result {
    char *path; // of the run
    struct run_degrees degrees;
    struct run_files files;
    struct dry_run logs;
    struct profile_run profile;
    bool has_peak;           // of the logs
    bool has_ratios;         // `ratios` are measured
    struct nd_ratios ratios; // NAN: not in the profile
    struct text_buffer why;  // why the run gives no result; "": it does
    bool is_repeated; // an earlier run of the same configuration has a result of the same kind
};

struct nd_results {
    struct nd_result *rows;
    size_t n, room;
};

// Reads all runs in a folder (run_folders_find) and adds them. A run whose files cannot be read is a
// run without a result. PPS_E_INPUT: the folder holds no run. The caller frees the results in every
// case.
PPS_MUST_CHECK enum pps_status nd_results_add(struct nd_results *results, const char *folder,
                                              const struct profile_request *request,
                                              struct pps_error *err);
void nd_results_free(struct nd_results *results);

// Returns whether the run was profiled. Profiled models are usually reduced, so that the peaks of
// their logs are not those of the configuration.
bool nd_result_is_profiled(const struct nd_result *result);

// Marks runs that repeat the configuration of an earlier run.
void nd_results_mark_repeated(struct nd_results *results);

// Prints a table of all runs to stdout, and notes and failures to stderr. verbose: also a line for
// each rank of a profile.
void nd_results_print(const struct nd_results *results, bool verbose);

// Writes the tables and documents of results.md that have rows, and prints their names. PPS_E_INPUT,
// before anything is written: one of the tables exists; `force` replaces it.
PPS_MUST_CHECK enum pps_status nd_results_write(const struct nd_results *results,
                                                const char *folder, const struct pps_gate *gate,
                                                struct pps_error *err);
