// SPDX-License-Identifier: Apache-2.0
// Tests of the cut of kernels into layers, with traces made from known layer times.
#include "planner/profiles/kernels/layer_cut.h"

#include "tests/unit/support/random.h"
#include "tests/unit/support/traces.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct kernel_events events_of(const struct trace_kernels *kernels)
{
    static const enum kernel_kind kinds[] = {KERNEL_FORWARD, KERNEL_BACKWARD, KERNEL_EXPERTS};
    struct kernel_events events = {.rank = -1};
    events.rows = calloc(kernels->n + 1, sizeof *events.rows);
    for (size_t i = 0; i < kernels->n; i++) {
        const struct trace_kernel *k = &kernels->rows[i];
        if (k->kind == TRACE_MATRIX)
            continue;
        events.rows[events.n++] =
            (struct kernel_event){(int64_t)llround(k->us * 1000), k->step, kinds[k->kind]};
        events.n_forward += k->kind == TRACE_FORWARD;
        events.n_backward += k->kind == TRACE_BACKWARD;
        events.n_experts += k->kind == TRACE_EXPERTS;
    }
    kernel_events_sort(&events);
    return events;
}

static double mean_of(const struct layer_cut *cut, enum layer_pass pass, int32_t layer)
{
    double sum = 0;
    int n = 0;
    for (size_t i = 0; i < cut->n; i++)
        if (cut->times[i].pass == pass && cut->times[i].layer == layer) {
            sum += cut->times[i].us;
            n++;
        }
    return n > 0 ? sum / n : -1;
}

static int count_bits(unsigned bits)
{
    int n = 0;
    for (; bits != 0; bits >>= 1)
        n += bits & 1;
    return n;
}

// Checks every time of a stage against the plan. The first backward of a pass has no start, and the
// last forward has no end.
static void check_times(const struct trace_plan *plan, int stage, const struct layer_cut *cut)
{
    int before = 0;
    for (int s = 0; s < stage; s++)
        before += plan->layers[s];
    for (int l = 0; l < plan->layers[stage]; l++) {
        const bool moe = plan->has_experts && before + l >= plan->dense;
        const bool again = (plan->recomputed[stage] >> l & 1) != 0;
        const double fw = moe ? plan->moe_fw : plan->dense_fw;
        const double bw = moe ? plan->moe_bw : plan->dense_bw;
        const double near = 0.01 + plan->noise * fw;
        cr_assert_eq(cut->has_experts[l], moe, "stage %d layer %d", stage, l);
        if (l + 1 == plan->layers[stage])
            continue;
        cr_assert(fabs(mean_of(cut, LAYER_FORWARD, l) - fw) < near, "stage %d layer %d: %g",
                  stage, l, mean_of(cut, LAYER_FORWARD, l));
        const double measured = mean_of(cut, again ? LAYER_BACKWARD_FULL : LAYER_BACKWARD, l);
        cr_assert(fabs(measured - bw - again * fw) < 4 * near, "stage %d layer %d backward: %g",
                  stage, l, measured);
    }
}

static void check_stage(const struct trace_plan *plan, const struct trace_kernels *kernels,
                        int stage, bool is_known)
{
    struct kernel_events events = events_of(kernels);
    const struct layer_request request = {
        .stage = is_known ? stage : -1,
        .stages = plan->stages,
        .steps = plan->steps,
        .micro_batches = plan->micro_batches < plan->stages ? plan->micro_batches : 0,
        .layers = plan->per_layer > 0 ? plan->layers[stage] : 0};
    struct layer_cut cut;
    char why[500];
    cr_assert_eq(layer_cut_find(&cut, &events, &request, why, sizeof why), LAYER_CUT_DONE,
                 "stage %d: %s", stage, why);
    const struct layer_shape *shape = &cut.shape;
    cr_assert_eq(shape->layers, plan->layers[stage],
                 "stage %d of %d: %d layers, not %d; %d micro-batches, %#x recomputed", stage,
                 plan->stages, shape->layers, plan->layers[stage], plan->micro_batches,
                 plan->recomputed[stage]);
    cr_assert_eq(shape->recomputed, count_bits(plan->recomputed[stage]), "stage %d: %d", stage,
                 shape->recomputed);
    cr_assert_eq(shape->micro_batches, plan->micro_batches, "stage %d: %d", stage,
                 shape->micro_batches);
    cr_assert_eq(shape->steps, plan->steps);
    cr_assert_eq(shape->passes, plan->steps * plan->micro_batches);
    cr_assert_not(shape->is_partial);
    check_times(plan, stage, &cut);
    layer_cut_free(&cut);
    kernel_events_free(&events);
}

static void check_plan(const struct trace_plan *plan, bool is_known)
{
    struct trace_kernels stages[TRACE_STAGES];
    traces_run(plan, stages);
    for (int s = 0; s < plan->stages; s++)
        check_stage(plan, &stages[s], s, is_known);
    traces_free(stages);
}

#define TIMES .dense_fw = 1000, .dense_bw = 1900, .moe_fw = 3000, .moe_bw = 5700, .head = 9000

// The layouts of profiled models, with and without recompute: all counts and times are those of the
// plan.
Test(layer_cut, layouts)
{
    static const struct trace_plan plans[] = {
        {2, 8, 2, {6, 5}, {0x7, 0x1}, .dense = 3, .has_experts = true, TIMES},
        {2, 8, 3, {4, 3}, {0x9, 0x2}, .dense = 3, .has_experts = true, TIMES},
        {4, 16, 2, {4, 3, 3, 2}, {0xf, 0x3, 0, 0}, .dense = 3, .has_experts = true, TIMES},
        {8,
         32,
         1,
         {3, 2, 1, 1, 1, 2, 2, 2},
         {1, 1, 1, 1, 1, 2, 0, 2},
         .dense = 3,
         .has_experts = true,
         TIMES},
        {1, 4, 3, {10}, {0}, .has_experts = false, TIMES},
        {1, 1, 5, {8}, {0xff}, .has_experts = false, TIMES},
        {2, 4, 2, {5, 4}, {0x1f, 0xf}, .has_experts = false, .noise = 0.05, TIMES},
        {4, 4, 2, {2, 2, 2, 2}, {0, 3, 0, 1}, .has_experts = true, .noise = 0.02, TIMES},
        {2, 8, 2, {6, 5}, {0x7, 0x1}, .dense = 3, .has_experts = true, .per_layer = 4, TIMES},
    };
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        check_plan(&plans[i], true);
}

// A rank of unknown stage: the warm-up tells the stage, and so does the number of forward passes.
Test(layer_cut, unknown_stages)
{
    static const struct trace_plan plan = {
        4, 16, 2, {4, 3, 3, 2}, {0xf, 0x3, 0, 0}, .dense = 3, .has_experts = true, TIMES};
    check_plan(&plan, false);
}

// Layers that are recomputed together, before the backward of the first of them: the time until the
// next layers is shared.
Test(layer_cut, recomputed_together)
{
    const struct trace_plan plan = {
        2, 6, 2, {6, 5}, {0x7, 0x3}, .has_experts = true, .together = true, TIMES};
    check_plan(&plan, true);
}

// Fewer micro-batches than stages: all forward passes come before all backward passes. Their number
// must be known, because 3 layers and 2 micro-batches give the same order as 2 layers and 3.
Test(layer_cut, few_micro_batches)
{
    const struct trace_plan plan = {4,    2, 3, {3, 3, 3, 3}, {1, 0, 2, 0}, .has_experts = true,
                                    TIMES};
    check_plan(&plan, true);
}

// Random plans; also the period of the last stage, which holds all its layers and the head.
Test(layer_cut, random_plans)
{
    struct random r = {11};
    for (int i = 0; i < 300; i++) {
        struct trace_plan plan = {.stages = 1 << random_below(&r, 4),
                                  .has_experts = true,
                                  TIMES};
        plan.micro_batches = plan.stages + (int)random_below(&r, 12);
        plan.steps = 1 + (int)random_below(&r, 3);
        plan.dense = (int)random_below(&r, 3);
        plan.has_experts = random_coin(&r);
        for (int s = 0; s < plan.stages; s++) {
            plan.layers[s] = 2 + (int)random_below(&r, 6);
            plan.recomputed[s] = (unsigned)random_below(&r, 1 << plan.layers[s]);
        }
        check_plan(&plan, true);
    }
}

Test(layer_cut, period_of_the_last_stage)
{
    const struct trace_plan plan = {2, 8, 2, {2, 5}, {0, 0x1}, .has_experts = true, TIMES};
    struct trace_kernels stages[TRACE_STAGES];
    traces_run(&plan, stages);
    struct kernel_events events = events_of(&stages[1]);
    const struct layer_request request = {.stage = 1, .stages = 2, .micro_batches = 8};
    struct layer_cut cut;
    char why[500];
    cr_assert_eq(layer_cut_find(&cut, &events, &request, why, sizeof why), LAYER_CUT_DONE);
    int n = 0;
    for (size_t i = 0; i < cut.n; i++)
        n += cut.times[i].pass == LAYER_PERIOD;
    cr_assert_eq(n, 14); // 7 of each step
    cr_assert_float_eq(mean_of(&cut, LAYER_PERIOD, -1), 5 * 3000 + 5 * 5700 + 3000 + 9000,
                       0.01);
    layer_cut_free(&cut);
    kernel_events_free(&events);
    traces_free(stages);
}

// Skipped steps give no times.
Test(layer_cut, skipped_steps)
{
    const struct trace_plan plan = {2, 4, 3, {3, 3}, {0, 0}, .has_experts = true, TIMES};
    struct trace_kernels stages[TRACE_STAGES];
    traces_run(&plan, stages);
    struct kernel_events events = events_of(&stages[0]);
    size_t counts[4];
    for (int skip = 0; skip < 4; skip++) {
        const struct layer_request request = {.stage = 0, .stages = 2, .skip_steps = skip};
        struct layer_cut cut;
        char why[500];
        cr_assert_eq(layer_cut_find(&cut, &events, &request, why, sizeof why), LAYER_CUT_DONE);
        counts[skip] = cut.n;
        layer_cut_free(&cut);
    }
    cr_assert(counts[0] == 3 * counts[2] && counts[1] == 2 * counts[2] && counts[3] == 0);
    kernel_events_free(&events);
    traces_free(stages);
}

// A profiler that starts while kernels of the step before still run records them: they are left out.
Test(layer_cut, rest_of_an_earlier_step)
{
    const struct trace_plan plan = {4,    8, 3, {3, 2, 2, 2}, {2, 0, 3, 1}, .has_experts = true,
                                    TIMES};
    struct trace_kernels stages[TRACE_STAGES];
    traces_run(&plan, stages);
    for (int s = 0; s < 4; s++)
        for (size_t rest = 1; rest < 12; rest++) {
            size_t first = 0; // of the second step
            while (stages[s].rows[first].step == 0)
                first++;
            const struct trace_kernels late = {stages[s].rows + first - rest,
                                               stages[s].n - first + rest, 0};
            struct kernel_events events = events_of(&late);
            const struct layer_request request = {.stage = s, .stages = 4};
            struct layer_cut cut;
            char why[500];
            cr_assert_eq(layer_cut_find(&cut, &events, &request, why, sizeof why),
                         LAYER_CUT_DONE, "stage %d, %zu kernels: %s", s, rest, why);
            cr_assert(cut.shape.layers == plan.layers[s] &&
                          cut.shape.recomputed == count_bits(plan.recomputed[s]) &&
                          (s == 3 || cut.shape.passes == 16),
                      "stage %d, %zu kernels: %d layers, %d passes", s, rest, cut.shape.layers,
                      cut.shape.passes);
            check_times(&plan, s, &cut);
            layer_cut_free(&cut);
            kernel_events_free(&events);
        }
    traces_free(stages);
}

// A trace that ends early gives the passes before its end; one with another order is refused.
Test(layer_cut, damaged_orders)
{
    const struct trace_plan plan = {2, 8, 2, {4, 4}, {3, 0}, .has_experts = true, TIMES};
    struct trace_kernels stages[TRACE_STAGES];
    traces_run(&plan, stages);
    const struct layer_request request = {.stage = 0, .stages = 2};
    struct layer_cut cut;
    char why[500];
    for (size_t cut_off = 1; cut_off < 60; cut_off++) {
        struct kernel_events events = events_of(&stages[0]);
        for (size_t i = events.n - cut_off; i < events.n; i++) {
            events.n_forward -= events.rows[i].kind == KERNEL_FORWARD;
            events.n_backward -= events.rows[i].kind == KERNEL_BACKWARD;
        }
        events.n -= cut_off;
        cr_assert_eq(layer_cut_find(&cut, &events, &request, why, sizeof why), LAYER_CUT_DONE,
                     "%zu: %s", cut_off, why);
        cr_assert(cut.shape.layers == 4 && cut.shape.recomputed == 2, "%zu", cut_off);
        layer_cut_free(&cut);
        kernel_events_free(&events);
    }
    struct kernel_events events = events_of(&stages[0]);
    for (size_t i = 0; i < events.n; i++) // three kinds in turn: no pipeline
        events.rows[i].kind = i % 7 < 3 || i < 9 ? KERNEL_FORWARD : KERNEL_BACKWARD;
    events.n_forward = events.n_backward = events.n_experts = 0;
    for (size_t i = 0; i < events.n; i++) {
        events.n_forward += events.rows[i].kind == KERNEL_FORWARD;
        events.n_backward += events.rows[i].kind == KERNEL_BACKWARD;
    }
    cr_assert_eq(layer_cut_find(&cut, &events, &request, why, sizeof why), LAYER_CUT_NO_ORDER);
    cr_assert_not_null(strstr(why, "do not follow the 1F1B order"));
    kernel_events_free(&events);
    traces_free(stages);
}
