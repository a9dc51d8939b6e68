// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's reference at points near a point.
#include "engine/run/sensitive_points.h"

#include "engine/experiment/experiment.h"
#include "engine/experiment/kernel_calls.h"

#include <math.h>

enum { TRIALS = 12 };

// Returns the parameter changed by a few units in the last place if it is a positive real
// number and the new value is valid; otherwise the unchanged value.
static double beside(const struct pps_param *param, double value, int step)
{
    const double other = value * (1 + step * 0x1p-50);
    if (param->kind != PPS_REAL || !(value > 0) || other > param->max || other < param->min ||
        (param->max_open && other >= param->max))
        return value;
    return other;
}

// Returns the reference's result in column c for the point of this trial, or NAN. Each trial
// changes all real parameters by different amounts.
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
    pps_kernel_reference(kernel,
                         &(struct pps_batch){.n_points = 1,
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
