// SPDX-License-Identifier: Apache-2.0
// Sensitivity finds points whose results no two implementations can agree on, because their
// dynamics amplify rounding errors of the last bit. The kernel's own reference, run at
// neighbouring points, shows these points.
#ifndef PPS_ENGINE_RUN_SENSITIVE_POINTS_H
#define PPS_ENGINE_RUN_SENSITIVE_POINTS_H

#include "ppsweep/kernel.h"

// Returns how far the reference's result in column c moves, relative to `result`, when the
// point's real parameters change by some units in the last place. The value is the maximum of
// several trials; the trials end once it exceeds `enough`. It is about 1e-15 for a point that
// is not sensitive. Thread-safe if each thread has its own worker.
double pps_sensitivity(const struct pps_kernel *kernel,
                       const double *point,
                       int c,
                       double result,
                       double enough,
                       const struct pps_worker *worker);

#endif
