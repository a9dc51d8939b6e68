// SPDX-License-Identifier: Apache-2.0
// Trials beside a point.
#include "sensitive.h"

#include "experiment.h"

#include <math.h>

enum { TRIALS = 12 };

// The parameter changed by a few units in the last place, where it is a number above 0 that may
// change so.
static double beside(const struct pps_param *param, double value, int step)
{
    const double other = value * (1 + step * 0x1p-50);
    if (param->kind != PPS_REAL || !(value > 0) || other > param->max || other < param->min ||
        (param->max_open && other >= param->max))
        return value;
    return other;
}

// The reference's result in column c of the point of this trial; NAN: it has none. Trials change
// all parameters, each by an amount of its own.
static double try_beside(const struct pps_kernel *kernel,
                         const double *point,
                         int c,
                         int trial,
                         const struct pps_worker *worker)
{
    double near[PPS_MAX_PARAMS], result = (double)NAN;
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS] = {NULL};
    char *text[PPS_MAX_COLUMNS] = {NULL};
    uint8_t outcome = PPS_FAILED;
    for (int p = 0; p < kernel->n_params; p++) {
        near[p] = beside(&kernel->params[p], point[p], (trial + 1) * (p % 3 - 1 + trial % 2));
        param[p] = &near[p];
    }
    if (kernel->check != NULL && kernel->check(near, kernel->shared) != 0)
        return (double)NAN;
    column[c] = &result;
    kernel->reference(&(struct pps_batch){.n_points = 1,
                                          .param = param,
                                          .column = column,
                                          .text = text,
                                          .outcome = &outcome},
                      worker);
    return outcome == PPS_DONE ? result : (double)NAN;
}

double pps_sensitivity(const struct pps_kernel *kernel,
                       const double *point,
                       int c,
                       double result,
                       double enough,
                       const struct pps_worker *worker)
{
    double most = 0;
    for (int trial = 0; trial < TRIALS && most < enough; trial++) {
        const double moved = fabs(try_beside(kernel, point, c, trial, worker) - result);
        most = fmax(most, moved / fmax(fabs(result), 0x1p-1022));
    }
    return most;
}
