// SPDX-License-Identifier: Apache-2.0
// Computes the sensitivity of a point: simulates two points whose lengths differ in the last
// bits.
#include "kernels/contention/model/sensitivity.h"

#include <math.h>

struct contention_point contention_point_beside(const struct contention_point *point, int trial)
{
    struct contention_point beside = *point;
    if (trial == 0)
        beside.fwd_len *= 1 + 0x1p-50;
    else
        beside.prop_len *= 1 + 0x1p-50;
    return beside;
}

double contention_change(double before, double after)
{
    return fabs(after - before) / before;
}

enum contention_status contention_sensitivity(const struct contention_point *point, bool exact,
                                              void *scratch, const atomic_bool *stop,
                                              double *sensitivity)
{
    struct contention_result here, there;
    enum contention_status status =
        contention_simulate(point, false, exact, scratch, stop, &here);
    *sensitivity = 0;
    for (int trial = 0; trial < SENSITIVITY_TRIALS && status == CONTENTION_DONE; trial++) {
        const struct contention_point beside = contention_point_beside(point, trial);
        status = contention_simulate(&beside, false, exact, scratch, stop, &there);
        *sensitivity = fmax(*sensitivity, contention_change(here.total_time, there.total_time));
    }
    return status;
}
