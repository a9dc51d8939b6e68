// SPDX-License-Identifier: Apache-2.0
// A job is a whole run as a function: it loads an experiment, finds out what exists at the path
// of the result, resumes an interrupted result, computes the missing rows, and completes the
// result with its index and manifest. A job reads no options, prints nothing, handles no signals
// and never ends the process.
#pragma once

#include "engine/experiment/experiment.h"
#include "engine/job/result_path.h"
#include "engine/run/sweep.h"

#include <stdio.h>

struct pps_job_result;

enum pps_job_event {
    PPS_JOB_FOUND,  // the complete result exists; its totals are read next
    PPS_JOB_READY,  // all inputs are read; from now on files change
    PPS_JOB_BEGINS, // the files are open, an interrupted result is read; points follow
    PPS_JOB_PASSED, // a block is written; `passed` of the result has changed
    PPS_JOB_ENDS,   // no more points follow, also if the run was stopped or failed
};

// Everything that a caller asks for. Zero and NULL are the defaults, except for `kernels`,
// `digits` (PPS_DEFAULT_DIGITS) and one of `path`, `text`, `points` and `overrides` of the
// request. All strings must stay until pps_job_free.
struct pps_gate;

struct pps_job {
    struct pps_request request; // the experiment; `only` is set by the job
    int threads;                // 0: the CPUs that this process may use
    // The result.
    const char *output; // NAME.csv.gz, NAME.csv, a folder, or "-" for `rows`; NULL: "output" of
                        // the experiment, else a name in PPS_DATA_FOLDER
    FILE *rows;         // the stream that "-" writes to; NULL: "-" is an error
    const char *codec;  // as for pps_codec_parse; NULL: by the ending of the name, else zlib:1
    struct pps_shard shard; // count 0: all points
    const struct pps_gate
        *gate;   // its inputs are files that the result may not replace; or NULL
    bool force;  // overwrite the result if it exists
    bool resume; // resume the result if it is interrupted
    // The best rows, ranked by request.objective (NULL: the first column).
    uint64_t top;   // rows of each group
    const char *by; // parameters that define the groups, separated by commas, or PPS_BY_NONE;
                    // NULL: parameters that change the work
    bool only_best; // the result has only these rows
    bool ties;      // with only_best: also all rows equal to the last of these
    // Checks and copies.
    const char *reuse;                  // an earlier result from which rows are copied; or NULL
    const struct pps_known_rows *known; // rows that are copied, without `reuse`; or NULL
    double audit;   // fraction of the rows to compare with the reference; 0: none
    bool fail_fast; // PPS_E_POINTS for the first point that failed
    // Text that the job passes on.
    const char *command;        // for the manifest; NULL: ""
    const char *view;           // for the manifest: the default view of timelines; or NULL
    const char *resume_command; // ends the error of an interrupted run; or NULL
    // Control. The flag may go up at any time and from any thread or signal handler; the job
    // raises it itself after the time limit or if `watch` returns false. NULL: a flag of the job.
    atomic_bool *stop;
    double time_limit_s; // stop this long after the call of pps_job_run; 0: no limit
    // Called after each event, by one thread at a time but not always the same. Returns false to
    // stop the run. Or NULL.
    bool (*watch)(void *self, enum pps_job_event event, const struct pps_job_result *result);
    void *self;
};

// The state and the summary of a job. The caller only reads it.
struct pps_job_result {
    const struct pps_job *job;
    // Since pps_job_load:
    struct pps_experiment *experiment;
    struct pps_resultpath path;
    struct pps_sweep sweep;
    // Since PPS_JOB_READY:
    bool reuse_unchecked; // the earlier result has no index to check its rows with
    // Since PPS_JOB_BEGINS:
    bool unlocked;                   // the file system has no locks
    bool resumed;                    // an interrupted result is continued
    struct pps_error snapshot_fault; // code other than PPS_OK: the best rows of the interrupted
                                     // run are lost, the run starts at the first point
    uint64_t n_points;               // of this run and the runs that it resumes
    uint64_t earlier_points, earlier_rows; // of the runs that it resumes
    // Since PPS_JOB_PASSED:
    struct pps_passed passed; // counts of this run
    // Since pps_job_run:
    struct pps_totals totals;
    uint64_t data_bytes;       // of the result file
    bool repeated;             // an earlier run has made the result: all below is of that run
    bool no_totals;            // repeated, and totals are missing, since the index is missing
    double audit;              // audited fraction of the rows; 0: none
    const char *reuse;         // earlier result of copied rows, or NULL
    int threads;               // of the run
    struct pps_job_work *work; // private
};

// Loads and resolves the experiment, the groups of best rows and the path of the result, and
// changes no files. pps_job_run does this first; a caller that wants to look at the experiment
// before the run calls pps_job_load. The caller calls pps_job_free in every case; `job` must
// stay until then.
PPS_MUST_CHECK enum pps_status pps_job_load(const struct pps_job *job,
                                            struct pps_job_result *result,
                                            struct pps_error *err);

// Runs the job; *result is zeroed, or from pps_job_load with the same job. The caller calls
// pps_job_free in every case. Returns
// - PPS_OK if the result is complete, by this run or by an earlier one (`repeated`);
//   totals.failed may be above 0;
// - PPS_E_STOPPED if the run was stopped: the finished blocks are in NAME.part, and a job with
//   `resume` continues;
// - PPS_E_INPUT for a wrong experiment or option, and for a result of another run at the path
//   or, without `resume`, an interrupted result, unless `force` is set;
// - PPS_E_POINTS if the audit found a difference, or for a failed point with fail_fast;
// - PPS_E_MACHINE if the machine failed: finished blocks stay as after a stop.
PPS_MUST_CHECK enum pps_status pps_job_run(const struct pps_job *job,
                                           struct pps_job_result *result,
                                           struct pps_error *err);

void pps_job_free(struct pps_job_result *result); // a zeroed one is fine
