// SPDX-License-Identifier: Apache-2.0
// The solver of the pipeline program: published optima, brute force over small 1F1B programs,
// and properties of every solution.
#include "tests/unit/support/kernels/golden_programs.h"
#include "tests/unit/support/kernels/pipeline_brute.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *show(const struct nd_program *p)
{
    static char text[512];
    snprintf(text, sizeof text,
             "P %d V %d M %d S %d L %d %d rho %g beta %g %g gamma %g sigma %g H %g hop %g "
             "budgets %g %g %g full %d select %d low %d orig %d working %g again %d dialect %d",
             p->stages, p->chunks, p->micro_batches, p->splits, p->layers[0], p->layers[1],
             p->layer_ratio, p->backward_ratio, p->head_backward, p->full_growth,
             p->select_growth, p->head_ratio, p->hop, p->budget_first, p->budget_middle,
             p->budget_last, p->allow_full, p->allow_select, p->low_mem, p->compat == ND_ORIG,
             p->working, p->again, p->dialect);
    return text;
}

static void expect_allowed(const struct nd_program *p, const struct nd_solution *solution)
{
    char why[256] = "";
    cr_assert(nd_choice_check(p, &solution->choice, why, sizeof why), "%s: %s", show(p), why);
    for (int32_t i = 0; i < p->stages; i++)
        cr_assert(solution->peaks[i].memory_mb <= solution->peaks[i].limit_mb + 1e-6);
}

static double solved(const struct nd_program *p)
{
    struct nd_solution solution;
    char why[256] = "";
    cr_assert(nd_program_check(p, why, sizeof why), "%s", why);
    cr_assert(nd_solve(p, NULL, &solution) == ND_DONE);
    double value = HUGE_VAL;
    if (solution.found) {
        cr_assert(solution.status == ND_OPTIMAL && solution.gap == 0, "%s", show(p));
        struct nd_value priced;
        expect_allowed(p, &solution);
        value = solution.objective;
        cr_assert(nd_evaluate(p, &solution.choice, &priced) ==
                  ND_DONE); // the same to the last bit
        cr_assert(priced.objective == value && priced.makespan == solution.makespan, "%s",
                  show(p));
    } else {
        cr_assert(solution.status == ND_INFEASIBLE && solution.why.limit != ND_LIMIT_NONE);
        cr_assert(solution.why.text[0] != '\0');
    }
    nd_solution_free(&solution);
    return value;
}

// ---- published cases ----------------------------------------------------------------------------

Test(solve, published_programs_have_their_optima)
{
    for (size_t k = 0; k < sizeof golden_pipelines / sizeof *golden_pipelines; k++) {
        cJSON *golden = golden_read(golden_pipelines[k]);
        const struct nd_program p = golden_pipeline(golden);
        const cJSON *expected = golden_item(golden, "expected");
        const char *status = golden_item(expected, "status")->valuestring;
        const double value = solved(&p);
        cr_assert((value == HUGE_VAL) == (strcmp(status, "infeasible") == 0), "%s",
                  golden_pipelines[k]);
        if (value < HUGE_VAL)
            cr_assert(fabs(value - golden_real(expected, "objective")) <= 1e-6 * value,
                      "%s: %.9g", golden_pipelines[k], value);
        cJSON_Delete(golden);
    }
}

// A published solution passes our check, has our peaks and our value.
Test(solve, published_solutions_are_allowed)
{
    for (size_t k = 0; k < sizeof golden_pipelines / sizeof *golden_pipelines; k++) {
        cJSON *golden = golden_read(golden_pipelines[k]);
        const struct nd_program p = golden_pipeline(golden);
        const cJSON *expected = golden_item(golden, "expected");
        const cJSON *one = cJSON_GetObjectItem(expected, "one_optimal_solution");
        int32_t x[2][64], a[2][64], none[64] = {0};
        if (one != NULL) {
            const struct nd_choice choice = {{x[0], x[1]}, {a[0], a[1]}, {none, none}};
            const cJSON *memory = golden_item(one, "peak_mem_mb"), *cell;
            struct nd_peak peaks[16];
            struct nd_value value;
            char why[256] = "";
            golden_matrix(one, "layers_type1", x[0]);
            golden_matrix(one, "layers_type2", x[1]);
            golden_matrix(one, "full_recompute_type1", a[0]);
            golden_matrix(one, "full_recompute_type2", a[1]);
            cr_assert(nd_choice_check(&p, &choice, why, sizeof why), "%s", why);
            cr_assert(nd_peaks(&p, &choice, peaks) == ND_DONE);
            int32_t i = 0;
            cJSON_ArrayForEach (cell, memory)
                cr_assert(fabs(peaks[i++].memory_mb - cell->valuedouble) < 1e-6);
            cr_assert(nd_evaluate(&p, &choice, &value) == ND_DONE);
            cr_assert(fabs(value.objective - golden_real(expected, "objective")) <
                      1e-6 * value.objective);
        }
        cJSON_Delete(golden);
    }
}

// ---- brute force --------------------------------------------------------------------------------

static void expect_brute(const struct nd_program *p, int *feasible)
{
    const double brute = brute_force(p), value = solved(p);
    if (brute == HUGE_VAL)
        cr_assert(value == HUGE_VAL, "%s: %g", show(p), value);
    else
        cr_assert(fabs(brute - value) <= 1e-9 * fmax(1, brute), "%s: %.12g, not %.12g", show(p),
                  value, brute);
    *feasible += brute < HUGE_VAL;
}

Test(solve, one_chunk_a_stage_equals_brute_force)
{
    int feasible = 0;
    const int n = 200 + n_cases(2800);
    for (uint64_t k = 0; k < (uint64_t)n; k++) {
        struct draws d = {21, k, 0};
        const struct nd_program p = brute_program(&d, 4, 7);
        expect_brute(&p, &feasible);
    }
    cr_assert(feasible > n / 4 && feasible < n - n / 15, "%d", feasible);
}

// Draws what the file of a framework can say, and memory that only layers that are made again need.
static void draw_dialect(struct draws *d, struct nd_program *p)
{
    p->compat = ND_CORRECTED;
    p->dialect = (enum nd_dialect)draws_below(d, 4);
    p->again = p->dialect == ND_SAYS_ANY && draws_below(d, 2) ? ND_AGAIN_ANY : ND_AGAIN_FIRST;
    p->working = draws_below(d, 3) == 0 ? 0 : draws_below(d, 3000);
    if (p->memory.re_comp_mem > p->memory.act_mem)
        p->memory.re_comp_mem = p->memory.act_mem;
    if (p->memory.re_comp_mem0 > p->memory.act_mem0)
        p->memory.re_comp_mem0 = p->memory.act_mem0;
}

Test(solve, what_files_can_say_equals_brute_force)
{
    int feasible = 0;
    const int n = 500 + n_cases(9500);
    for (uint64_t k = 0; k < (uint64_t)n; k++) {
        struct draws d = {23, k, 0};
        struct nd_program p = brute_program(&d, 3, 6);
        if (draws_below(&d, 2)) {
            p.chunks = 1 + draws_below(&d, p.stages < 3 ? 3 : 2);
            p.hop = draws_below(&d, 2) ? 0 : 0.1 * draws_below(&d, 20);
        }
        draw_dialect(&d, &p);
        expect_brute(&p, &feasible);
    }
    cr_assert(feasible > n / 4 && feasible < n - n / 15, "%d of %d", feasible, n);
}

// Chunks, splits, transfers: what has no closed form.
Test(solve, all_others_equal_brute_force)
{
    int feasible = 0;
    for (uint64_t k = 0; k < 1500; k++) {
        struct draws d = {22, k, 0};
        struct nd_program p = brute_program(&d, 3, 6);
        const int32_t how = draws_below(&d, 4);
        p.chunks = how < 3 ? 1 + draws_below(&d, p.stages < 3 ? 3 : 2) : 1;
        p.splits =
            p.compat == ND_ORIG || how == 1 || draws_below(&d, 2) ? 1 : 1 + draws_below(&d, 3);
        p.hop = p.compat == ND_ORIG || draws_below(&d, 2) ? 0 : 0.1 * draws_below(&d, 20);
        expect_brute(&p, &feasible);
    }
    cr_assert(feasible > 300 && feasible < 1400, "%d", feasible);
}
