// SPDX-License-Identifier: Apache-2.0
// Solutions checked against peaks, and the changes after a stage exceeds its limit.
#include "planner/figures/feedback.h"
#include "planner/figures/memory_figures.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double LIMIT = 60000.0;

static const struct nd_figures TRUE_FIGURES = {.select_mem0 = 400,
                                               .select_mem12 = 400,
                                               .select_mem = 600,
                                               .re_comp_mem0 = 30,
                                               .re_comp_mem12 = 30,
                                               .re_comp_mem = 60,
                                               .act_mem0 = 500,
                                               .act_mem12 = 500,
                                               .act_mem = 700,
                                               .layer_mem012 = 900,
                                               .layer_mem = 2000,
                                               .static_mem0 = 5000,
                                               .static_mem = 2400,
                                               .lm_head_mem = 8000};

static struct nd_program program_of(int32_t stages, const struct nd_figures *memory)
{
    struct nd_program program;
    nd_program_default(&program);
    program.stages = stages;
    program.micro_batches = 4 * stages;
    program.layers[0] = 3;
    program.layers[1] = 8 * stages - 3;
    program.memory = *memory;
    nd_figures_budgets(&program, LIMIT);
    return program;
}

// ---- fits ---------------------------------------------------------------------------------------

enum { STAGES = 8 };

static const int32_t LAYERS1[STAGES] = {3}, LAYERS2[STAGES] = {5, 8, 8, 8, 8, 8, 8, 8};
static const int32_t FULL1[STAGES] = {3}, FULL2[STAGES] = {5, 8, 6, 4, 0, 0, 0, 0};
static const int32_t PART1[STAGES] = {0}, PART2[STAGES] = {0, 0, 0, 0, 6, 3, 0, 0};

static const struct nd_choice CHOICE = {.layers = {LAYERS1, LAYERS2},
                                        .full = {FULL1, FULL2},
                                        .part = {PART1, PART2}};

static void peaks_with(const struct nd_figures *memory, double *peaks)
{
    const struct nd_program program = program_of(STAGES, memory);
    struct nd_peak found[STAGES];
    cr_assert_eq(nd_peaks(&program, &CHOICE, found), ND_DONE);
    for (int i = 0; i < STAGES; i++)
        peaks[i] = found[i].memory_mb;
}

// Peaks that figures a tenth off would give: the fitted figures explain them to a few MiB, and come
// nearer the true ones. Catches a count of live layers that is wrong.
Test(nd_feedback, fitted_figures_explain_the_peaks)
{
    double peaks[STAGES], refitted[STAGES];
    struct nd_figures memory = TRUE_FIGURES, fitted;
    struct nd_figure_fit fit;
    char why[200];
    peaks_with(&memory, peaks);
    memory.act_mem *= 0.9;
    memory.layer_mem *= 1.1;
    memory.static_mem *= 0.9;
    memory.re_comp_mem *= 1.1;
    const struct nd_program program = program_of(STAGES, &memory);
    cr_assert(nd_fit_figures(&program, &CHOICE, peaks, LIMIT, &fitted, &fit, why, sizeof why),
              "%s", why);
    peaks_with(&fitted, refitted);
    for (int i = 0; i < STAGES; i++)
        cr_assert_float_eq(refitted[i], peaks[i], 12.0, "stage %d: %g, not %g", i, refitted[i],
                           peaks[i]);
    cr_assert_lt(fabs(fitted.act_mem - 700), fabs(memory.act_mem - 700));
    cr_assert_lt(fit.worst_mb, 12.0);
    // what stands in no peak stays: nothing of type 1 runs without recompute
    cr_assert_eq(fitted.act_mem0, memory.act_mem0);
    cr_assert_eq(fitted.select_mem12, memory.select_mem12);
    cr_assert_eq(fit.unknowns, 9);
}

// Where figures are right already, they stay as they are.
Test(nd_feedback, right_figures_stay)
{
    double peaks[STAGES];
    struct nd_figures fitted;
    struct nd_figure_fit fit;
    char why[200];
    const struct nd_program program = program_of(STAGES, &TRUE_FIGURES);
    peaks_with(&TRUE_FIGURES, peaks);
    cr_assert(nd_fit_figures(&program, &CHOICE, peaks, LIMIT, &fitted, &fit, why, sizeof why),
              "%s", why);
    cr_assert_eq(memcmp(&fitted, &TRUE_FIGURES, sizeof fitted), 0);
}

Test(nd_feedback, fits_that_are_refused)
{
    double peaks[STAGES];
    struct nd_figures fitted;
    struct nd_figure_fit fit;
    char why[200];
    struct nd_program program = program_of(STAGES, &TRUE_FIGURES);
    peaks_with(&TRUE_FIGURES, peaks);
    peaks[3] = 10; // two like stages, of which one holds next to nothing
    peaks[2] = 50000;
    peaks[4] = 50000;
    cr_assert(!nd_fit_figures(&program, &CHOICE, peaks, LIMIT, &fitted, &fit, why, sizeof why));
    cr_assert(strstr(why, "no figures match the peaks: stage ") != NULL, "%s", why);
    program = program_of(3, &TRUE_FIGURES);
    cr_assert(!nd_fit_figures(&program, &CHOICE, peaks, LIMIT, &fitted, &fit, why, sizeof why));
    cr_assert_str_eq(why, "fitting figures needs the peaks of 4 to 140 stages (got 3)");
}

// ---- the table ----------------------------------------------------------------------------------

static bool read_peaks(const char *text, double *peaks, bool *found, struct pps_fault *fault)
{
    const struct nd_peak_key key = {128, 1, 3, 8};
    struct table *table;
    *fault = (struct pps_fault){0};
    const bool read = table_read_csv(&table, text, strlen(text), fault) &&
                      nd_check_peaks_read(peaks, &key, table, found, fault);
    table_free(table);
    return read;
}

Test(nd_feedback, peaks_of_a_configuration)
{
    double peaks[3];
    bool found;
    struct pps_fault fault;
    cr_assert(read_peaks("stage,dp,tp,pp,ep,peak_mb\n2,128,1,3,8,30\n0,128,1,3,8,10\n"
                         "0,64,2,3,8,99\n1,128,1,3,8,20\n",
                         peaks, &found, &fault),
              "%s", fault.text);
    cr_assert(found && peaks[0] == 10 && peaks[1] == 20 && peaks[2] == 30);
    cr_assert(read_peaks("stage,dp,tp,pp,ep,peak_mb\n0,64,2,3,8,99\n", peaks, &found, &fault));
    cr_assert(!found);
}

Test(nd_feedback, peaks_that_are_refused)
{
    static const struct {
        const char *text;
        int64_t line;
        const char *message;
    } CASES[] = {
        {"dp,tp,pp,stage\n", 1, "peak_mb: no column is named so"},
        {"dp,tp,pp,ep,stage,peak_mb\n128,1,3,8,3,1\n", 2,
         "stage: must be less than pp (got 3 of 3)"},
        {"dp,tp,pp,ep,stage,peak_mb\n128,1,3,8,0,0\n", 2, "peak_mb: dry run failed: peak 0"},
        {"dp,tp,pp,ep,stage,peak_mb\n128,1,3,8,0,5\n128,1,3,8,0,5\n", 3,
         "stage: 0 already has a peak for this configuration"},
        {"dp,tp,pp,ep,stage,peak_mb\n128,1,3,8,0,5\n128,1,3,8,2,5\n", 0,
         "stage 1 of dp 128, tp 1, pp 3, ep 8 has no peak"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        double peaks[3];
        bool found;
        struct pps_fault fault;
        cr_assert(!read_peaks(CASES[i].text, peaks, &found, &fault), "%zu", i);
        cr_assert_str_eq(fault.text, CASES[i].message);
        cr_assert_eq(fault.line, CASES[i].line, "%zu", i);
    }
}

// ---- the loop -----------------------------------------------------------------------------------

// A world in which figures are others than the program's.
struct world {
    struct nd_figures memory;
    double more; // MiB on every stage
    int answers; // after which nobody knows any more; -1: always
};

static bool world_peaks(void *self, const struct nd_program *program,
                        const struct nd_choice *choice, double *peaks)
{
    struct world *world = self;
    struct nd_program real = *program;
    struct nd_peak found[64];
    real.memory = world->memory;
    if (world->answers-- == 0 || nd_peaks(&real, choice, found) != ND_DONE)
        return false;
    for (int32_t i = 0; i < program->stages; i++)
        peaks[i] = found[i].memory_mb + world->more;
    return true;
}

static struct nd_feedback run(const struct nd_program *program, struct world *world,
                              enum nd_feedback_kind kind)
{
    struct nd_solution solution;
    struct nd_feedback feedback;
    const struct nd_check check = {world_peaks, world};
    cr_assert_eq(nd_solve(program, NULL, &solution), ND_DONE);
    cr_assert(solution.found, "%s", solution.why.text);
    nd_feedback_run(&feedback, program, LIMIT, kind, &check, NULL, &solution);
    char text[200];
    cr_assert(solution.found &&
                  nd_choice_check(&feedback.program, &solution.choice, text, sizeof text),
              "%s", text);
    nd_solution_free(&solution);
    return feedback;
}

// Figures that promise too much: a few rounds make the solution fit, by either way.
Test(nd_feedback, ends_with_a_solution_that_fits)
{
    struct nd_figures memory = TRUE_FIGURES;
    memory.act_mem = 600;
    memory.static_mem0 = 4000;
    for (int kind = ND_TIGHTEN; kind <= ND_FIT; kind++) {
        struct nd_program program = program_of(4, &memory);
        program.layers[1] = 61;
        struct world world = {TRUE_FIGURES, 0.0, -1};
        const struct nd_feedback feedback = run(&program, &world, kind);
        cr_assert_eq(feedback.end, ND_FEEDBACK_FITS, "%d: %s", kind, feedback.why);
        cr_assert(feedback.rounds >= 1 && feedback.over_mb == 0.0);
    }
}

Test(nd_feedback, nothing_to_do)
{
    struct nd_program program = program_of(4, &TRUE_FIGURES);
    struct world world = {TRUE_FIGURES, 0.0, -1};
    const struct nd_feedback feedback = run(&program, &world, ND_TIGHTEN);
    cr_assert_eq(feedback.end, ND_FEEDBACK_FITS);
    cr_assert_eq(feedback.rounds, 0);
}

// Every round takes more off than the one before: 1, 2, ... times what is too much.
Test(nd_feedback, budgets_fall_faster_and_faster)
{
    struct nd_figures nothing = {0};
    nothing.static_mem0 = nothing.static_mem = nothing.lm_head_mem = LIMIT + 1.0;
    struct nd_program program = program_of(4, &TRUE_FIGURES);
    struct world world = {nothing, 0.0, -1};
    program.layers[1] = 21;
    program.compat = ND_ORIG;
    const struct nd_feedback feedback = run(&program, &world, ND_TIGHTEN);
    cr_assert_eq(feedback.end, ND_FEEDBACK_OVER);
    cr_assert_eq(feedback.rounds, 5);
    cr_assert_eq(feedback.over_mb, 1.0);
    cr_assert_eq(feedback.program.budget_first, program.budget_first - 15.0);
    cr_assert_eq(feedback.program.budget_middle, program.budget_middle - 15.0);
    cr_assert_eq(feedback.program.budget_last, program.budget_last - 15.0);
}

// A budget of which much is left falls by that, too: otherwise the first rounds change nothing.
Test(nd_feedback, what_is_left_of_a_budget_goes_first)
{
    struct nd_program program = program_of(4, &TRUE_FIGURES);
    program.layers[1] = 21;
    struct nd_solution before;
    cr_assert_eq(nd_solve(&program, NULL, &before), ND_DONE);
    const double slack = before.peaks[0].limit_mb - before.peaks[0].memory_mb;
    cr_assert_gt(slack, 1000.0);
    struct world world = {TRUE_FIGURES, LIMIT - before.peaks[0].memory_mb + 10.0, -1};
    nd_solution_free(&before);
    const struct nd_feedback feedback = run(&program, &world, ND_TIGHTEN);
    cr_assert_eq(feedback.end, ND_FEEDBACK_FITS, "%d", feedback.end);
    cr_assert_leq(feedback.program.budget_first, program.budget_first - slack - 10.0 + 1e-6);
}

Test(nd_feedback, other_ends)
{
    struct nd_program program = program_of(4, &TRUE_FIGURES);
    struct world hopeless = {TRUE_FIGURES, LIMIT, -1}, silent = {TRUE_FIGURES, 0.0, 0};
    struct nd_feedback feedback = run(&program, &hopeless, ND_TIGHTEN);
    cr_assert_eq(feedback.end, ND_FEEDBACK_INFEASIBLE);
    cr_assert_gt(feedback.over_mb, 0.0);
    feedback = run(&program, &silent, ND_TIGHTEN);
    cr_assert_eq(feedback.end, ND_FEEDBACK_UNKNOWN);
    program = program_of(3, &TRUE_FIGURES);
    hopeless.answers = -1;
    feedback = run(&program, &hopeless, ND_FIT);
    cr_assert_eq(feedback.end, ND_FEEDBACK_REFUSED);
    cr_assert(strstr(feedback.why, "4 to 140 stages") != NULL);
}

// Peaks measured once: the peaks of a later choice differ by the program's difference.
Test(nd_feedback, measured_peaks_move_with_the_choice)
{
    const double measured_mb[STAGES] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int32_t none[STAGES];
    double modelled_mb[STAGES], first[STAGES], second[STAGES], as_is[STAGES], other[STAGES];
    struct nd_measured measured = {measured_mb, modelled_mb, false};
    const struct nd_program program = program_of(STAGES, &TRUE_FIGURES);
    const struct nd_choice bare = {.layers = {LAYERS1, LAYERS2},
                                   .full = {none, none},
                                   .part = {none, none}};
    struct nd_peak peaks[STAGES];
    cr_assert(nd_measured_peaks(&measured, &program, &CHOICE, first));
    cr_assert(nd_measured_peaks(&measured, &program, &bare, second));
    cr_assert_eq(nd_peaks(&program, &CHOICE, peaks), ND_DONE);
    for (int i = 0; i < STAGES; i++)
        as_is[i] = peaks[i].memory_mb;
    cr_assert_eq(nd_peaks(&program, &bare, peaks), ND_DONE);
    for (int i = 0; i < STAGES; i++)
        other[i] = peaks[i].memory_mb;
    for (int i = 0; i < STAGES; i++) {
        cr_assert_float_eq(first[i], measured_mb[i], 1e-9);
        cr_assert_float_eq(second[i], measured_mb[i] + other[i] - as_is[i], 1e-9);
    }
}
