// SPDX-License-Identifier: Apache-2.0
// The least memory of a stage of several chunks, against all ways to spread its layers; and that a
// limit of time holds where there are many chunks, which it did not while that least was searched.
#include "tests/unit/support/kernels/pipeline_brute.h"
#include "tests/unit/support/rounds.h"

#include "kernels/common/search/stage_options.h"
#include "kernels/common/split/cheapest_recompute.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct spreads {
    const struct nd_program *program;
    const struct nd_pattern *pattern;
    const struct operation *order; // of the stage
    int32_t stage;
    double kept[8];
    double least;
};

static void try_spreads(struct spreads *s, int32_t v, int32_t left, double layers_mb)
{
    const struct nd_program *p = s->program;
    const int32_t k = v * p->stages + s->stage;
    const struct orders_shape shape = nd_program_laid_out(p);
    if (v == p->chunks) {
        const double peak = memline_of_order(&shape, s->order, s->kept).memory;
        if (left == 0)
            s->least = fmin(s->least, layers_mb + peak);
        return;
    }
    for (int32_t x = nd_pattern_least(s->pattern, k);
         x <= nd_pattern_most(p, s->pattern, k) && x <= left; x++) {
        const struct nd_chunk_plan chunk = {.layers = {s->pattern->dense[k], x}};
        s->kept[v] = nd_least_kept(p, &chunk);
        try_spreads(s, v + 1, left - x, layers_mb + nd_chunk_layers_mb(p, &chunk));
    }
}

static struct nd_program random_program(struct draws *d)
{
    struct nd_program p = brute_program(d, 4, 12);
    p.chunks = 1 + draws_below(d, 5);
    p.splits = 1 + draws_below(d, 2);
    p.layers[0] = draws_below(d, 7);
    p.layers[1] = draws_below(d, 14);
    p.allow_full = draws_below(d, 3) > 0;
    p.allow_select = draws_below(d, 2);
    if (draws_below(d, 4) ==
        0) // cheaper to keep selectively for one type, wholly for the other
        p.memory.re_comp_mem0 = 900;
    return p;
}

// Leading layers in the first chunks, one in each at least.
static void random_pattern(struct draws *d, const struct nd_program *p,
                           struct nd_pattern *pattern)
{
    const int32_t chunks = p->stages * p->chunks;
    int32_t left = p->layers[0];
    pattern->n = 0;
    for (int32_t k = 0; k < chunks; k++)
        pattern->dense[k] = 0;
    for (int32_t k = 0; k < chunks && left > 0; k++) {
        pattern->dense[k] = k == chunks - 1 ? left : 1 + draws_below(d, left);
        left -= pattern->dense[k];
        pattern->n = k + 1;
    }
}

static void compare(const struct nd_program *p, const struct nd_pattern *pattern,
                    const struct nd_flights *flights, uint64_t k, int *n_finite)
{
    const struct orders_shape shape = nd_program_laid_out(p);
    struct operation *order = malloc((size_t)orders_length(&shape) * sizeof *order);
    cr_assert(order != NULL);
    for (int32_t i = 0; i < p->stages; i++) {
        orders_of_stage(&shape, i, order);
        for (int32_t layers = 0; layers <= p->layers[1]; layers++) {
            struct spreads s = {p, pattern, order, i, .least = HUGE_VAL};
            try_spreads(&s, 0, layers, 0);
            const double found = nd_stage_least_mb(p, flights, pattern, i, layers);
            cr_assert(found == s.least || fabs(found - s.least) < 1e-9 * s.least,
                      "program %d: stage %d of %d, %d chunks, %d layers: %g, not %g", (int)k, i,
                      p->stages, p->chunks, layers, found, s.least);
            *n_finite += found < HUGE_VAL;
        }
    }
    free(order);
}

// Catches a least that is not the least of all spreads (too little: a split is sought that is not
// there; too much: a program is called infeasible that is not).
Test(stage_memory, least_is_that_of_all_spreads)
{
    int n_finite = 0;
    const int n = 200 + n_cases(2800);
    for (uint64_t k = 0; k < (uint64_t)n; k++) {
        struct draws d = {51, k, 0};
        const struct nd_program p = random_program(&d);
        int32_t dense[32];
        struct nd_pattern pattern = {dense, 0};
        struct nd_flights flights;
        random_pattern(&d, &p, &pattern);
        cr_assert(nd_flights_make(&p, NULL, &flights));
        compare(&p, &pattern, &flights, k, &n_finite);
        nd_flights_free(&flights);
    }
    cr_assert(n_finite > 3 * n, "%d", n_finite);
}

// 19 chunks a stage of one layer or two, some of which must be recomputed. Catches any part of the
// search that is exponential in chunks and does not look at the clock: it takes hours here.
Test(stage_memory, many_chunks_end_in_time)
{
    struct nd_program p;
    struct nd_solution solution;
    nd_program_default(&p);
    p.stages = 4;
    p.chunks = 19;
    p.micro_batches = 32;
    p.layers[1] = 80;
    p.hop = 0.01;
    p.memory.act_mem = 1000;
    p.memory.re_comp_mem = 100;
    p.memory.layer_mem = 100;
    p.budget_first = p.budget_middle = p.budget_last = 70000;
    const struct nd_effort effort = {.max_seconds = 2, .seconds = pps_wall_seconds};
    const double started = pps_wall_seconds();
    cr_assert(nd_solve(&p, &effort, &solution) == ND_DONE);
    cr_assert(pps_wall_seconds() - started < 30, "%g s of 2", pps_wall_seconds() - started);
    cr_assert(solution.found);
    nd_solution_free(&solution);
}

// The same without several chunks: of very many layers, links and fronts take long by themselves.
Test(stage_memory, many_layers_end_in_time)
{
    struct nd_program p;
    struct nd_solution solution;
    nd_program_default(&p);
    p.stages = 32;
    p.micro_batches = 64;
    p.layers[0] = 2000;
    p.layers[1] = 2000;
    p.layer_ratio = 0.37;
    p.budget_first = p.budget_middle = p.budget_last = 200000;
    const struct nd_effort effort = {.max_seconds = 0.2, .seconds = pps_wall_seconds};
    const double started = pps_wall_seconds();
    cr_assert(nd_solve(&p, &effort, &solution) == ND_DONE);
    cr_assert(pps_wall_seconds() - started < 30, "%g s of 0.2", pps_wall_seconds() - started);
    nd_solution_free(&solution);
}
