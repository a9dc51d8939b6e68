// SPDX-License-Identifier: Apache-2.0
// Points whose results no two implementations can agree on: their dynamics enlarge the rounding of
// a last bit until it shows. The kernel's reference tells them by itself, at points beside.
#ifndef PPS_SENSITIVE_H
#define PPS_SENSITIVE_H

#include "kernel.h"

// How far the reference's result in column c moves, relative to `result`, when the point's real
// parameters change by some units in the last place: the greatest of several trials, up to
// `enough`, beyond which it is not looked at further. About 1e-15 for a point that is not
// sensitive.
double pps_sensitivity(const struct pps_kernel *kernel,
                       const double *point,
                       int c,
                       double result,
                       double enough,
                       const struct pps_worker *worker);

#endif
