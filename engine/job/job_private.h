// SPDX-License-Identifier: Apache-2.0
// Declares the steps of a job, in the order of pps_job_run, and the state that they share.
#pragma once

#include "base/system/time_limit.h"
#include "engine/job/finished_result.h"
#include "engine/job/job.h"
#include "engine/job/snapshot.h"
#include "engine/run/known_rows.h"

struct pps_job_work {
    struct pps_output *output; // NULL: rows go to a stream
    struct pps_totals earlier; // of the interrupted run
    struct pps_snapshot snapshot;
    struct pps_record_log snapshots; // of an --only-top run into a file
    struct pps_known_rows *reuse;
    struct pps_finished_result
        finished; // of a complete result; its totals are the totals of the job
    int by[PPS_MAX_PARAMS];
    struct pps_time_limit limit;
    atomic_bool stop; // used if the caller has no flag
    bool opened;      // NAME.part may exist
};

// Returns the stop flag of the job.
atomic_bool *pps_job_stop(const struct pps_job_result *result);

// Returns the selection of best rows as a text for the digest of the experiment, which the
// caller frees; NULL if the result has all rows.
PPS_MUST_CHECK enum pps_status pps_job_selection(const struct pps_job *job, char **selection,
                                                 struct pps_error *err);

// Sets n_best, by, objective, only_best and ties of the sweep.
PPS_MUST_CHECK enum pps_status pps_job_choose_best(struct pps_job_result *result,
                                                   struct pps_error *err);

// Returns the manifest, without counts if totals is NULL; the caller deletes it. Returns NULL if
// memory runs out.
cJSON *pps_job_manifest(const struct pps_job_result *result, struct pps_totals *totals);

// Opens the file or the stream of the rows.
PPS_MUST_CHECK enum pps_status pps_job_open(struct pps_job_result *result,
                                            struct pps_error *err);

// Reads the totals of the interrupted run, as far as its files contain them, and skips its
// blocks.
PPS_MUST_CHECK enum pps_status pps_job_take_up(struct pps_job_result *result,
                                               struct pps_error *err);

// Computes the points that are missing, and adds the totals of the interrupted run.
PPS_MUST_CHECK enum pps_status pps_job_sweep(struct pps_job_result *result,
                                             struct pps_error *err);

// Completes the files, or, after a stop, leaves them resumable and returns PPS_E_STOPPED.
PPS_MUST_CHECK enum pps_status pps_job_finish(struct pps_job_result *result,
                                              struct pps_error *err);

// Calls the watch callback and raises the stop flag if it returns false.
void pps_job_tell(struct pps_job_result *result, enum pps_job_event event);

// Adds the command that resumes the run to the text of an error, if NAME.part exists.
void pps_job_hint(const struct pps_job_result *result, struct pps_error *err);

// Writes the best rows in order of index as one block, and sets totals->rows to their number.
PPS_MUST_CHECK enum pps_status pps_best_write(const struct pps_sweep *sweep,
                                              struct pps_totals *totals, struct pps_error *err);
