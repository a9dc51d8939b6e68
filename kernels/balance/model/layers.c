// SPDX-License-Identifier: Apache-2.0
// Derives and checks what layers say.
#include "kernels/balance/model/layers.h"

#include <math.h>
#include <stddef.h>

const char *const balance_kind_names[BALANCE_KINDS] = {"none", "select", "select_comm", "both",
                                                       "full"};
const double balance_usual_coefs[BALANCE_KINDS] = {0, 0.04, 0.125, 0.165, 0.5};

double balance_backward_of(double time, double plain, const double coef[BALANCE_KINDS],
                           enum balance_kind kind)
{
    return plain > 0 ? plain + 2 * time * (coef[kind] - coef[BALANCE_NONE])
                     : 2 * time * (1 + coef[kind]);
}

static bool is_from_0(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

static const char *kind_misfit(const struct balance_layers *layers, int kind)
{
    if (!layers->has[kind])
        return NULL;
    if (!is_from_0(layers->backward[kind]))
        return "the backward time of a body layer must be a number from 0 on";
    if (!(layers->activation_mb[kind] > 0 && layers->activation_mb[kind] < (double)INFINITY))
        return "the activation memory of a body layer must be above 0";
    return NULL;
}

bool balance_layers_take_time(const struct balance_layers *layers)
{
    return layers->head > 0 || layers->head_backward > 0 || layers->forward > 0 ||
           layers->backward[BALANCE_NONE] > 0 || layers->tail > 0 || layers->tail_backward > 0;
}

const char *balance_layers_misfit(const struct balance_layers *layers)
{
    if (layers->layers < 1)
        return "there must be at least one body layer";
    if (!layers->has[BALANCE_NONE])
        return "the activation memory of a body layer without recomputation is missing";
    if (!is_from_0(layers->head) || !is_from_0(layers->tail) || !is_from_0(layers->forward) ||
        !is_from_0(layers->head_backward) || !is_from_0(layers->tail_backward) ||
        !is_from_0(layers->transfer))
        return "times must be numbers from 0 on";
    if (!balance_layers_take_time(layers))
        return "all times are 0; a layer must take time";
    if (!isfinite(layers->parameter_mb) || !isfinite(layers->head_mb) ||
        !isfinite(layers->tail_mb) || !isfinite(layers->constant_mb))
        return "memory must be a number";
    if (!is_from_0(layers->head_activation_mb) || !is_from_0(layers->head_working_mb) ||
        !is_from_0(layers->working_mb))
        return "memory of kept activations and of layers that are computed again must be a "
               "number from 0 on";
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        const char *misfit = kind_misfit(layers, kind);
        if (misfit != NULL)
            return misfit;
    }
    return NULL;
}
