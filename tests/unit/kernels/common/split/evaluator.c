// SPDX-License-Identifier: Apache-2.0
// The objective of a choice: published cases; the closed form of 1F1B against the executor; all programs
// against the plain event simulation;
// the price of parts that are not laid out against a search over periods by brute force.
#include "tests/unit/support/kernels/golden_programs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "base/math/random.h"
#include "kernels/common/executor/reference.h"
#include "kernels/common/interleaved/one_f_one_b.h"
#include "kernels/common/interleaved/timed_order.h"
#include "kernels/common/split/evaluator.h"
#include "kernels/common/split/published_price.h"
#include "tests/unit/support/random.h"

enum { ROOM = 1024 };

static void expect_close(double value, double expected, double tolerance, const char *what)
{
    cr_assert(fabs(value - expected) <= tolerance * fmax(1, fabs(expected)),
              "%s: %.15g, not %.15g", what, value, expected);
}

Test(value, of_published_choices)
{
    cJSON *golden = golden_read("ppeval_a.json");
    const cJSON *item;
    int n = 0;
    cJSON_ArrayForEach (item, golden_item(golden, "cases")) {
        struct nd_program p = golden_program(item, "stages");
        int32_t x1[ROOM], x2[ROOM], a1[ROOM], a2[ROOM], none[ROOM] = {0};
        const struct nd_choice choice = {{x1, x2}, {a1, a2}, {none, none}};
        struct nd_value value;
        char what[32];
        golden_matrix(item, "layers_type1", x1);
        golden_matrix(item, "layers_type2", x2);
        golden_matrix(item, "full_recompute_type1", a1);
        golden_matrix(item, "full_recompute_type2", a2);
        cr_assert(nd_evaluate(&p, &choice, &value) == ND_DONE);
        snprintf(what, sizeof what, "case %d", n++);
        cr_assert(nd_program_residue(&p) == golden_whole(item, "residue"));
        expect_close(value.objective, golden_real(item, "program_objective"), 1e-9, what);
        expect_close(value.makespan, golden_real(item, "full_asap_makespan"), 1e-9, what);
        // The lost factor is back: recomputed layers of type 1 grow by it too.
        double lost = 0;
        for (int32_t k = 0; k < p.stages * p.chunks; k++)
            lost += a1[k];
        p.compat = ND_CORRECTED;
        const double published = value.makespan;
        cr_assert(nd_evaluate(&p, &choice, &value) == ND_DONE);
        cr_assert(value.objective == value.makespan);
        cr_assert(lost > 0 ? value.makespan <= published
                           : fabs(value.makespan - published) < 1e-9);
    }
    cr_assert(n == 12);
    cJSON_Delete(golden);
}

// ---- the closed form ----------------------------------------------------------------------------

static double random_length(struct draws *d, int32_t how)
{
    return how == 0   ? draws_below(d, 5)
           : how == 1 ? draws_below(d, 1000) * 0.003
           : how == 2 ? (draws_below(d, 2) ? 1 : 10)
                      : 1 + draws_below(d, 3);
}

static double by_order(int32_t stages, int32_t m, const double *durations)
{
    const struct orders_shape shape = {stages, 1, m, 1, ORDERS_LOW, 0};
    struct timed_order timed;
    cr_assert(timed_order_build(&timed, &shape, false, NULL));
    (void)timed_order_set(&timed, durations, durations + stages);
    const double makespan = timed_order_run(&timed, NULL);
    timed_order_free(&timed);
    return makespan;
}

// Also where stages are so unlike that warm-up or cool-down is what counts, and where M = P.
Test(value, closed_form_of_1f1b_is_the_longest_path)
{
    for (uint64_t k = 0; k < 20000; k++) {
        struct draws d = {11, k, 0};
        const int32_t stages = 1 + draws_below(&d, 8), how = draws_below(&d, 5);
        const int32_t m =
            stages + (draws_below(&d, 3) ? draws_below(&d, 20) : draws_below(&d, 2));
        double durations[16];
        for (int32_t i = 0; i < stages; i++) {
            durations[i] = random_length(&d, how);
            durations[stages + i] = how == 4
                                        ? 2 * durations[i] + draws_below(&d, 3)
                                        : random_length(&d, how) * (1 + draws_below(&d, 3));
        }
        const double closed = onefb_makespan(stages, m, durations, durations + stages);
        char what[64];
        snprintf(what, sizeof what, "case %d, P %d M %d", (int)k, stages, m);
        expect_close(closed, by_order(stages, m, durations), 1e-12, what);
    }
}

Test(value, of_equal_stages_is_the_textbook_formula)
{
    for (int32_t stages = 1; stages < 12; stages++)
        for (int32_t m = stages; m < 40; m += 3) {
            double f[16], b[16];
            for (int32_t i = 0; i < stages; i++) {
                f[i] = 1.25;
                b[i] = 2.5;
            }
            expect_close(onefb_makespan(stages, m, f, b), (m + stages - 1) * 3.75, 1e-12,
                         "equal");
        }
}

// ---- all programs -------------------------------------------------------------------------------

static struct nd_program any_program(struct draws *d)
{
    struct nd_program p;
    nd_program_default(&p);
    p.compat = draws_below(d, 3) ? ND_CORRECTED : ND_ORIG;
    p.stages = 1 + draws_below(d, 4);
    p.chunks = 1 + draws_below(d, 3);
    p.splits = draws_below(d, 4) ? 1 : 2;
    p.micro_batches = p.stages + draws_below(d, (draws_below(d, 3) ? 2 : 7) * p.stages);
    p.low_mem = draws_below(d, 2);
    if (p.compat == ND_CORRECTED && draws_below(d, 2))
        p.hop = 0.1 * draws_below(d, 20);
    return p;
}

// Returns the makespan of all micro-batches by the plain event simulation.
static double by_simulation(const struct nd_program *p, const double *f, const double *b)
{
    const struct orders_shape shape = nd_program_shape(p);
    const struct pipeline_shape whole = orders_pipeline(&shape);
    struct pipeline *pipeline = pipeline_new(&whole);
    struct order *order = order_new(whole.devices, orders_length(&shape));
    const size_t n = (size_t)order->devices * (size_t)order->room;
    double *starts = malloc(2 * n * sizeof *starts), *ends = starts + n, latest = 0;
    enum executor_status status;
    pipeline_place(pipeline, PIPELINE_LOOP);
    pipeline->links.latency = p->hop;
    for (int32_t k = 0; k < whole.stages; k++)
        pipeline->stage[k] =
            (struct pipeline_stage){.f = f[k] / p->splits, .b = b[k] / p->splits};
    cr_assert(orders_write(&shape, order, NULL));
    cr_assert(reference_run(pipeline, order, NULL, NULL, starts, ends, &status));
    cr_assert(status == EXECUTOR_DONE);
    for (int32_t i = 0; i < order->devices; i++)
        latest = fmax(latest, ends[order_at(order, i, order->n[i] - 1)]);
    free(starts);
    order_free(order);
    pipeline_free(pipeline);
    return latest;
}

// Catches an evaluator that keeps a time of an earlier choice, after its own makespan or after a path.
Test(value, of_any_program_is_the_makespan_of_its_plan)
{
    for (uint64_t k = 0; k < 200; k++) {
        struct draws d = {16, k, 0};
        const struct nd_program p = any_program(&d);
        struct nd_evaluator *e = nd_evaluator_new(&p, NULL);
        double f[16], b[16], forwards[16], backwards[16], constant;
        const int32_t how = draws_below(&d, 4);
        for (int round = 0; round < 2; round++) {
            for (int32_t i = 0; i < p.stages * p.chunks; i++) {
                f[i] = random_length(&d, how);
                b[i] = random_length(&d, how) * (1 + draws_below(&d, 3));
            }
            const double objective = nd_evaluator_objective(e, f, b),
                         makespan = nd_evaluator_makespan(e, f, b),
                         expected = by_simulation(&p, f, b);
            const bool closed = p.chunks == 1 && p.splits == 1 && p.hop == 0;
            cr_assert(closed ? fabs(makespan - expected) <= 1e-12 * expected
                             : makespan == expected,
                      "case %d: %.17g, not %.17g", (int)k, makespan, expected);
            if (p.compat == ND_CORRECTED)
                cr_assert(objective == makespan);
            cr_assert(nd_evaluator_path(e, f, b, forwards, backwards, &constant) == ND_DONE);
        }
        nd_evaluator_free(e);
    }
}

// ---- parts that are not laid out ----------------------------------------------------------------

// The end for a period, by going along the arrows until nothing changes; HUGE_VAL: it is too short.
static double end_for(const struct nd_marks *m, double period)
{
    double at[16], end = m->end;
    for (int32_t i = 0; i < m->n; i++)
        at[i] = m->arrive[i];
    for (int32_t round = 0; round < m->n + 2; round++) {
        bool moved = false;
        for (int32_t i = 0; i < m->n; i++)
            for (int32_t j = 0; j < m->n; j++) {
                const double there = at[i] - period + m->between[i * m->n + j];
                moved |= there > at[j] + 1e-9;
                at[j] = fmax(at[j], there);
            }
        if (!moved)
            break;
        if (round == m->n + 1)
            return HUGE_VAL;
    }
    for (int32_t i = 0; i < m->n; i++)
        end = fmax(end, at[i] - period + m->leave[i]);
    return end;
}

Test(value, price_of_a_period_is_the_least_of_all)
{
    for (uint64_t k = 0; k < 500; k++) {
        struct draws d = {12, k, 0};
        const int32_t n = 1 + draws_below(&d, 4), residue = 1 + draws_below(&d, 4);
        double arrive[4], leave[4], between[16], room[64], period, least = HUGE_VAL;
        for (int32_t i = 0; i < n; i++) {
            arrive[i] = draws_below(&d, 20);
            leave[i] = draws_below(&d, 40);
        }
        for (int32_t i = 0; i < n * n; i++)
            between[i] = draws_below(&d, 30);
        const struct nd_marks marks = {n, draws_below(&d, 30), arrive, leave, between};
        const double value = nd_stable(&marks, residue, &period, room);
        // All that is whole numbers here: pieces meet at multiples of 1/12.
        for (int32_t s = 0; s < 12 * 80; s++)
            least = fmin(least, end_for(&marks, s / 12.0) + residue * (s / 12.0));
        expect_close(value, least, 1e-9, "price");
        expect_close(end_for(&marks, period + 1e-9) + residue * period, value, 1e-6, "period");
    }
}

static struct nd_program random_program(struct draws *d)
{
    struct nd_program p;
    nd_program_default(&p);
    p.compat = ND_ORIG;
    p.stages = 1 + draws_below(d, 5);
    p.micro_batches = p.stages * (6 + draws_below(d, 4)) + draws_below(d, p.stages);
    p.low_mem = draws_below(d, 2);
    return p;
}

// 1F1B: the linear program over the order against what is taken for granted in its stead.
Test(value, of_1f1b_as_published_is_closed_too)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct draws d = {13, k, 0};
        struct nd_program p = random_program(&d);
        double f[8], b[8];
        const int32_t how = draws_below(&d, 5);
        for (int32_t i = 0; i < p.stages; i++) {
            f[i] = random_length(&d, how);
            b[i] = how == 4 ? 2 * f[i] + draws_below(&d, 3) : random_length(&d, how);
        }
        struct nd_evaluator *closed = nd_evaluator_new(&p, NULL);
        p.splits = 1;
        const double value = nd_evaluator_objective(closed, f, b);
        const double by_program = nd_evaluator_by_order(closed, f, b);
        char what[64];
        snprintf(what, sizeof what, "case %d P %d M %d", (int)k, p.stages, p.micro_batches);
        expect_close(value, by_program, 1e-12, what);
        nd_evaluator_free(closed);
    }
}

// One period is too little to see what chunks do to each other later on: then the published value
// is below the makespan. With one chunk it never is.
Test(value, as_published_is_not_always_the_makespan)
{
    int less = 0;
    for (uint64_t k = 0; k < 400; k++) {
        struct draws d = {14, k, 0};
        struct nd_program p = random_program(&d);
        double f[16], b[16];
        p.chunks = 1 + draws_below(&d, 3);
        for (int32_t i = 0; i < p.stages * p.chunks; i++) {
            f[i] = 1 + draws_below(&d, 3);
            b[i] = 2 * f[i] + draws_below(&d, 2);
        }
        struct nd_evaluator *e = nd_evaluator_new(&p, NULL);
        const double value = nd_evaluator_objective(e, f, b),
                     span = nd_evaluator_makespan(e, f, b);
        less += value < span - 1e-9;
        cr_assert(value >= span - 1e-9 || p.chunks > 1, "case %d: %g %g", (int)k, value, span);
        nd_evaluator_free(e);
    }
    cr_assert(less > 0);
}

Test(value, of_splits_as_published_is_none)
{
    struct nd_program p;
    nd_program_default(&p);
    const double f[] = {1, 1}, b[] = {2, 2};
    p.stages = 2;
    p.micro_batches = 4;
    p.splits = 2;
    p.compat = ND_ORIG;
    struct nd_evaluator *e = nd_evaluator_new(&p, NULL);
    cr_assert(nd_evaluator_objective(e, f, b) == HUGE_VAL);
    cr_assert(nd_evaluator_makespan(e, f, b) < 15 && nd_evaluator_makespan(e, f, b) >= 13.5);
    nd_evaluator_free(e);
}

// ---- paths --------------------------------------------------------------------------------------

Test(value, longest_path_adds_up_and_bounds_others)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct draws d = {15, k, 0};
        struct nd_program p;
        nd_program_default(&p);
        p.stages = 1 + draws_below(&d, 4);
        p.chunks = 1 + draws_below(&d, 3);
        p.splits = 1 + draws_below(&d, 2);
        p.micro_batches = p.stages + draws_below(&d, 8);
        p.hop = draws_below(&d, 2) * 0.125;
        const int32_t n = p.stages * p.chunks;
        double f[16], b[16], forwards[16], backwards[16], constant;
        struct nd_evaluator *e = nd_evaluator_new(&p, NULL);
        for (int32_t round = 0; round < 4; round++) {
            double sum = 0;
            for (int32_t i = 0; i < n; i++) {
                f[i] = 1 + draws_below(&d, 4);
                b[i] = 2 + draws_below(&d, 8);
            }
            const double value = nd_evaluator_objective(e, f, b);
            if (round == 0)
                cr_assert(nd_evaluator_path(e, f, b, forwards, backwards, &constant) ==
                          ND_DONE);
            for (int32_t i = 0; i < n; i++)
                sum += forwards[i] * f[i] + backwards[i] * b[i];
            cr_assert(sum + constant <= value + 1e-9);
            cr_assert(round > 0 || fabs(sum + constant - value) < 1e-9);
        }
        nd_evaluator_free(e);
    }
}
