// SPDX-License-Identifier: Apache-2.0
// Decides whether a pipeline holds all layers within limits of time: every stage takes as many as it can.
#include "kernels/balance/proxy/proxy_private.h"

#include <string.h>

// Limits of time are met up to rounding, relatively.
#define ROUNDING 1e-11

void proxy_open_fit(struct proxy *proxy, int32_t stage, double limit_mb)
{
    const struct proxy_program *program = proxy->program;
    struct stage_fit *fit = &proxy->fit;
    fit->n_vectors = program->n_vectors[stage];
    fit->vectors = program->vectors[stage];
    fit->memory_mb = limit_mb + PROXY_TOLERANCE_MB - proxy_fixed_mb(proxy, stage);
    fit->least_activation_mb = proxy_contents(proxy, stage)->least_activation_mb;
    fit->poll = proxy->poll;
}

// Returns whether the lightest kind alone exceeds the memory of the stage.
static bool is_too_much(const struct stage_fit *fit, int32_t chunk, int32_t layers)
{
    for (int32_t i = 0; i < fit->n_vectors; i++) {
        const int32_t in_flight = fit->vectors[(size_t)i * (size_t)fit->chunks + (size_t)chunk];
        if (layers * (fit->parameter_mb + in_flight * fit->least_activation_mb) >
            fit->memory_mb * (1 + ROUNDING))
            return true;
    }
    return false;
}

static double slowest_of(const struct proxy *proxy, int32_t chunk, int32_t layers)
{
    return proxy->slowest[chunk] - proxy->per_layer[chunk] * layers;
}

// Fills the column of a chunk of a stage that has at most `most` layers.
static void fill_column(struct proxy *proxy, int32_t stage, int32_t chunk, int32_t most)
{
    struct stage_fit *fit = &proxy->fit;
    struct contents *contents = proxy_contents(proxy, stage);
    const double ends_mb = proxy_ends(proxy->program, chunk, stage).activation_mb;
    double *column = fit->activation_mb + (size_t)chunk * (size_t)fit->columns;
    fit->most[chunk] = fit->least - 1;
    for (int32_t n = fit->least; n <= most; n++) {
        const double slowest = slowest_of(proxy, chunk, n);
        if (n * contents->least_backward > slowest || is_too_much(fit, chunk, n))
            return;
        if (n > contents->built && !contents_extend(contents, n))
            return;
        const struct content *content = contents_lightest(contents, n, slowest);
        if (content == NULL)
            return;
        column[n] = content->activation_mb + ends_mb;
        fit->most[chunk] = n;
    }
}

// Stores the way that was found for a stage.
static void choose(struct proxy *proxy, int32_t stage)
{
    const int32_t stages = proxy->program->shape.stages;
    for (int32_t v = 0; v < proxy->fit.chunks; v++) {
        const int32_t n = proxy->fit.layers[v];
        proxy->layers[v * stages + stage] = n;
        proxy->chosen[v * stages + stage] =
            contents_lightest(proxy_contents(proxy, stage), n, slowest_of(proxy, v, n));
    }
}

// The limits of two terms: of the backward of each chunk.
static int32_t most_of_two_terms(struct proxy *proxy, int32_t stage,
                                 const struct proxy_limits *limits, int32_t found)
{
    const struct proxy_program *program = proxy->program;
    const int32_t last = program->shape.chunks - 1;
    for (int32_t v = 0; v <= last; v++) {
        const struct balance_ends ends = proxy_ends(program, v, stage);
        proxy->slowest[v] = (v < last ? limits->stage : limits->last) * (1 + ROUNDING) -
                            (v < last ? 0 : ends.forward) - ends.backward;
        proxy->per_layer[v] = v < last ? 0 : proxy_last_per_layer(program, stage);
        fill_column(proxy, stage, v, proxy->layers_max);
        if (proxy->fit.most[v] < proxy->fit.least)
            return found;
    }
    const int32_t most = stage_fit_find(&proxy->fit);
    if (most <= found)
        return found;
    choose(proxy, stage);
    return most;
}

// Layers of a chunk whose forward, head and tail included, takes at most `slowest`.
static int32_t most_by_forward(const struct proxy *proxy, double ends, double slowest)
{
    const double forward = proxy->program->layers->forward;
    const double rest = slowest * (1 + ROUNDING) - ends;
    if (rest < 0)
        return -1;
    return rest >= forward * proxy->layers_max ? proxy->layers_max : (int32_t)(rest / forward);
}

// The limit of one term, its forwards taking at most `forward`. Returns `found` or more layers, or less.
static int32_t most_of_forward(struct proxy *proxy, int32_t stage, double limit, double forward,
                               int32_t found)
{
    const struct proxy_program *program = proxy->program;
    struct stage_fit *fit = &proxy->fit;
    int64_t bound = 0;
    for (int32_t v = 0; v < fit->chunks; v++) {
        const struct balance_ends ends = proxy_ends(program, v, stage);
        const int32_t most = most_by_forward(proxy, ends.forward, forward);
        if (most < fit->least)
            return -1;
        bound += most;
        fit->now[v] = most;
        proxy->slowest[v] = limit * (1 + ROUNDING) - forward - ends.backward;
        proxy->per_layer[v] = 0;
    }
    if (bound <= found)
        return -1;
    bound = 0;
    for (int32_t v = 0; v < fit->chunks; v++) {
        fill_column(proxy, stage, v, fit->now[v]);
        if (fit->most[v] < fit->least)
            return -1;
        bound += fit->most[v];
    }
    return bound <= found ? -1 : stage_fit_find(fit);
}

// The limit of one term: tries every time that the slowest forward of the stage can take.
static int32_t most_of_one_term(struct proxy *proxy, int32_t stage, double limit, int32_t found)
{
    const struct proxy_program *program = proxy->program;
    const int32_t chunks = program->shape.chunks;
    const double forward = program->layers->forward;
    for (int32_t v = 0; v < chunks; v++) {
        const double ends = proxy_ends(program, v, stage).forward;
        const bool is_between = v > 0 && v < chunks - 1;
        if (is_between && (program->shape.stages > 1 || v > 1))
            continue; // as a chunk before: of several stages, none has both head and tail
        for (int32_t n = 0; n <= proxy->layers_max && !proxy_has_ended(proxy); n++) {
            const double slowest = ends + n * forward;
            if (slowest > limit * (1 + ROUNDING) || (n > 0 && forward <= 0))
                break;
            const int32_t most = most_of_forward(proxy, stage, limit, slowest, found);
            proxy->is_stopped = proxy->is_stopped || proxy->fit.is_over;
            if (most > found) {
                found = most;
                choose(proxy, stage);
            }
        }
    }
    return found;
}

static double load_of(const struct proxy *proxy, int32_t chunk, int32_t stage)
{
    const size_t at = (size_t)(chunk * proxy->program->shape.stages + stage);
    const struct balance_ends ends = proxy_ends(proxy->program, chunk, stage);
    return proxy->layers[at] * proxy->program->layers->forward + proxy->chosen[at]->backward +
           ends.forward + ends.backward;
}

// Takes layers that are too many from the slowest chunks.
static void drop(struct proxy *proxy, int64_t excess)
{
    const int32_t stages = proxy->program->shape.stages, chunks = proxy->program->shape.chunks;
    for (; excess > 0; excess--) {
        int32_t slowest = -1;
        double most = 0;
        for (int32_t i = 0; i < stages * chunks; i++) {
            const double load = load_of(proxy, i / stages, i % stages);
            if (proxy->layers[i] > proxy->fit.least && (slowest < 0 || load > most)) {
                slowest = i;
                most = load;
            }
        }
        proxy->layers[slowest]--;
        proxy->chosen[slowest] =
            contents_lightest(proxy_contents(proxy, slowest % stages), proxy->layers[slowest],
                              proxy->chosen[slowest]->backward);
    }
}

static bool chosen_fits(const struct proxy *proxy, int32_t stage)
{
    const struct proxy_program *program = proxy->program;
    const int32_t stages = program->shape.stages, chunks = program->shape.chunks;
    for (int32_t i = 0; i < program->n_vectors[stage]; i++) {
        double sum = 0;
        for (int32_t v = 0; v < chunks; v++)
            sum += program->layers->parameter_mb * proxy->layers[v * stages + stage] +
                   program->vectors[stage][(size_t)i * (size_t)chunks + (size_t)v] *
                       (proxy->chosen[v * stages + stage]->activation_mb +
                        proxy_ends(program, v, stage).activation_mb);
        if (sum > program->limit_mb + PROXY_TOLERANCE_MB - proxy_fixed_mb(proxy, stage))
            return false;
    }
    return true;
}

// Recomputes less in the slowest chunks of a stage, as far as memory allows.
static void lighten(struct proxy *proxy, int32_t stage)
{
    const int32_t stages = proxy->program->shape.stages, chunks = proxy->program->shape.chunks;
    const struct contents *contents = proxy_contents(proxy, stage);
    for (int32_t v = 0; v < chunks; v++)
        proxy->fit.now[v] = 1; // not at its end
    for (;;) {
        int32_t slowest = -1;
        for (int32_t v = 0; v < chunks; v++)
            if (proxy->fit.now[v] != 0 &&
                (slowest < 0 || load_of(proxy, v, stage) > load_of(proxy, slowest, stage)))
                slowest = v;
        if (slowest < 0)
            return;
        const size_t at = (size_t)(slowest * stages + stage);
        const struct content *before = proxy->chosen[at];
        if (before > contents->list + contents->first[proxy->layers[at]]) {
            proxy->chosen[at]--;
            if (chosen_fits(proxy, stage))
                continue;
            proxy->chosen[at] = before;
        }
        proxy->fit.now[slowest] = 0;
    }
}

static void take_strategy(struct proxy *proxy, struct proxy_limits *limits)
{
    const struct balance_shape *shape = &proxy->program->shape;
    const struct balance_strategy strategy = {shape->stages, shape->chunks, proxy->count};
    for (int32_t s = 0; s < shape->stages; s++) {
        lighten(proxy, s);
        for (int32_t v = 0; v < shape->chunks; v++)
            for (int k = 0; k < BALANCE_KINDS; k++)
                strategy.count[balance_at(&strategy, (enum balance_kind)k, v, s)] =
                    proxy->chosen[v * shape->stages + s]->count[k];
    }
    proxy_terms(proxy->program, &strategy, limits);
    proxy_keep(proxy, &strategy);
}

// Returns the most layers that a stage holds, in the better way, and chooses them.
static int32_t most_of_stage(struct proxy *proxy, int32_t stage,
                             const struct proxy_limits *limits, bool two_terms)
{
    int32_t most = -1;
    uint8_t best = CONTENT_ALL_KINDS;
    for (uint8_t way = 0; way < proxy->n_ways && !proxy->is_stopped; way++) {
        proxy->way[stage] = way;
        proxy_open_fit(proxy, stage, proxy->program->limit_mb);
        const int32_t found = two_terms ? most_of_two_terms(proxy, stage, limits, most)
                                        : most_of_one_term(proxy, stage, limits->stage, most);
        proxy->is_stopped = proxy->is_stopped || proxy->fit.is_over;
        best = found > most ? way : best;
        most = found;
    }
    proxy->way[stage] = best;
    return most;
}

bool proxy_test(struct proxy *proxy, struct proxy_limits *limits)
{
    const struct proxy_program *program = proxy->program;
    const bool two_terms = proxy_has_two_terms(program);
    int64_t sum = 0;
    proxy->answer->tests++;
    for (int32_t s = 0; s < program->shape.stages; s++) {
        const int32_t most = most_of_stage(proxy, s, limits, two_terms);
        if (most < 0 || proxy_has_ended(proxy))
            return false;
        sum += most;
    }
    if (sum < program->layers->layers)
        return false;
    drop(proxy, sum - program->layers->layers);
    take_strategy(proxy, limits);
    return true;
}
