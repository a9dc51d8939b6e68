// SPDX-License-Identifier: Apache-2.0
// Fluctuating times that depend on the start of an operation, or on the device.
#include "base/math/detmath.h"
#include "tests/unit/support/kernels/noise_bench.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_equal(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static double duration(const struct noise_bench *b, struct executor_piece piece)
{
    return executor_times_duration(&b->times, b->pipeline, &piece);
}

// A device that takes three times as long from 40 to 90. Catches work that is counted twice at the edges
// of the interval.
Test(noise, a_device_is_slow_for_a_while)
{
    static const double factors[] = {1, 3, 1};
    const struct noise noise = {.seed = 1, .straggler = factors, .from = 40, .until = 90};
    static const struct {
        double start, expected; // of a forward of 12
    } known[] = {
        {0, 12},      {28, 12},     {34, 6 + 18}, {40, 36}, {54, 36},
        {60, 30 + 2}, {87, 3 + 11}, {90, 12},     {91, 12},
    };
    struct noise_bench b = noise_bench_linear(3, 2);
    noise_draw(&noise, b.pipeline, 0, &b.times);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct executor_piece piece = {OPERATION_F, 1, 2, -1, 3, known[k].start};
        cr_assert(fabs(duration(&b, piece) - known[k].expected) < 1e-12, "%zu: %.17g", k,
                  duration(&b, piece));
        cr_assert_eq(
            duration(&b, (struct executor_piece){OPERATION_F, 2, 4, -1, 3, known[k].start}),
            12);
    }
    // longer than the interval: BW of 20 from 36 with a slow time of 5 only
    const struct noise brief = {.seed = 1, .straggler = factors, .from = 40, .until = 45};
    noise_draw(&brief, b.pipeline, 0, &b.times);
    cr_assert(fabs(duration(&b, (struct executor_piece){OPERATION_BW, 1, 2, -1, 0, 36}) -
                   (20 + 5 - 5 / 3.0)) < 1e-12);
    noise_bench_free(&b);
}

// Known value as above, for window number 7. In window 0, the duration is the drawn time. Catches a window
// by another number, and compound operations with draws of their own.
Test(noise, operations_of_a_window_share_a_number)
{
    const struct noise noise = {.seed = 42,
                                .level = .2,
                                .group = NOISE_WINDOW,
                                .window = 50,
                                .rho = .36};
    struct noise_bench b = noise_bench_linear(4, 6);
    noise_draw(&noise, b.pipeline, 3, &b.times);
    struct executor_piece piece = {OPERATION_F, 2, 2 * 6 + 3, -1, 2, 350};
    cr_assert(fabs(duration(&b, piece) - 11.141324793406124) < 1e-9);
    piece.start = 399.9;
    cr_assert(fabs(duration(&b, piece) - 11.141324793406124) < 1e-9);
    piece.start = 49;
    cr_assert(is_equal(duration(&b, piece), executor_times_of(&b.times, OPERATION_F, 15, 2)));
    struct executor_piece parts[] = {{OPERATION_B, 2, 15, -1, 2, 120},
                                     {OPERATION_W, 2, 15, -1, 2, 120},
                                     {OPERATION_F, 2, 16, -1, 2, 120}};
    const double alone[] = {duration(&b, parts[0]), duration(&b, parts[1]),
                            duration(&b, parts[2])};
    cr_assert(is_equal(duration(&b, (struct executor_piece){OPERATION_BW, 2, 15, -1, 2, 120}),
                       alone[0] + alone[1]));
    b.pipeline->pair[2] = 24; // instead of 32
    const double pair = duration(&b, (struct executor_piece){OPERATION_F, 2, 16, 15, 2, 120});
    cr_assert(fabs(pair - 0.75 * (alone[0] + alone[1] + alone[2])) < 1e-12);
    noise_bench_free(&b);
}

// Messages between stages of one device take no time in any model; a pair lasts in proportion to its parts.
Test(noise, messages_within_a_device_stay_free_and_pairs_scale)
{
    struct noise_bench b =
        noise_bench_new(&(struct pipeline_shape){2, 4, 3, 1, 1}, PIPELINE_VEE);
    const struct noise noise = {.seed = 1,
                                .level = .3,
                                .message_level = .3,
                                .outlier_p = 1,
                                .outlier_k = 20,
                                .published_floors = true};
    noise_draw(&noise, b.pipeline, 0, &b.times);
    for (int32_t i = 0; i < 3 * EXECUTOR_LANES; i++) {
        cr_assert_eq(b.times.delay[0][1 * 3 * EXECUTOR_LANES + i], 0);
        cr_assert_eq(b.times.delay[1][2 * 3 * EXECUTOR_LANES + i], 0);
        cr_assert_eq(b.times.delay[0][3 * 3 * EXECUTOR_LANES + i], 0);
        cr_assert_eq(b.times.delay[0][i], 20);
    }
    b.pipeline->pair[0] = 40;
    const double sum = executor_times_of(&b.times, OPERATION_F, 2, 1) +
                       executor_times_of(&b.times, OPERATION_B, 10, 1) +
                       executor_times_of(&b.times, OPERATION_W, 10, 1);
    cr_assert(fabs(duration(&b, (struct executor_piece){OPERATION_F, 0, 2, 10, 1, 0}) -
                   40 * sum / 32) < 1e-12);
    noise_bench_free(&b);
}

// With the floors of the published project, no operation is shorter than 0.1 and no message than 0.05.
Test(noise, floors_of_the_published_project)
{
    struct noise_bench b = noise_bench_linear(3, 64);
    const struct noise noise = {.seed = 1,
                                .level = .9,
                                .message_level = .9,
                                .published_floors = true};
    int operations = 0, messages = 0;
    pipeline_set_uniform(b.pipeline, &(struct pipeline_stage){.f = .2, .b = 13, .w = .01});
    b.pipeline->links.latency = .1;
    noise_draw(&noise, b.pipeline, 0, &b.times);
    for (int i = 0; i < 3 * 64 * EXECUTOR_LANES; i++) {
        operations += b.times.time[0][i] == 0.1;
        cr_assert(b.times.time[0][i] >= 0.1 && b.times.time[2][i] == 0.1);
        if (i < 2 * 64 * EXECUTOR_LANES) {
            cr_assert(b.times.delay[0][i] >= 0.05);
            messages += b.times.delay[0][i] == 0.05;
        }
    }
    cr_assert(operations > 300 && messages > 200, "%d, %d", operations, messages);
    noise_bench_free(&b);
}
