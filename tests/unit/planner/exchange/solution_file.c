// SPDX-License-Identifier: Apache-2.0
// Solutions of the exported pipeline program: written, read back, and refused.
#include "planner/exchange/solution_file.h"
#include "tests/unit/support/kernels/golden_programs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 64 };

struct arrays {
    int32_t layers[2][CHUNKS], full[2][CHUNKS], part[2][CHUNKS];
};

static struct nd_choice choice_of(const struct arrays *arrays)
{
    return (struct nd_choice){.layers = {arrays->layers[0], arrays->layers[1]},
                              .full = {arrays->full[0], arrays->full[1]},
                              .part = {arrays->part[0], arrays->part[1]}};
}

// The published solution of a case.
static struct nd_program load(const char *name, struct arrays *arrays, double *objective)
{
    cJSON *document = golden_read(name);
    const cJSON *expected = golden_item(document, "expected");
    const cJSON *solution = golden_item(expected, "one_optimal_solution");
    const struct nd_program program = golden_pipeline(document);
    *arrays = (struct arrays){0};
    golden_matrix(solution, "layers_type1", arrays->layers[0]);
    golden_matrix(solution, "layers_type2", arrays->layers[1]);
    golden_matrix(solution, "full_recompute_type1", arrays->full[0]);
    golden_matrix(solution, "full_recompute_type2", arrays->full[1]);
    *objective = golden_real(expected, "objective");
    cJSON_Delete(document);
    return program;
}

static void write(const struct nd_program *program, const struct arrays *arrays,
                  struct text_buffer *text)
{
    char why[200];
    const struct nd_choice choice = choice_of(arrays);
    *text = (struct text_buffer){0};
    cr_assert(nd_sol_write(text, program, &choice, why, sizeof why), "%s", why);
}

static bool same(const int32_t *a, const int32_t *b, int32_t n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// The start times of the written solution give the published objective; it reads back unchanged.
Test(nd_sol, published_solutions_round_trip)
{
    static const char *const CASES[] = {"pp_dense_p4_v1.json",   "pp_dense_tight_p4_v1.json",
                                        "pp_dsv3_p16_m64.json",  "pp_dsv3_p4_m60.json",
                                        "pp_moe_p4_m16.json",    "pp_moe_p4_v2_lowmem.json",
                                        "pp_moe_p4_v2_std.json", "pp_moe_p8_m64_residue.json"};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct arrays arrays;
        double objective;
        const struct nd_program program = load(CASES[i], &arrays, &objective);
        const int32_t n = program.stages * program.chunks;
        struct text_buffer text;
        struct nd_sol sol;
        struct pps_fault fault = {0};
        write(&program, &arrays, &text);
        cr_assert(nd_sol_read(&sol, &program, text.text, text.n, &fault), "%s: %s", CASES[i],
                  fault.text);
        for (int type = 0; type < 2; type++)
            cr_assert(same(sol.choice.layers[type], arrays.layers[type], n) &&
                          same(sol.choice.full[type], arrays.full[type], n) &&
                          same(sol.choice.part[type], arrays.part[type], n),
                      "%s", CASES[i]);
        cr_assert_float_eq(sol.objective, objective, 1e-6 * objective, "%s: %.10g, not %.10g",
                           CASES[i], sol.objective, objective);
        nd_sol_free(&sol);
        text_buffer_free(&text);
    }
}

// With transfers, splits and selective recompute, which no published case has.
Test(nd_sol, what_published_cases_lack)
{
    struct nd_program program;
    struct arrays arrays = {.layers = {{2, 0, 0, 0, 0, 0}, {0, 3, 2, 2, 2, 2}},
                            .part = {{1}, {0, 2}},
                            .full = {{0}, {0, 0, 1}}};
    nd_program_default(&program);
    program.stages = 3;
    program.chunks = 2;
    program.micro_batches = 7;
    program.splits = 2;
    program.hop = 0.25;
    program.layers[0] = 2;
    program.layers[1] = 11;
    program.allow_select = true;
    program.budget_first = program.budget_middle = program.budget_last = 1e9;
    struct text_buffer text;
    struct nd_sol sol;
    struct nd_value value;
    struct pps_fault fault = {0};
    const struct nd_choice choice = choice_of(&arrays);
    write(&program, &arrays, &text);
    cr_assert(nd_sol_read(&sol, &program, text.text, text.n, &fault), "%s", fault.text);
    cr_assert(same(sol.choice.part[1], arrays.part[1], 6));
    cr_assert_eq(nd_evaluate(&program, &choice, &value), ND_DONE);
    cr_assert_float_eq(sol.objective, value.objective, 1e-9 * value.objective);
    nd_sol_free(&sol);
    text_buffer_free(&text);
}

// `text` with the first `from` in it replaced.
static char *replaced(const struct text_buffer *text, const char *from, const char *to)
{
    const char *at = strstr(text->text, from);
    cr_assert(at != NULL, "%s", from);
    char *changed = calloc(1, text->n + strlen(to) + 1);
    memcpy(changed, text->text, (size_t)(at - text->text));
    strcat(changed, to);
    strcat(changed, at + strlen(from));
    return changed;
}

Test(nd_sol, what_is_refused)
{
    static const struct {
        const char *from, *to, *message;
    } CASES[] = {
        {"x_type2_0_0 9\n", "x_type2_0_0 7.5\n",
         "x_type2_0_0: must be a whole number (got 7.5)"},
        {"x_type2_0_0 9\n", "x_type2_0_0 eight\n",
         "x_type2_0_0: must be followed by one number"},
        {"x_type2_0_0 9\n", "x_type2_0_0 9 9\n", "x_type2_0_0: must be followed by one number"},
        {"x_type2_0_0 9\n", "x_type2_0_0 9\nx_type2_0_0 9\n", "x_type2_0_0: appears twice"},
        {"x_type2_0_0 9\n", "x_type2_0_0 1e30\n", NULL},
        {"x_type2_0_0 9\n", "x_type2_0_0 -8\n", NULL},
        {"x_type2_0_0 9\n", "", NULL}, // not all layers are placed
        {"forward_s_1_0_0_1_0 ", "forward_s_1_0_0_1_0 9", "time sequence error: stage 1 does "},
        {"backward_s0_0_0_0_0 ", "other ",
         "time sequence error: stage 0 does backward_s0_0_0_0_0 "
         "at 0 after forward_s_0_0_0_3_0 at "},
    };
    struct arrays arrays;
    double objective;
    const struct nd_program program = load("pp_dense_p4_v1.json", &arrays, &objective);
    struct text_buffer text;
    write(&program, &arrays, &text);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char *changed = replaced(&text, CASES[i].from, CASES[i].to);
        struct nd_sol sol;
        struct pps_fault fault = {0};
        cr_assert(!nd_sol_read(&sol, &program, changed, strlen(changed), &fault), "%zu", i);
        cr_assert(CASES[i].message == NULL ||
                      strncmp(fault.text, CASES[i].message, strlen(CASES[i].message)) == 0,
                  "%zu: %s", i, fault.text);
        nd_sol_free(&sol);
        free(changed);
    }
    text_buffer_free(&text);
}

// Solvers write headings, rows and reduced costs around the values, and near-integers.
Test(nd_sol, what_solvers_write_around)
{
    struct arrays arrays;
    double objective;
    const struct nd_program program = load("pp_dense_p4_v1.json", &arrays, &objective);
    struct text_buffer text, around = {0};
    struct nd_sol sol;
    struct pps_fault fault = {0};
    write(&program, &arrays, &text);
    char *changed = replaced(&text, "x_type2_0_0 9\n", "\tx_type2_0_0   8.9999999\r\n");
    text_buffer_add(&around,
                    "Model status\nOptimal\n\n# Primal solution values\nObjective 282\n");
    text_buffer_add_bytes(&around, changed, strlen(changed));
    text_buffer_add(&around, "# Rows 246\nlane_0 0\n# Dual solution values\nx_type2_0_0 0.5\n");
    cr_assert(nd_sol_read(&sol, &program, around.text, around.n, &fault), "%s", fault.text);
    cr_assert_eq(sol.choice.layers[1][0], 9);
    nd_sol_free(&sol);
    free(changed);
    text_buffer_free(&text);
    text_buffer_free(&around);
}
