// SPDX-License-Identifier: Apache-2.0
// The names a result takes: NAME, NAME.idx and NAME.json, each with .part while it is written.
// What may be taken, the lock, and the renames at the end.
#ifndef PPS_TARGET_H
#define PPS_TARGET_H

#include "status.h"

#include <stdbool.h>

enum pps_target_file {
    PPS_TARGET_DATA,
    PPS_TARGET_INDEX,
    PPS_TARGET_MANIFEST,
    PPS_TARGET_FILES
};

struct pps_target {
    char *final[PPS_TARGET_FILES];
    char *part[PPS_TARGET_FILES];
    bool force;       // what is there may be replaced
    const char *hint; // the command that goes on from NAME.part, or NULL
};

// A zeroed target may always be freed.
PPS_MUST_CHECK enum pps_status pps_target_init(struct pps_target *target,
                                               const char *path,
                                               bool force,
                                               struct pps_error *err);
void pps_target_free(struct pps_target *target);

// Refuses (PPS_E_INPUT) what pps_output_open documents.
PPS_MUST_CHECK enum pps_status pps_target_check(const struct pps_target *target,
                                                struct pps_error *err);

// Opens NAME.part, empty and locked; *is_locked is false where the file system has no locks.
// After a failure *fd is -1 and nothing was changed.
PPS_MUST_CHECK enum pps_status pps_target_open(const struct pps_target *target,
                                               int *fd,
                                               bool *is_locked,
                                               struct pps_error *err);

// Opens and locks the NAME.part that is there, as it is; *fd is -1 where there is none. Refuses it
// beside a complete result that may not be replaced.
PPS_MUST_CHECK enum pps_status pps_target_reopen(const struct pps_target *target,
                                                 int *fd,
                                                 bool *is_locked,
                                                 struct pps_error *err);

// Takes back the renames of a run that ended between them: index and manifest get their .part
// names again. Only where the index is known to be of NAME.part.
PPS_MUST_CHECK enum pps_status pps_target_withdraw(const struct pps_target *target,
                                                   struct pps_error *err);

// Refuses what is there under the final names.
PPS_MUST_CHECK enum pps_status pps_target_check_final(const struct pps_target *target,
                                                      struct pps_error *err);

// PPS_E_MACHINE where NAME.part or its index is another file than the open one, as after `rm NAME.part`
// and a second run: nothing can be published then.
PPS_MUST_CHECK enum pps_status pps_target_check_ours(const struct pps_target *target,
                                                     int data_fd,
                                                     int index_fd,
                                                     struct pps_error *err);

// After that: copies the open files to NAME.rescued.csv.gz.part and its index, from which a run can
// continue. Always fails, with what was done.
enum pps_status pps_target_rescue(const struct pps_target *target,
                                  int data_fd,
                                  int index_fd,
                                  struct pps_error *err);

// Renames index, manifest and, last, the data; syncs the folder. Renames nothing where NAME.part is
// not the open file; where it is replaced in between, takes the names back and fails.
PPS_MUST_CHECK enum pps_status pps_target_publish(const struct pps_target *target,
                                                  int data_fd,
                                                  int index_fd,
                                                  struct pps_error *err);

#endif
