// SPDX-License-Identifier: Apache-2.0
// The names of a result are NAME, NAME.idx and NAME.json, each with .part while it is written.
// This module checks which names are free, locks NAME.part, and renames the files at the end.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>

enum pps_result_names_file {
    PPS_RESULT_NAMES_DATA,
    PPS_RESULT_NAMES_INDEX,
    PPS_RESULT_NAMES_MANIFEST,
    PPS_RESULT_NAMES_FILES
};

struct pps_result_names {
    char *final[PPS_RESULT_NAMES_FILES];
    char *part[PPS_RESULT_NAMES_FILES];
    bool force;       // existing files may be replaced
    const char *hint; // the command that resumes NAME.part, or NULL
};

// After an error there is nothing to free. pps_result_names_free accepts a zeroed target.
PPS_MUST_CHECK enum pps_status pps_result_names_init(struct pps_result_names *target,
                                                     const char *path, bool force,
                                                     struct pps_error *err);
void pps_result_names_free(struct pps_result_names *target);

// Returns PPS_E_INPUT in the cases that pps_output_open documents.
PPS_MUST_CHECK enum pps_status pps_result_names_check(const struct pps_result_names *target,
                                                      struct pps_error *err);

// Opens NAME.part, empty and locked. *is_locked is false if the file system has no locks. After
// a failure *fd is -1 and nothing was changed.
PPS_MUST_CHECK enum pps_status pps_result_names_open(const struct pps_result_names *target,
                                                     int *fd, bool *is_locked,
                                                     struct pps_error *err);

// Opens and locks an existing NAME.part without changing it; *fd is -1 if there is none.
// Returns PPS_E_INPUT beside a complete result that must not be replaced.
PPS_MUST_CHECK enum pps_status pps_result_names_reopen(const struct pps_result_names *target,
                                                       int *fd, bool *is_locked,
                                                       struct pps_error *err);

// Undoes the renames of a run that ended between them: index and manifest get their .part names
// again. Only for an index that is known to belong to NAME.part.
PPS_MUST_CHECK enum pps_status pps_result_names_withdraw(const struct pps_result_names *target,
                                                         struct pps_error *err);

// Returns PPS_E_INPUT if files with the final names exist and must not be replaced.
PPS_MUST_CHECK enum pps_status pps_result_names_check_final(
    const struct pps_result_names *target, struct pps_error *err);

// Returns PPS_E_MACHINE if NAME.part or its index is no longer the open file, as after `rm
// NAME.part` and a second run. Nothing can be published in that case.
PPS_MUST_CHECK enum pps_status pps_result_names_check_ours(
    const struct pps_result_names *target, int data_fd, int index_fd, struct pps_error *err);

// After a failed pps_result_names_check_ours, copies the open files to NAME.rescued.csv.gz.part and
// its index, from which a run can resume. Always returns an error, which describes the copy.
enum pps_status pps_result_names_rescue(const struct pps_result_names *target, int data_fd,
                                        int index_fd, struct pps_error *err);

// Renames the index, the manifest and, last, the data, and syncs the folder. Renames nothing if
// NAME.part is not the open file. If it is replaced during the renames, undoes them and fails.
PPS_MUST_CHECK enum pps_status pps_result_names_publish(const struct pps_result_names *target,
                                                        int data_fd, int index_fd,
                                                        struct pps_error *err);
