// SPDX-License-Identifier: Apache-2.0
// Scales the parts of a completion time.
#include "kernels/contention/model/model.h"

static void scale_rest(struct contention_parts *parts, double factor)
{
    parts->slowdown *= factor;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        parts->waits[k] *= factor;
    parts->bubble *= factor;
    parts->final_sync *= factor;
}

void contention_scale_parts(struct contention_parts *parts, double factor)
{
    parts->compute *= factor;
    scale_rest(parts, factor);
}

void contention_fit_parts(struct contention_parts *parts, double total_time)
{
    double rest = parts->slowdown + parts->bubble + parts->final_sync;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        rest += parts->waits[k];
    if (rest > 0 && total_time > parts->compute)
        scale_rest(parts, (total_time - parts->compute) / rest);
}
