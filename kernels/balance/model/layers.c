// SPDX-License-Identifier: Apache-2.0
// Checks layers.
#include "kernels/balance/model/layers.h"

#include <math.h>
#include <stddef.h>

const char *const balance_kind_names[BALANCE_KINDS] = {"none", "select", "select_comm", "both",
                                                       "full"};

static bool is_time(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

static const char *kind_misfit(const struct balance_layers *layers, int kind)
{
    if (!layers->has[kind])
        return NULL;
    if (!is_time(layers->backward[kind]))
        return "the backward time of a body layer must be a number from 0 on";
    if (!(layers->activation_mb[kind] > 0 && layers->activation_mb[kind] < (double)INFINITY))
        return "the activation memory of a body layer must be above 0";
    return NULL;
}

const char *balance_layers_misfit(const struct balance_layers *layers)
{
    if (layers->layers < 1)
        return "there must be at least one body layer";
    if (!layers->has[BALANCE_NONE])
        return "the activation memory of a body layer without recomputation is missing";
    if (!is_time(layers->head) || !is_time(layers->tail) || !is_time(layers->forward) ||
        !is_time(layers->head_backward) || !is_time(layers->tail_backward) ||
        !is_time(layers->transfer))
        return "times must be numbers from 0 on";
    if (!isfinite(layers->parameter_mb) || !isfinite(layers->head_mb) ||
        !isfinite(layers->tail_mb) || !isfinite(layers->constant_mb))
        return "memory must be a number";
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        const char *misfit = kind_misfit(layers, kind);
        if (misfit != NULL)
            return misfit;
    }
    return NULL;
}
