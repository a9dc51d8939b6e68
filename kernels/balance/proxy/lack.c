// SPDX-License-Identifier: Apache-2.0
// Explains why no strategy fits in memory: all layers have the kind with the least activations.
#include "kernels/balance/proxy/proxy_private.h"

#include <math.h>

#define LIMIT_MB 1e-7 // to which the least limit is found

static int32_t sum_of_stage(const struct proxy *proxy, int32_t stage)
{
    int32_t sum = 0;
    for (int32_t v = 0; v < proxy->fit.chunks; v++)
        sum += proxy->layers[v * proxy->program->shape.stages + stage];
    return sum;
}

// Opens a stage whose layers have the lightest kind of a way.
static void open_lightest(struct proxy *proxy, int32_t stage, uint8_t way, double limit_mb)
{
    struct stage_fit *fit = &proxy->fit;
    proxy->way[stage] = way;
    proxy_open_fit(proxy, stage, limit_mb);
    for (int32_t v = 0; v < fit->chunks; v++) {
        const double ends_mb = proxy_ends(proxy->program, v, stage).activation_mb;
        for (int32_t n = 0; n <= proxy->layers_max; n++)
            fit->activation_mb[(size_t)v * (size_t)fit->columns + (size_t)n] =
                n * fit->least_activation_mb + ends_mb;
    }
}

// Returns the memory of a stage with the chosen layers, in the better way.
static double chosen_mb(struct proxy *proxy, int32_t stage)
{
    double least = (double)INFINITY;
    for (uint8_t way = 0; way < proxy->n_ways; way++) {
        open_lightest(proxy, stage, way, 0);
        for (int32_t v = 0; v < proxy->fit.chunks; v++)
            proxy->fit.now[v] = proxy->layers[v * proxy->program->shape.stages + stage];
        least = fmin(least,
                     proxy_fixed_mb(proxy, stage) + stage_fit_mb(&proxy->fit, proxy->fit.now));
    }
    return least;
}

static int32_t largest_stage(struct proxy *proxy)
{
    int32_t largest = 0;
    for (int32_t s = 1; s < proxy->program->shape.stages; s++)
        if (chosen_mb(proxy, s) > chosen_mb(proxy, largest))
            largest = s;
    return largest;
}

// Chooses the most layers of a stage that fit under a limit, and returns their number; -1: not even the least.
static int32_t fill_stage(struct proxy *proxy, int32_t stage, double limit_mb)
{
    const int32_t stages = proxy->program->shape.stages;
    int32_t found = -1;
    for (uint8_t way = 0; way < proxy->n_ways && !proxy->is_stopped; way++) {
        open_lightest(proxy, stage, way, limit_mb);
        for (int32_t v = 0; v < proxy->fit.chunks; v++)
            proxy->fit.most[v] = proxy->layers_max;
        const int32_t most = stage_fit_find(&proxy->fit);
        proxy->is_stopped = proxy->is_stopped || proxy->fit.is_over;
        if (most <= found)
            continue;
        found = most;
        for (int32_t v = 0; v < proxy->fit.chunks; v++)
            proxy->layers[v * stages + stage] = proxy->fit.layers[v];
    }
    return found;
}

// Chooses as many layers as fit under a limit; returns false if they are too few, or the poll ended the search.
static bool fill(struct proxy *proxy, double limit_mb)
{
    const struct proxy_program *program = proxy->program;
    const int32_t stages = program->shape.stages;
    int64_t sum = 0;
    for (int32_t s = 0; s < stages; s++) {
        const int32_t most = fill_stage(proxy, s, limit_mb);
        if (most < 0 || proxy->is_stopped)
            return false;
        sum += most;
    }
    return sum >= program->layers->layers;
}

// Takes layers that are too many from the stages with the most memory.
static void drop(struct proxy *proxy)
{
    const int32_t stages = proxy->program->shape.stages;
    int64_t excess = -(int64_t)proxy->program->layers->layers;
    for (int32_t s = 0; s < stages; s++)
        excess += sum_of_stage(proxy, s);
    for (; excess > 0; excess--) {
        int32_t best = -1;
        double most = 0;
        for (int32_t i = 0; i < stages * proxy->fit.chunks; i++) {
            if (proxy->layers[i] <= proxy->fit.least)
                continue;
            const double mb = chosen_mb(proxy, i % stages);
            if (best < 0 || mb > most) {
                best = i;
                most = mb;
            }
        }
        proxy->layers[best]--;
    }
}

// Finds the least limit between one that is too small and one that suffices, and leaves its layers chosen.
static double least_limit(struct proxy *proxy, double low, double high)
{
    double found = high;
    for (bool below = true; !proxy->is_stopped && found - low > 2 * LIMIT_MB; below = !below) {
        const double middle = below ? found - LIMIT_MB : low + (found - low) / 2;
        if (fill(proxy, middle)) {
            drop(proxy);
            found = fmin(middle, chosen_mb(proxy, largest_stage(proxy)));
        } else {
            low = middle;
        }
    }
    if (fill(proxy, found))
        drop(proxy);
    return found;
}

static void explain(struct proxy *proxy)
{
    const struct proxy_program *program = proxy->program;
    const int32_t stages = program->shape.stages;
    struct proxy_lack *lack = &proxy->answer->lack;
    for (int32_t i = 0; i < stages * proxy->fit.chunks; i++)
        proxy->layers[i] = proxy->fit.least;
    int32_t stage = largest_stage(proxy);
    const bool at_least = chosen_mb(proxy, stage) > program->limit_mb + PROXY_TOLERANCE_MB;
    *lack = (struct proxy_lack){.stage = stage,
                                .layers = sum_of_stage(proxy, stage),
                                .needs_mb = chosen_mb(proxy, stage)};
    double high = fmax(lack->needs_mb, program->limit_mb) + 1;
    for (double step = 1024; !fill(proxy, high) && !proxy->is_stopped; step *= 2)
        high += step;
    lack->least_limit_mb = least_limit(proxy, program->limit_mb, high);
    stage = largest_stage(proxy);
    if (!at_least) {
        lack->stage = stage;
        lack->layers = sum_of_stage(proxy, stage);
        lack->needs_mb = lack->least_limit_mb;
    }
    lack->lacks_mb = lack->needs_mb - program->limit_mb;
}

bool proxy_memory_suffices(struct proxy *proxy)
{
    if (fill(proxy, proxy->program->limit_mb) || proxy->is_stopped)
        return true;
    explain(proxy);
    return proxy->is_stopped;
}
