// SPDX-License-Identifier: Apache-2.0
// Finds the most body layers of a stage by trying the chunks one after the other, with a bound on the rest.
#include "kernels/balance/proxy/stage_fit.h"

#include <string.h>

static double activations_of(const struct stage_fit *fit, int32_t chunk, int32_t layers)
{
    return fit->activation_mb[(size_t)chunk * (size_t)fit->columns + (size_t)layers];
}

static double sum_of_vector(const struct stage_fit *fit, int32_t vector, const int32_t *layers)
{
    const int32_t *in_flight = fit->vectors + (size_t)vector * (size_t)fit->chunks;
    double sum = 0;
    for (int32_t v = 0; v < fit->chunks; v++)
        sum += fit->parameter_mb * layers[v] + in_flight[v] * activations_of(fit, v, layers[v]);
    return sum;
}

double stage_fit_mb(const struct stage_fit *fit, const int32_t *layers)
{
    double most = 0;
    for (int32_t i = 0; i < fit->n_vectors; i++) {
        const double mb = sum_of_vector(fit, i, layers);
        most = mb > most ? mb : most;
    }
    return most;
}

// Returns whether the present layers fit, those of later chunks at their least. Tries the vector first that
// was exceeded last: often it is exceeded again.
static bool fits(struct stage_fit *fit)
{
    for (int32_t i = 0; i < fit->n_vectors; i++) {
        const int32_t vector = (i + fit->hint) % fit->n_vectors;
        if (sum_of_vector(fit, vector, fit->now) > fit->memory_mb) {
            fit->hint = vector;
            return false;
        }
    }
    return true;
}

// Returns a bound of the layers that the chunks from `chunk` on can have above their least, by the vector that
// was exceeded last: none of them takes less than a layer of the lightest kind in the least chunk.
static int32_t bound_of_rest(const struct stage_fit *fit, int32_t chunk)
{
    int32_t rest = 0;
    const int32_t *in_flight = fit->vectors + (size_t)fit->hint * (size_t)fit->chunks;
    int32_t fewest = INT32_MAX;
    double used = 0;
    for (int32_t v = 0; v < fit->chunks; v++) {
        if (v < chunk) {
            used += fit->parameter_mb * fit->now[v] +
                    in_flight[v] * activations_of(fit, v, fit->now[v]);
            continue;
        }
        rest += fit->most[v];
        fewest = in_flight[v] < fewest ? in_flight[v] : fewest;
    }
    const double layer_mb = fit->parameter_mb + fewest * fit->least_activation_mb;
    const double most = (fit->memory_mb - used) / layer_mb * (1 + 1e-12) + 1e-9;
    return layer_mb > 0 && most < rest ? (int32_t)most : rest;
}

static void place(struct stage_fit *fit, int32_t chunk)
{
    if (chunk == fit->chunks) {
        fit->found = fit->sum;
        memcpy(fit->layers, fit->now, (size_t)fit->chunks * sizeof *fit->layers);
        return;
    }
    for (int32_t n = fit->most[chunk]; n >= fit->least && !fit->is_over; n--) {
        fit->now[chunk] = n;
        fit->sum += n;
        fit->is_over = poll_over(fit->poll);
        if (fit->sum + bound_of_rest(fit, chunk + 1) > fit->found && fits(fit))
            place(fit, chunk + 1);
        fit->sum -= n;
    }
    fit->now[chunk] = fit->least;
}

int32_t stage_fit_find(struct stage_fit *fit)
{
    fit->sum = 0;
    fit->found = -1;
    fit->hint = 0;
    fit->is_over = false;
    for (int32_t v = 0; v < fit->chunks; v++) {
        if (fit->most[v] < fit->least)
            return -1;
        fit->now[v] = fit->least;
    }
    if (!fits(fit))
        return -1;
    place(fit, 0);
    return fit->found;
}
