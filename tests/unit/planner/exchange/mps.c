// SPDX-License-Identifier: Apache-2.0
// The exported pipeline program: its size, its names, and, if a general solver is installed,
// that its optimum equals the optimum of the program.
#include "planner/exchange/mps.h"
#include "kernels/common/search/solve.h"
#include "planner/exchange/mps_variables.h"
#include "planner/exchange/solution_file.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/golden_programs.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CASES = sizeof golden_pipelines / sizeof golden_pipelines[0] };

static struct nd_mps_size write_program(const struct nd_program *program,
                                        struct text_buffer *text)
{
    struct nd_mps_size size;
    char why[200];
    cr_assert(nd_mps_write(text, program, "test", &size, why, sizeof why), "%s", why);
    return size;
}

// Catches a kind of variable or constraint that is missing, or there twice.
Test(nd_mps, sizes_as_published)
{
    for (int i = 0; i < N_CASES; i++) {
        cJSON *document = golden_read(golden_pipelines[i]);
        const struct nd_program program = golden_pipeline(document);
        const cJSON *expected = golden_item(document, "expected");
        struct text_buffer text = {0};
        const struct nd_mps_size size = write_program(&program, &text);
        cr_assert_eq(size.variables, golden_whole(expected, "n_variables"), "%s: %d",
                     golden_pipelines[i], size.variables);
        cr_assert_eq(size.constraints, golden_whole(expected, "n_constraints"), "%s: %d",
                     golden_pipelines[i], size.constraints);
        text_buffer_free(&text);
        cJSON_Delete(document);
    }
}

// Every name is found again as its variable, and no two are the same.
Test(nd_mps, names_are_found_again)
{
    struct nd_program program;
    nd_program_default(&program);
    program.stages = 3;
    program.chunks = 2;
    program.micro_batches = 7;
    program.splits = 2;
    program.layers[1] = 12;
    struct nd_mps_layout layout;
    cr_assert(nd_mps_layout_of(&layout, &program));
    cr_assert_eq(layout.n_variables, 12 * 6 + 2 * 6 * 7 * 2 + 1);
    for (int32_t v = 0; v < layout.n_variables; v++) {
        char name[ND_MPS_NAME_CAP];
        nd_mps_name(&layout, v, name);
        cr_assert_eq(nd_mps_find(&layout, name, strlen(name)), v, "%s", name);
    }
}

Test(nd_mps, names_as_published)
{
    struct nd_program program;
    nd_program_default(&program);
    program.stages = 3;
    program.chunks = 2;
    program.micro_batches = 7; // parts of 4 and 3
    program.layers[1] = 12;
    struct nd_mps_layout layout;
    cr_assert(nd_mps_layout_of(&layout, &program));
    static const char *const NONE[] = {"",
                                       "x_type1",
                                       "x_type1_3_0",
                                       "x_type1_0_2",
                                       "x_type1_0",
                                       "x_type1_0_0_0",
                                       "x_type1_00_0",
                                       "x_type3_0_0",
                                       "forward_s_0_0_2_0_0",
                                       "forward_s_0_0_0_4_0",
                                       "forward_s_0_0_1_3_0",
                                       "forward_s0_0_0_0_0",
                                       "backward_s_0_0_0_0_0",
                                       "stable_duration_0",
                                       "x_type1_0_-1"};
    const int32_t last = nd_mps_of_task(&layout, ND_MPS_BACKWARD, 1, 2, 6, 0);
    char name[ND_MPS_NAME_CAP];
    cr_assert_str_eq(nd_mps_name(&layout, last, name), "backward_s2_1_1_2_0");
    cr_assert_str_eq(
        nd_mps_name(&layout, nd_mps_of_task(&layout, ND_MPS_FORWARD, 0, 1, 3, 0), name),
        "forward_s_1_0_0_3_0");
    cr_assert_str_eq(
        nd_mps_name(&layout, nd_mps_of_chunk(&layout, ND_MPS_LAYERS + 1, 1, 2), name),
        "x_type2_2_1");
    cr_assert_str_eq(nd_mps_name(&layout, nd_mps_stable(&layout), name), "stable_duration");
    for (size_t i = 0; i < sizeof NONE / sizeof NONE[0]; i++)
        cr_assert_eq(nd_mps_find(&layout, NONE[i], strlen(NONE[i])), -1, "%s", NONE[i]);
}

// ---- general solvers ----------------------------------------------------------------------------

static bool has_command(const char *command)
{
    char line[200];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
    return system(line) == 0;
}

// The optimum that cbc finds; NAN: infeasible.
static double solve_with_cbc(const struct text_buffer *text)
{
    spill_bytes("program.mps", text->text, text->n);
    cr_assert_eq(system("timeout 200 cbc program.mps -seconds 180 -ratioGap 0 -solve "
                        "-solution program.sol >cbc.log 2>&1"),
                 0);
    size_t n;
    char *found = slurp("program.sol", &n);
    const char *at = strstr(found, "objective value");
    cr_assert(at != NULL, "%s", found);
    const double value =
        strncmp(found, "Optimal", 7) == 0 ? strtod(at + strlen("objective value"), NULL) : NAN;
    cr_assert(!isnan(value) || strstr(found, "nfeasible") != NULL, "cbc: %.60s", found);
    free(found);
    return value;
}

static double solve_golden(const char *name, double *expected)
{
    cJSON *document = golden_read(name);
    const struct nd_program program = golden_pipeline(document);
    const cJSON *objective =
        cJSON_GetObjectItemCaseSensitive(golden_item(document, "expected"), "objective");
    struct text_buffer text = {0};
    *expected = objective != NULL ? objective->valuedouble : NAN;
    write_program(&program, &text);
    const double found = solve_with_cbc(&text);
    text_buffer_free(&text);
    cJSON_Delete(document);
    return found;
}

// Catches a constraint that is wrong, or right but too weak: a general solver must find the
// published optimum.
Test(nd_mps, general_solver_finds_the_published_optimum, .init = enter, .fini = leave)
{
    static const char *const SMALL[] = {"pp_dense_p4_v1.json", "pp_infeasible_layer_cap.json",
                                        "pp_infeasible_memory.json", "pp_dsv3_p4_m60.json",
                                        "pp_dense_tight_p4_v1.json"};
    if (!has_command("cbc"))
        cr_skip_test("no general solver (coinor-cbc) is installed");
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        double expected;
        const double found = solve_golden(SMALL[i], &expected);
        cr_assert_eq(isnan(found), isnan(expected), "%s: %g", SMALL[i], found);
        if (!isnan(expected))
            cr_assert_float_eq(found, expected, 1e-6 * expected, "%s: %.10g, not %.10g",
                               SMALL[i], found, expected);
    }
}

static int32_t draw(struct random *state, int32_t least, int32_t most)
{
    return least + (int32_t)(random_bits(state) % (uint64_t)(most - least + 1));
}

// Small programs with all that there is: both types, both kinds of recompute, transfers, a ratio of
// the head's own, chunks.
static struct nd_program draw_program(struct random *state)
{
    struct nd_program program;
    nd_program_default(&program);
    program.stages = draw(state, 1, 3);
    program.chunks = program.stages > 1 ? draw(state, 1, 2) : 1;
    program.micro_batches = program.stages * draw(state, 1, 3) + draw(state, 0, 1);
    program.layers[0] = draw(state, 0, 3);
    program.layers[1] = program.stages * program.chunks + draw(state, 0, 5);
    program.layer_ratio = 0.25 * draw(state, 1, 6);
    program.backward_ratio = 0.5 * draw(state, 2, 5);
    program.head_ratio = 0.5 * draw(state, 0, 4);
    program.head_backward = draw(state, 0, 1) ? 1.5 : (double)NAN;
    program.full_growth = 0.25 * draw(state, 2, 5);
    program.hop = 0.125 * draw(state, 0, 2);
    program.low_mem = draw(state, 0, 1);
    program.allow_select = draw(state, 0, 1);
    program.memory = (struct nd_figures){.select_mem0 = 40,
                                         .select_mem12 = 40,
                                         .select_mem = 60,
                                         .re_comp_mem0 = 5,
                                         .re_comp_mem12 = 5,
                                         .re_comp_mem = 8,
                                         .act_mem0 = 70,
                                         .act_mem12 = 70,
                                         .act_mem = 100,
                                         .layer_mem012 = 50,
                                         .layer_mem = 90};
    program.budget_first = draw(state, 6, 30) * 50;
    program.budget_middle = program.budget_first + 50;
    program.budget_last = program.budget_first - 30;
    return program;
}

// The built-in solver and a general one agree on programs that nobody has published.
Test(nd_mps, general_solver_agrees_with_ours, .init = enter, .fini = leave)
{
    struct random state = {20};
    int feasible = 0;
    if (!has_command("cbc"))
        cr_skip_test("no general solver (coinor-cbc) is installed");
    for (int i = 0; i < 40; i++) {
        const struct nd_program program = draw_program(&state);
        struct nd_solution solution;
        struct text_buffer text = {0};
        cr_assert_eq(nd_solve(&program, NULL, &solution), ND_DONE);
        cr_assert(solution.status == ND_OPTIMAL || solution.status == ND_INFEASIBLE);
        write_program(&program, &text);
        const double found = solve_with_cbc(&text);
        cr_assert_eq(isnan(found), !solution.found, "%d: cbc %g, ours %s", i, found,
                     nd_status_name(solution.status));
        if (solution.found)
            cr_assert_float_eq(found, solution.objective, 1e-6 * found,
                               "%d: cbc %.9g, ours %.9g", i, found, solution.objective);
        feasible += solution.found;
        nd_solution_free(&solution);
        text_buffer_free(&text);
    }
    cr_assert(feasible > 10 && feasible < 40, "%d of 40 are feasible", feasible);
}
