// SPDX-License-Identifier: Apache-2.0
// Runs a kernel for a single point outside a sweep, and writes its artifacts: texts that a
// kernel knows of a point besides its row.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "ppsweep/kernel.h"

#include <stdatomic.h>

// Sets up a worker for one point, with exact results. The caller frees worker->scratch. Returns
// PPS_E_INPUT if the point needs more memory than the machine has.
PPS_MUST_CHECK enum pps_status pps_point_worker(const struct pps_kernel *kernel,
                                                const double *point, const atomic_bool *stop,
                                                struct pps_worker *worker,
                                                struct pps_error *err);

// Returns PPS_OK for PPS_DONE, otherwise the status of the outcome with an error. `what` is what
// the kernel could not make; `why` is the kernel's reason, or "".
enum pps_status pps_point_outcome(enum pps_outcome outcome, const char *what, const char *why,
                                  struct pps_error *err);

// Finds the artifact `name`. Returns PPS_E_INPUT with the names that the kernel has.
PPS_MUST_CHECK enum pps_status pps_artifact_find(const struct pps_kernel *kernel,
                                                 const char *name, int *which,
                                                 struct pps_error *err);

struct pps_artifact_file {
    const char *path; // "-": standard output
    const struct pps_gate *gate;
    const atomic_bool *stop;
};

// Writes artifact `which` of a point that has passed `check`. The file appears when it is
// complete; after a failure nothing is left behind.
PPS_MUST_CHECK enum pps_status pps_artifact_write(const struct pps_kernel *kernel, int which,
                                                  const double *point,
                                                  const struct pps_artifact_file *to,
                                                  struct pps_error *err);
