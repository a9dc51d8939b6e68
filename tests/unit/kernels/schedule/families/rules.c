// SPDX-License-Identifier: Apache-2.0
// Tests the closed rules against golden orders and closed forms.
#include "kernels/schedule/families/rules.h"
#include "kernels/common/executor/metrics.h"

#include "tests/unit/support/kernels/schedule_golden.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct built {
    struct order *order;
    struct metrics metrics;
    double *starts, *ends; // [order_at]
};

static struct built build(const struct family *family,
                          const struct pipeline *p,
                          const struct family_options *options)
{
    struct built built = {.order = order_new(p->shape.devices, order_room(p, false))};
    struct room room = {NULL, 0};
    for (int pass = 0; pass < 2; pass++) {
        void *memory = family->take != NULL ? family->take(&p->shape, options, &room) : NULL;
        struct executor *executor = executor_take(&p->shape, built.order->room, &room);
        if (pass == 0) {
            room = (struct room){aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
            continue;
        }
        struct family_result result = {.value = 0};
        cr_assert_null(family->misfit(&p->shape, options), "%s", family->name);
        cr_assert_eq(family->build(p, options, memory, NULL, built.order, &result),
                     FAMILY_DONE);
        cr_assert_eq(executor_run(executor, p, built.order, NULL, NULL), EXECUTOR_DONE,
                     "%s P=%d V=%d M=%d", family->name, p->shape.devices, p->shape.stages,
                     p->shape.micro_batches);
        metrics_of(p, built.order, executor_starts(executor), executor_ends(executor),
                   &built.metrics, NULL, NULL);
        const size_t bytes =
            (size_t)built.order->devices * (size_t)built.order->room * sizeof(double);
        built.starts = malloc(bytes);
        built.ends = malloc(bytes);
        memcpy(built.starts, executor_starts(executor), bytes);
        memcpy(built.ends, executor_ends(executor), bytes);
    }
    free(room.memory);
    return built;
}

static void built_free(struct built *built)
{
    order_free(built->order);
    free(built->starts);
    free(built->ends);
}

// ---- golden orders ------------------------------------------------------------------------------

static const struct family *current;

static void check_golden(const struct schedule_golden *g)
{
    const struct family_options options = {.group = g->group};
    struct built built = build(current, g->pipeline, &options);
    schedule_golden_same_order(g, built.order);
    cr_expect_float_eq(built.metrics.makespan, g->makespan, 1e-9 * g->makespan, "%s", g->name);
    cr_expect_float_eq(built.metrics.span, g->span, 1e-9 * g->span, "%s", g->name);
    for (int32_t d = 0; g->starts != NULL && d < built.order->devices; d++)
        for (int32_t i = 0; i < built.order->n[d]; i++) {
            const double start = built.starts[order_at(built.order, d, i)],
                         end = built.ends[order_at(built.order, d, i)];
            const int64_t at = order_at(g->order, d, i);
            cr_assert_float_eq(start, g->starts[at], 1e-9 * g->makespan, "%s", g->name);
            cr_assert_float_eq(end, g->ends[at], 1e-9 * g->makespan, "%s", g->name);
        }
    built_free(&built);
}

// Catches any operation out of its place.
Test(schedule_rules, orders_and_times_of_published_cases)
{
    static const struct {
        const struct family *family;
        int cases;
    } list[] = {
        {&family_gpipe, 1},       {&family_one_f_one_b, 2}, {&family_eager_1f1b, 1},
        {&family_interleaved, 2}, {&family_bfs_loop, 1},    {&family_interleaved_group, 1},
        {&family_zb_h1, 1},       {&family_zb_h2, 1},       {&family_dualpipe, 2},
        {&family_dualpipev, 1},   {&family_chimera, 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        current = list[i].family;
        cr_expect_eq(schedule_golden_each(current->name, check_golden), list[i].cases, "%s",
                     current->name);
    }
}

// ---- closed forms -------------------------------------------------------------------------------

static struct pipeline *uniform(const struct family *family,
                                int32_t p,
                                int32_t v,
                                int32_t m,
                                int32_t slices,
                                struct pipeline_stage stage,
                                double latency)
{
    const struct pipeline_shape shape = {p, p * v, m, slices, family->directions};
    struct pipeline *pipeline = pipeline_new(&shape);
    pipeline_place(pipeline, family->placement);
    pipeline_set_uniform(pipeline, &stage);
    pipeline->links.latency = latency;
    return pipeline;
}

static struct metrics figures(const struct family *family,
                              int32_t p,
                              int32_t v,
                              int32_t m,
                              struct pipeline_stage stage,
                              double latency)
{
    const struct family_options options = {.group = 0};
    struct pipeline *pipeline = uniform(family, p, v, m, 1, stage, latency);
    struct built built = build(family, pipeline, &options);
    const struct metrics metrics = built.metrics;
    built_free(&built);
    pipeline_free(pipeline);
    return metrics;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t draw(struct random *random, int32_t low, int32_t high)
{
    return low + (int32_t)random_below(random, high - low + 1);
}

// Times are whole numbers, so that sums are exact. P = 1 and M = 1 are drawn, too.
Test(schedule_rules, closed_forms)
{
    struct random random = {4};
    for (int i = 0; i < 3000; i++) {
        const int32_t p = draw(&random, 1, 16), m = draw(&random, 1, 64),
                      v = draw(&random, 1, 4);
        const double f = draw(&random, 0, 20), b = draw(&random, 0, 20),
                     w = draw(&random, 0, 20), c = floor(f / 2), t = f + b + w;
        const struct pipeline_stage stage = {.f = f, .b = b, .w = w, .kept_until_w = 1};
        struct metrics k = figures(&family_gpipe, p, 1, m, stage, 3);
        cr_assert_eq(k.makespan, (m + p - 1) * t + 2 * (p - 1) * 3, "gpipe %d %d", p, m);
        cr_assert_eq(k.peak_most, m);
        k = figures(&family_one_f_one_b, p, 1, m, stage, 0);
        cr_assert_eq(k.makespan, (m + p - 1) * t, "1f1b %d %d", p, m);
        cr_assert_eq(k.peak_most, least(p, m));
        k = figures(&family_eager_1f1b, p, 1, m, stage, c);
        cr_assert_eq(k.makespan, (m + p - 1) * t + 2 * (p - 1) * c, "eager %d %d", p, m);
        cr_assert_eq(k.peak_most, least(2 * p - 1, m));
        if (m >= p) {
            k = figures(&family_zb_h1, p, 1, m, stage, 0);
            cr_assert_eq(k.makespan, m * t + (p - 1) * fmax(f + b - w, fmax(f, b)), "h1 %d %d",
                         p, m);
            cr_assert_eq(k.peak_most, p);
            k = figures(&family_bfs_loop, p, v, m, stage, 0);
            cr_assert_eq(k.makespan, (m * v + p - 1) * t, "bfs %d %d %d", p, v, m);
            cr_assert_eq(k.peak_most, m * v);
        }
        if (m >= 2 * p - 1) {
            k = figures(&family_zb_h2, p, 1, m, stage, 0);
            if (w <= f) { // otherwise W delays forwards, and the step is longer
                cr_assert_eq(k.makespan, m * t + (p - 1) * fmax(f, f + b - 2 * w), "h2 %d %d",
                             p, m);
                cr_assert_eq(k.span, m * t + (p - 1) * fmax(0, f + b - 2 * w), "h2 %d %d", p,
                             m);
            }
            cr_assert_eq(k.peak_most, 2 * p - 1);
        }
        if (m % p == 0) {
            k = figures(&family_interleaved, p, v, m, stage, 0);
            cr_assert_eq(k.makespan, (m * v + p - 1) * t, "interleaved %d %d %d", p, v, m);
            cr_assert_eq(k.peak_most, least(2 * (p - 1) + (v - 1) * p + 1, m * v));
        }
    }
}

Test(schedule_rules, closed_forms_of_two_directions)
{
    for (int32_t p = 2; p <= 12; p += 2)
        for (int32_t m = p; m <= 64; m += p) {
            const struct pipeline_stage unit = {.f = 1, .b = 1, .w = 1, .kept_until_w = 1};
            const struct pipeline_stage half = {.f = 1, .b = 0.5, .w = 0.5, .kept_until_w = 1};
            struct metrics k = figures(&family_chimera, p, 1, m, half, 0);
            cr_assert_eq(k.makespan, 2 * m + p - 2, "chimera %d %d", p, m);
            cr_assert_leq(k.peak_most, p);
            if (m < 2 * p)
                continue;
            k = figures(&family_dualpipe, p, 1, m, unit, 0);
            cr_assert_eq(k.makespan, 3 * m + p - 2, "dualpipe %d %d", p, m);
            cr_assert_leq(k.peak_most, p + 1);
            k = figures(&family_dualpipev, p, 2, m, unit, 0);
            cr_assert_eq(k.makespan, 6 * m + 2 * (p - 1), "dualpipev %d %d", p, m);
            cr_assert_eq(k.peak_most, 2 * p + 1);
        }
}

Test(schedule_rules, waves)
{
    static const int32_t list[][3] = {
        // p, waves, makespan
        {2, 1, 16}, {4, 1, 36}, {4, 2, 61}, {4, 4, 109}, {8, 1, 76}, {8, 2, 126},
    };
    const struct pipeline_stage stage = {.f = 1, .b = 1, .w = 1, .kept_until_w = 1};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cr_expect_eq(
            figures(&family_wave, list[i][0], 2 * list[i][1], list[i][0], stage, 0).makespan,
            list[i][2], "%d devices, %d waves", list[i][0], list[i][1]);
}

// One slice is 1F1B; more slices shorten the bubble and keep less memory.
Test(schedule_rules, slices)
{
    const struct pipeline_stage stage = {.f = 4, .b = 4, .w = 4, .kept_until_w = 4};
    const struct family_options options = {.group = 0};
    double before = INFINITY;
    for (int32_t slices = 1; slices <= 4; slices *= 2) {
        struct pipeline *p = uniform(&family_seq_1f1b, 4, 1, 8, slices, stage, 0);
        struct built built = build(&family_seq_1f1b, p, &options);
        if (slices == 1)
            cr_expect_eq(built.metrics.makespan, 11 * 12);
        cr_expect_lt(built.metrics.makespan, before);
        before = built.metrics.makespan;
        built_free(&built);
        pipeline_free(p);
    }
}

// ---- published bubbles --------------------------------------------------------------------------

// Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024: times in ms and bubbles in span.
Test(schedule_rules, published_bubbles)
{
    static const struct {
        int32_t p, m;
        double f, b, w, c, bubble[3];
    } list[] = {
        {8, 24, 18.522, 18.086, 9.337, 0.601, {0.2431, 0.1585, 0.1083}},
        {8, 24, 29.718, 29.444, 19.927, 0.527, {0.2347, 0.1323, 0.0698}},
        {16, 48, 11.347, 11.248, 8.132, 0.377, {0.2552, 0.1397, 0.0672}},
        {32, 96, 10.419, 10.207, 7.715, 0.408, {0.2646, 0.1421, 0.0641}},
    };
    const struct family *const of[] = {&family_one_f_one_b, &family_zb_h1, &family_zb_h2};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int k = 0; k < 3; k++) {
            const struct pipeline_stage stage = {.f = list[i].f,
                                                 .b = list[i].b,
                                                 .w = list[i].w};
            const double span = figures(of[k], list[i].p, 1, list[i].m, stage, list[i].c).span;
            const double bubble = 1 - list[i].m * (list[i].f + list[i].b + list[i].w) / span;
            cr_expect_float_eq(bubble, list[i].bubble[k], 0.00005, "row %zu, %s: %.6f", i,
                               of[k]->name, bubble);
        }
}
