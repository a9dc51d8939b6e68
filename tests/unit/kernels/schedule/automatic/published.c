// SPDX-License-Identifier: Apache-2.0
// Tests the automatic schedulers against golden orders and published figures.
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/automatic/automatic.h"

#include "tests/unit/support/kernels/schedule_golden.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct built {
    enum family_status status;
    struct order *order;
    double makespan, span, peak;
};

static struct built build(const struct family *family, const struct pipeline *p,
                          const struct family_options *options)
{
    struct built built = {.order = order_new(p->shape.devices, order_room(p, false))};
    struct room room = {NULL, 0};
    (void)family_take(family, &p->shape, options, &room);
    (void)executor_take(&p->shape, built.order->room, &room);
    char *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){bytes, 0};
    void *memory = family_take(family, &p->shape, options, &room);
    struct executor *executor = executor_take(&p->shape, built.order->room, &room);
    cr_assert_null(family->misfit(&p->shape, options));
    built.status = family_build(
        family, &(struct family_task){p, options, memory, NULL, built.order, NULL});
    if (built.status == FAMILY_DONE) {
        cr_assert_eq(executor_run(executor, p, built.order, NULL, NULL), EXECUTOR_DONE);
        struct metrics metrics;
        metrics_of(p, built.order, executor_starts(executor), executor_ends(executor), &metrics,
                   NULL, NULL);
        built.makespan = metrics.makespan;
        built.span = metrics.span;
        built.peak = metrics.peak_most;
    }
    free(bytes);
    return built;
}

static const struct family_options published = {.published = true}, own = {.published = false};

// The published rule gives the golden order; our own order is not worse.
static void check_both(const struct family *family, const struct schedule_golden *g)
{
    struct built built = build(family, g->pipeline, &published);
    cr_assert_eq(built.status, FAMILY_DONE);
    schedule_golden_same_order(g, built.order);
    order_free(built.order);
    const double peak = built.peak;
    built = build(family, g->pipeline, &own);
    cr_assert_eq(built.status, FAMILY_DONE);
    cr_assert_leq(built.makespan, g->makespan, "%s: %g", g->name, built.makespan);
    cr_assert_leq(built.span, g->span, "%s: %g", g->name, built.span);
    cr_assert_leq(built.peak, peak, "%s: %g", g->name, built.peak);
    order_free(built.order);
}

static void check_zb_auto(const struct schedule_golden *g)
{
    check_both(&family_zb_auto, g);
}

Test(automatic, zb_auto_has_the_published_orders)
{
    cr_assert_eq(schedule_golden_each("zb_auto", check_zb_auto), 5);
}

static void check_zbv(const struct schedule_golden *g)
{
    check_both(&family_zbv, g);
}

Test(automatic, zbv_has_the_published_orders)
{
    cr_assert_eq(schedule_golden_each("zbv", check_zbv), 3);
}

static void check_v_half(const struct schedule_golden *g)
{
    check_both(&family_v_half, g);
}

static void check_v_min(const struct schedule_golden *g)
{
    check_both(&family_v_min, g);
}

Test(automatic, v_half_and_v_min_have_the_published_orders)
{
    cr_assert_eq(schedule_golden_each("v_half", check_v_half), 2);
    cr_assert_eq(schedule_golden_each("v_min", check_v_min), 1);
}

static void check_v_1f1b(const struct schedule_golden *g)
{
    check_both(&family_v_1f1b, g);
}

Test(automatic, v_1f1b_has_the_published_order)
{
    cr_assert_eq(schedule_golden_each("v_1f1b", check_v_1f1b), 1);
}

// Returns a pipeline with equal stages and the memory of one chunk per forward.
static struct pipeline *vee(int32_t devices, int32_t m, struct pipeline_stage stage)
{
    struct pipeline *p = pipeline_new(&(struct pipeline_shape){devices, 2 * devices, m, 1, 1});
    cr_assert_not_null(p);
    pipeline_place(p, PIPELINE_VEE);
    stage.kept_until_w = 1;
    pipeline_set_uniform(p, &stage);
    return p;
}

Test(automatic, published_makespans_and_peaks_with_equal_times)
{
    static const struct {
        const struct family *family;
        int32_t devices, m;
        double makespan, peak;
    } cases[] = {{&family_v_half, 4, 8, 53, 6},    {&family_v_half, 6, 12, 83, 8},
                 {&family_v_half, 8, 16, 113, 10}, {&family_v_min, 4, 8, 59, 4},
                 {&family_v_min, 6, 12, 89, 6},    {&family_v_min, 8, 16, 123, 8},
                 {&family_zbv, 4, 8, 51, 8},       {&family_zbv, 6, 12, 77, 12},
                 {&family_zbv, 8, 16, 103, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pipeline *p =
            vee(cases[i].devices, cases[i].m, (struct pipeline_stage){.f = 1, .b = 1, .w = 1});
        struct built built = build(cases[i].family, p, &published);
        cr_expect_eq(built.makespan, cases[i].makespan, "case %zu: %g", i, built.makespan);
        cr_expect_eq(built.peak, cases[i].peak, "case %zu: %g", i, built.peak);
        order_free(built.order);
        pipeline_free(p);
    }
}

// With few micro-batches the published code leaves the cool-down, or a part of it, as it is. Our own order is
// not worse. The figures come from runs of that code.
Test(automatic, published_makespans_with_few_micro_batches)
{
    static const struct {
        const struct family *family;
        int32_t devices, m;
        double makespan[2]; // at each of the times
        double peak;
    } cases[] = {
        {&family_v_half, 8, 8, {776, 471}, 10}, {&family_v_half, 6, 4, {465, 273}, 8},
        {&family_v_half, 7, 7, {782, 476}, 8},  {&family_v_half, 10, 10, {1008, 622}, 12},
        {&family_v_min, 8, 5, {690, 417}, 8},   {&family_v_min, 6, 3, {447, 267}, 6},
        {&family_v_min, 10, 5, {793, 489}, 8},  {&family_v_min, 16, 10, {1471, 917}, 12}};
    static const struct {
        struct pipeline_stage stage;
        double latency;
    } times[] = {{{.f = 10, .b = 12, .w = 9}, 1}, {{.f = 7, .b = 5, .w = 3}, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2; k++) {
            struct pipeline *p = vee(cases[i].devices, cases[i].m, times[k].stage);
            p->links.latency = times[k].latency;
            const double makespan = cases[i].makespan[k];
            struct built built = build(cases[i].family, p, &published);
            cr_expect_eq(built.makespan, makespan, "case %zu: %g", i, built.makespan);
            cr_expect_eq(built.peak, cases[i].peak, "case %zu: %g", i, built.peak);
            order_free(built.order);
            built = build(cases[i].family, p, &own);
            cr_expect_leq(built.makespan, makespan, "case %zu: %g", i, built.makespan);
            cr_expect_leq(built.peak, cases[i].peak, "case %zu: %g", i, built.peak);
            order_free(built.order);
            pipeline_free(p);
        }
}

// The peak of V-Half is 2 floor((P + 2) / 2) chunks, that of V-Min 2 floor((P + 4) / 3), for all P, and
// never more with few micro-batches.
Test(automatic, controllable_memory_of_all_shapes)
{
    for (int32_t devices = 1; devices <= 16; devices++)
        for (int32_t m = 1; m <= 3 * devices + 3; m += 1 + m / 4) {
            struct pipeline *p =
                vee(devices, m, (struct pipeline_stage){.f = 3, .b = 4, .w = 2});
            struct built half = build(&family_v_half, p, &published),
                         min = build(&family_v_min, p, &published);
            cr_assert(half.status == FAMILY_DONE && min.status == FAMILY_DONE, "P %d, M %d",
                      devices, m);
            cr_assert_leq(half.peak, (devices + 2) / 2 * 2);
            cr_assert_leq(min.peak, (devices + 4) / 3 * 2);
            order_free(half.order);
            order_free(min.order);
            pipeline_free(p);
        }
}

static void check_vshape(const struct schedule_golden *g)
{
    struct built built = build(&family_vshape_dispatch, g->pipeline, &published);
    cr_assert_eq(built.status, FAMILY_DONE);
    cr_expect_leq(built.makespan, g->makespan, "%s: %g", g->name, built.makespan);
    cr_expect_leq(built.span, g->span, "%s: %g", g->name, built.span);
    cr_expect_leq(built.peak, 16, "%s: %g", g->name, built.peak);
    order_free(built.order);
}

Test(automatic, vshape_dispatch_reaches_the_published_figures)
{
    cr_assert_eq(schedule_golden_each("vshape_dispatch", check_vshape), 1);
}
