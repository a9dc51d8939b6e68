// SPDX-License-Identifier: Apache-2.0
// Writes the points of a search as a result: rows in the order of evaluation, with index and manifest.
#ifndef PPS_ENGINE_OPTIMISE_BEST_RESULT_H
#define PPS_ENGINE_OPTIMISE_BEST_RESULT_H

#include "engine/optimise/evaluation.h"

struct pps_best_result_ask {
    const struct pps_evaluation *evaluation;
    const char *path;    // of the result
    const char *codec;   // as in struct pps_job
    bool force;          // replace the result
    bool resume;         // continue the writing of an earlier run of this search
    const char *command; // for the manifest
    atomic_bool *stop;
};

// Runs a job whose experiment lists all points; no row is computed again, except those of points that
// failed. Returns what pps_job_run returns.
PPS_MUST_CHECK enum pps_status pps_best_result_write(const struct pps_best_result_ask *ask,
                                                     struct pps_error *err);

#endif
