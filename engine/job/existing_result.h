// SPDX-License-Identifier: Apache-2.0
// Examines the existing files with the name of a result. They may be the same result, an
// interrupted run of it, or the result of another run.
#pragma once

#include "engine/job/job.h"

// Returns whether the file whose name is path and ending exists.
bool pps_existing_file(const char *path, const char *ending);

// Examines the files at `path` ("-": a stream); sets *complete if the result of the same run is
// complete. `wanted` is the manifest of the job without its counts; its raw items get their
// values. With `resume`, returns PPS_E_INPUT with the differing key if there is an interrupted
// result of another run or, without `force`, a complete result of another run.
PPS_MUST_CHECK enum pps_status pps_existing_find(const struct pps_job *job, const char *path,
                                                 cJSON *wanted, bool *complete,
                                                 struct pps_error *err);
