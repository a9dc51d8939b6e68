// SPDX-License-Identifier: Apache-2.0
// Runs a sweep from opening its files to closing them: writes blocks, resumes interrupted runs,
// ends early if asked. Private to the command run, which reads the options.
#ifndef PPS_CLI_RUNNING_H
#define PPS_CLI_RUNNING_H

#include "engine/cli/verbs.h"

#include "engine/cli/options/result_path.h"
#include "engine/experiment/experiment.h"
#include "engine/forecast/progress.h"
#include "engine/job/snapshot.h"
#include "engine/run/known_rows.h"
#include "engine/run/sweep.h"
#include "engine/store/output.h"

// State of a run.
struct pps_running {
    const struct pps_args *args;
    struct pps_experiment *experiment;
    struct pps_resultpath path;
    struct pps_output *output;
    struct pps_progress progress;
    struct pps_sweep sweep; // its stop flag is the caller's to set
    struct pps_totals totals;
    struct pps_totals earlier;    // what an interrupted run had found
    struct pps_snapshot snapshot; // of a run that keeps the best rows alone
    uint64_t data_bytes;
    int by[PPS_MAX_PARAMS];
    struct pps_reuse *reuse; // or NULL
    bool quiet, json;
    bool opened; // a .part may be there
};

// Returns the text of the manifest, without counts if totals is NULL; the caller frees the
// text.
PPS_MUST_CHECK enum pps_status pps_running_manifest(const struct pps_running *run,
                                                    struct pps_totals *totals,
                                                    char **text,
                                                    struct pps_error *err);

// Runs the sweep and writes its files. Returns PPS_E_STOPPED if the run ended early.
PPS_MUST_CHECK enum pps_status pps_running_execute(struct pps_running *run,
                                                   struct pps_error *err);

// Closes the files after an error and keeps the finished blocks. If the machine failed, adds
// the command that resumes the run to the error.
enum pps_status pps_running_give_up(struct pps_running *run,
                                    enum pps_status status,
                                    struct pps_error *err);

#endif
