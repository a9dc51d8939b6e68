// SPDX-License-Identifier: Apache-2.0
// Tests closed forms of makespan, bubble and memory over random pipelines.
#include "kernels/schedule/catalogue/catalogue.h"

#include "tests/unit/support/kernels/schedule_run.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 400 };

struct draw {
    int32_t p, m, v;
    double f, b, w, t, c;
};

static int32_t whole(struct random *state, int32_t least, int32_t most)
{
    return least + (int32_t)random_below(state, most - least + 1);
}

static struct draw drawn(struct random *state)
{
    struct draw x = {.p = whole(state, 1, 16),
                     .m = whole(state, 1, 64),
                     .v = whole(state, 2, 4)};
    x.f = whole(state, 1, 30);
    x.b = whole(state, 0, 30);
    x.w = whole(state, 0, 30);
    x.c = whole(state, 0, 40);
    x.t = x.f + x.b + x.w;
    return x;
}

static struct schedule_run run(const char *name, const struct draw *x, double latency,
                               const struct family_options *options)
{
    const struct family *family = family_named(name);
    struct pipeline *pipeline = schedule_pipeline(family, x->p, x->m, x->v, 1);
    schedule_set_times(pipeline, x->f, x->b, x->w, latency);
    struct schedule_run done = schedule_run_of(family, pipeline, options);
    return done;
}

static void end(struct schedule_run *done)
{
    pipeline_free(done->pipeline);
    schedule_run_free(done);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

#define SAME(name, x, value, wanted)                                                           \
    cr_assert_eq(value, wanted, "%s, P=%d M=%d v=%d f=%g b=%g w=%g c=%g: %s is %g, not %g",    \
                 name, (x)->p, (x)->m, (x)->v, (x)->f, (x)->b, (x)->w, (x)->c, #value, value,  \
                 wanted)

static const struct family_options none = {.group = 0};

Test(closed_forms, one_stage_per_device)
{
    struct random state = {1};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        struct schedule_run r = run("gpipe", &x, x.c, &none);
        SAME("gpipe", &x, r.metrics.makespan, (x.m + x.p - 1) * x.t + 2 * (x.p - 1) * x.c);
        SAME("gpipe", &x, r.metrics.peak_most, (double)x.m);
        end(&r);
        r = run("one_f_one_b", &x, 0, &none);
        SAME("1f1b", &x, r.metrics.makespan, (x.m + x.p - 1) * x.t);
        cr_assert_float_eq(r.metrics.bubble_ratio, (x.p - 1.0) / (x.m + x.p - 1), 1e-12);
        for (int32_t s = 0; s < x.p; s++)
            SAME("1f1b", &x, r.peak[s], least(x.p - s, x.m));
        end(&r);
        r = run("eager_1f1b", &x, 0, &none);
        SAME("eager", &x, r.metrics.makespan, (x.m + x.p - 1) * x.t);
        for (int32_t s = 0; s < x.p; s++)
            SAME("eager", &x, r.peak[s], least(2 * (x.p - s) - 1, x.m));
        end(&r);
        x.c = floor(x.f / 2);
        r = run("eager_1f1b", &x, x.c, &none);
        SAME("eager", &x, r.metrics.makespan, (x.m + x.p - 1) * x.t + 2 * (x.p - 1) * x.c);
        end(&r);
    }
}

// A slow round trip is exposed once for P micro-batches.
Test(closed_forms, latency_of_1f1b)
{
    struct random state = {2};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        x.m = x.p + x.m;
        x.f = x.b = 60;
        x.t = x.f + x.b + x.w;
        x.c = whole(&state, 0, 3);
        struct schedule_run r = run("one_f_one_b", &x, x.c, &none);
        const double before = r.metrics.makespan;
        end(&r);
        x.m += x.p;
        r = run("one_f_one_b", &x, x.c, &none);
        SAME("1f1b", &x, r.metrics.makespan - before, x.p * x.t + 2 * (x.p - 1) * x.c);
        end(&r);
    }
}

Test(closed_forms, looped)
{
    struct random state = {3};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        struct family_options options = {.descending = round % 2 != 0};
        x.m = x.p * whole(&state, 1, 8);
        struct schedule_run r = run("interleaved", &x, 0, &none);
        SAME("interleaved", &x, r.metrics.makespan, (x.m * x.v + x.p - 1) * x.t);
        cr_assert_float_eq(r.metrics.bubble_to_ideal, (x.p - 1.0) / (x.m * x.v), 1e-12);
        for (int32_t d = 0; d < x.p; d++)
            SAME("interleaved", &x, r.peak[d],
                 least(2 * (x.p - 1 - d) + (x.v - 1) * x.p + 1, x.m * x.v));
        end(&r);
        x.m = x.p + whole(&state, 0, 40);
        r = run("bfs_loop", &x, 0, &options);
        if (!options.descending)
            SAME("bfs_loop", &x, r.metrics.makespan, (x.m * x.v + x.p - 1) * x.t);
        SAME("bfs_loop", &x, r.metrics.peak_most, (double)x.m * x.v);
        end(&r);
    }
}

// Groups of any size, a smaller last group, and a single micro-batch.
Test(closed_forms, interleaved_groups_run)
{
    struct random state = {4};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        struct family_options options = {.group = x.p + whole(&state, 0, 8)};
        const int32_t n = options.group * whole(&state, 0, 4), last = x.p + whole(&state, 0, 8);
        x.m = n + (last < options.group ? last : options.group);
        if (round % 10 == 0)
            x.m = 1;
        struct schedule_run r = run("interleaved", &x, x.c, &options);
        for (int32_t d = 0; d < x.p && x.m > 1; d++)
            SAME("interleaved", &x, r.peak[d],
                 least(2 * (x.p - 1 - d) + (x.v - 1) * options.group + 1, x.m * x.v));
        end(&r);
        options.group = whole(&state, 1, 10);
        x.m = whole(&state, 1, 64);
        r = run("interleaved_group", &x, x.c, &options);
        end(&r);
    }
}

Test(closed_forms, zero_bubble)
{
    struct random state = {5};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        struct schedule_run r = run("zb_h1", &x, 0, &none);
        if (x.m >= x.p)
            SAME("zb_h1", &x, r.metrics.makespan,
                 x.m * x.t + (x.p - 1) * fmax(x.f + x.b - x.w, fmax(x.f, x.b)));
        SAME("zb_h1", &x, r.metrics.peak_most, least(x.p, x.m));
        end(&r);
        x.m += 2 * x.p;
        r = run("zb_h2", &x, 0, &none);
        // Without b - f the formula would be too small where b is larger than f and w is large.
        const double gap = fmax(x.f + x.b - 2 * x.w, x.b - x.f);
        SAME("zb_h2", &x, r.metrics.span, x.m * x.t + (x.p - 1) * fmax(0, gap));
        SAME("zb_h2", &x, r.metrics.makespan, x.m * x.t + (x.p - 1) * fmax(x.f, gap));
        for (int32_t d = 0; d < x.p; d++)
            SAME("zb_h2", &x, r.peak[d], 2.0 * x.p - 1);
        end(&r);
    }
}

Test(closed_forms, dual_pipes)
{
    struct random state = {6};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        x.b = x.w = x.f;
        x.t = 3 * x.f;
        x.m = 2 * x.p + x.m;
        struct schedule_run r = run("dualpipev", &x, 0, &none);
        SAME("dualpipev", &x, r.metrics.makespan,
             2 * x.m * x.t + (x.p - 1) * (x.t + x.b + x.w - 3 * x.w));
        SAME("dualpipev", &x, r.metrics.peak_most, 2.0 * x.p + 1);
        end(&r);
        x.p = 2 * ((x.p + 1) / 2);
        x.m = 2 * x.p + 2 * whole(&state, 0, 30);
        r = run("dualpipe", &x, 0, &none);
        SAME("dualpipe", &x, r.metrics.makespan,
             x.m * x.t + (x.p / 2 - 1) * (x.t + x.b + x.w - 3 * x.w));
        cr_assert_leq(r.metrics.peak_most, x.p + 1.0);
        end(&r);
    }
}

Test(closed_forms, chimera)
{
    struct random state = {7};
    for (int round = 0; round < n_cases(ROUNDS); round++) {
        struct draw x = drawn(&state);
        x.p = 2 * whole(&state, 1, 8);
        x.m = x.p * whole(&state, 1, 5);
        x.f = 2;
        x.b = x.w = 1;
        struct schedule_run r = run("chimera", &x, 0, &none);
        SAME("chimera", &x, r.metrics.makespan, 2.0 * (2 * x.m + x.p - 2));
        cr_assert_float_eq(r.metrics.bubble_ratio, (x.p - 2.0) / (2 * x.m + x.p - 2), 1e-12);
        for (int32_t d = 0; d < x.p; d++) {
            cr_assert_geq(r.peak[d], x.p / 2 + 1);
            cr_assert_leq(r.peak[d], x.p);
        }
        end(&r);
    }
}

Test(closed_forms, wave)
{
    static const struct {
        int32_t p, waves;
        double makespan;
    } cases[] = {{2, 1, 16}, {4, 1, 36}, {4, 2, 61}, {4, 4, 109}, {8, 1, 76}, {8, 2, 126}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct draw x =
            {.p = cases[i].p, .m = cases[i].p, .v = 2 * cases[i].waves, .f = 1, .b = 1, .w = 1};
        struct schedule_run r = run("wave", &x, 0, &none);
        SAME("wave", &x, r.metrics.makespan, cases[i].makespan);
        end(&r);
    }
}

// One slice is 1F1B; more slices shorten the bubble.
Test(closed_forms, slices)
{
    double before = HUGE_VAL;
    for (int32_t slices = 1; slices <= 4; slices *= 2) {
        const struct family *family = family_named("seq_1f1b");
        struct pipeline *pipeline = schedule_pipeline(family, 4, 8, 1, slices);
        schedule_set_times(pipeline, 4, 4, 4, 0);
        struct schedule_run r = schedule_run_of(family, pipeline, &none);
        if (slices == 1)
            cr_expect_eq(r.metrics.makespan, 11 * 12);
        cr_expect_lt(r.metrics.makespan, before);
        before = r.metrics.makespan;
        end(&r);
    }
}
