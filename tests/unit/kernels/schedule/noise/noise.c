// SPDX-License-Identifier: Apache-2.0
// Fluctuating times: known values, moments of every model, and equal bits in any order of evaluation.
#include "base/math/detmath.h"
#include "tests/unit/support/kernels/noise_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// ---- known values ---------------------------------------------------------------------------------

struct known {
    struct noise noise;
    struct noise_key key;
    double expected;
};

static void check_known(struct noise_bench *b, const struct known *known, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t back = 0; back < EXECUTOR_LANES; back++) {
            const struct known *k = &known[i];
            noise_draw(&k->noise, b->pipeline, k->key.replicate - back, &b->times);
            const double x = noise_bench_time(b, &k->key);
            cr_assert(fabs(x - k->expected) <= 1e-10 * k->expected,
                      "%zu: %.17g, expected %.17g", i, x, k->expected);
        }
}

// Numbers of a Python program that shares no code with this one: Philox in integers, the inverse normal
// distribution function of the module `statistics`, exp and log of the module `math`. Times 12, 13, 7, 3 (R)
// and messages of 1. Catches a counter, a draw index, a floor or a formula that differs from model.md. Each
// number is drawn in every lane: the first replicate of the lanes does not matter.
Test(noise, times_of_an_independent_program)
{
    static const struct known known[] = {
        {{.seed = 42, .level = .2}, {NOISE_FORWARD, 0, 2, 3, 5}, 8.935162327298219},
        {{.seed = 42, .level = .2}, {NOISE_BACKWARD, 0, 3, 0, 7}, 13.997433315579368},
        {{.seed = 42, .level = .2}, {NOISE_WEIGHTS, 0, 0, 5, 0x80000003}, 10.479322824123113},
        {{.seed = 42, .level = .2}, {NOISE_RECOMPUTE, 0, 1, 4, 6}, 2.3627955012246575},
        {{.seed = 42, .message_level = .3},
         {NOISE_FORWARD_MESSAGE, 0, 0, 2, 1},
         1.313536462524256},
        {{.seed = 42, .message_level = .3},
         {NOISE_BACKWARD_MESSAGE, 0, 3, 1, 2},
         1.247231050818139},
        {{.seed = (UINT64_C(1) << 40) + 9, .level = .2},
         {NOISE_FORWARD, 0, 2, 3, 5},
         13.38450233143702},
        {{.seed = 42, .kind = NOISE_LOGNORMAL, .level = .3},
         {NOISE_BACKWARD, 0, 1, 5, 4},
         16.92151666193712},
        {{.seed = 42, .kind = NOISE_GAMMA, .level = .9},
         {NOISE_WEIGHTS, 0, 2, 2, 3},
         11.015696178676873},
        {{.seed = 42, .kind = NOISE_GAMMA, .level = .9}, // the first try is refused
         {NOISE_WEIGHTS, 0, 2, 4, 14},
         0.6208563688436741},
        {{.seed = 42, .level = .2, .group = NOISE_DEVICE, .rho = .36},
         {NOISE_FORWARD, 0, 2, 3, 5},
         11.803453374087333},
        {{.seed = 42, .level = .2, .group = NOISE_MICRO_BATCH, .rho = .36},
         {NOISE_FORWARD, 0, 2, 3, 5},
         11.982769246173149},
        {{.seed = 42, .outlier_p = .1, .outlier_k = 20},
         {NOISE_FORWARD_MESSAGE, 0, 1, 2, 1},
         20},
        {{.seed = 42, .outlier_p = .1, .outlier_alpha = 1.5},
         {NOISE_FORWARD_MESSAGE, 0, 1, 1, 3},
         1.5243810876589492},
        {{.seed = 42, .straggler_p = .3, .straggler_k = 2}, {NOISE_FORWARD, 0, 1, 0, 2}, 24},
        {{.seed = 42, .straggler_p = .3, .straggler_k = 2}, {NOISE_FORWARD, 0, 1, 0, 3}, 12},
        {{.seed = 42, .straggler_p = .3, .straggler_k = 2}, {NOISE_WEIGHTS, 0, 3, 4, 3}, 14},
    };
    struct noise_bench b = noise_bench_linear(4, 6);
    check_known(&b, known, sizeof known / sizeof *known);
    noise_bench_free(&b);

    static const struct known reverse = {{.seed = 42, .level = .2},
                                         {NOISE_FORWARD, 1, 2, 3, 5},
                                         7.4940003795534};
    b = noise_bench_new(&(struct pipeline_shape){4, 4, 6, 1, 2}, PIPELINE_BIDIRECTIONAL);
    check_known(&b, &reverse, 1);
    noise_bench_free(&b);

    static const struct known slice = {{.seed = 42, .level = .2},
                                       {NOISE_FORWARD, 0, 2, 3 * 2 + 1, 5},
                                       4.044125636409068};
    b = noise_bench_new(&(struct pipeline_shape){4, 4, 6, 2, 1},
                        PIPELINE_LOOP); // times are divided by 2
    check_known(&b, &slice, 1);
    noise_bench_free(&b);
}

// ---- equal bits ---------------------------------------------------------------------------------

static const struct noise models[] = {
    {.seed = 1, .level = .3, .message_level = .2},
    {.seed = 2, .level = .9, .message_level = .9, .published_floors = true},
    {.seed = 3, .kind = NOISE_LOGNORMAL, .level = .3, .message_level = .4},
    {.seed = 4, .kind = NOISE_GAMMA, .level = .6, .message_level = .1},
    {.seed = 5, .level = .2, .group = NOISE_DEVICE, .rho = .5},
    {.seed = 6, .kind = NOISE_LOGNORMAL, .level = .2, .group = NOISE_MICRO_BATCH, .rho = 1},
    {.seed = 7, .level = .1, .group = NOISE_WINDOW, .window = 50, .rho = .7},
    {.seed = 8,
     .level = .1,
     .straggler_p = .4,
     .straggler_k = 1.5,
     .outlier_p = .2,
     .outlier_k = 20},
    {.seed = 9, .message_level = .3, .outlier_p = .1, .outlier_alpha = 1.5},
    {.seed = 10, .level = .2, .straggler_p = .5, .straggler_k = 3, .from = 40, .until = 90},
};

enum { N_MODELS = sizeof models / sizeof *models };

static bool is_equal(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Every time has the same bits whichever replicate the lanes start with, also beyond the number of items
// of a block. Catches state between draws, and a lane or a block that is computed otherwise.
Test(noise, times_do_not_depend_on_the_lanes)
{
    struct noise_bench a = noise_bench_linear(3, NOISE_BLOCK + 5),
                       b = noise_bench_linear(3, NOISE_BLOCK + 5);
    const int32_t n = 3 * (NOISE_BLOCK + 5);
    for (int model = 0; model < N_MODELS; model++)
        for (uint32_t first = 0x7ffffffc; first < 0x80000004; first += 3) {
            noise_draw(&models[model], a.pipeline, first + 5, &a.times);
            noise_draw(&models[model], b.pipeline, first, &b.times);
            for (int32_t i = 0; i < n; i++)
                for (int32_t lane = 0; lane + 5 < EXECUTOR_LANES; lane++)
                    for (int k = 0; k < 6; k++) {
                        const double *x = k < 4 ? a.times.time[k] : a.times.delay[k - 4],
                                     *y = k < 4 ? b.times.time[k] : b.times.delay[k - 4];
                        cr_assert(is_equal(x[i * EXECUTOR_LANES + lane],
                                           y[i * EXECUTOR_LANES + lane + 5]),
                                  "model %d, times %d, item %d, lane %d", model, k, i, lane);
                    }
        }
    noise_bench_free(&a);
    noise_bench_free(&b);
}

// The formulas for one number at a time have the bits of the lanes. Catches a vector loop that computes
// in another order.
Test(noise, single_numbers_have_the_same_bits)
{
    struct noise_bench b = noise_bench_linear(3, 40);
    for (int kind = NOISE_NORMAL; kind <= NOISE_LOGNORMAL; kind++) {
        const struct noise noise = {.seed = 77, .kind = (enum noise_kind)kind, .level = .4};
        const double variance = detmath_log(1 + .4 * .4);
        noise_draw(&noise, b.pipeline, 100, &b.times);
        for (uint32_t i = 0; i < 3 * 40 * EXECUTOR_LANES; i++) {
            const struct noise_key key = {NOISE_BACKWARD, 0, i / EXECUTOR_LANES / 40,
                                          i / EXECUTOR_LANES % 40, 100 + i % EXECUTOR_LANES};
            const double z = noise_normal(77, &key, NOISE_JITTER);
            const double expected = kind == NOISE_LOGNORMAL
                                        ? 13 * detmath_exp(sqrt(variance) * z - 0.5 * variance)
                                        : 13 * fmax(1 + .4 * z, 0.1);
            cr_assert(is_equal(noise_bench_time(&b, &key), expected), "kind %d, %u", kind, i);
        }
    }
    noise_bench_free(&b);
}

static void set_line(double *lines, int64_t index, double value)
{
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        lines[index * EXECUTOR_LANES + lane] = value;
}

static double delay_of(const struct pipeline *p, int32_t part, bool backward)
{
    const struct pipeline_stage *stage = &p->stage[part % p->shape.stages];
    const int32_t s = part % p->shape.stages;
    if (backward ? s == 0 : s + 1 == p->shape.stages)
        return 0;
    return pipeline_delay(p, p->device_of[part], p->device_of[backward ? part - 1 : part + 1],
                          backward ? stage->backward_bytes : stage->forward_bytes);
}

static void set_nominal(struct executor_times *times, const struct pipeline *pipeline)
{
    const int32_t items = pipeline_items(pipeline),
                  parts = pipeline->shape.directions * pipeline->shape.stages;
    for (int32_t part = 0; part < parts; part++) {
        const struct pipeline_stage *stage = &pipeline->stage[part % pipeline->shape.stages];
        const double time[4] = {stage->f, stage->b, stage->w, stage->r};
        for (int32_t item = 0; item < items; item++) {
            const int64_t index = (int64_t)part * items + item;
            for (int k = 0; k < 4; k++)
                if (times->time[k] != NULL)
                    set_line(times->time[k], index, time[k]);
            for (int k = 0; k < 2; k++)
                set_line(times->delay[k], index, delay_of(pipeline, part, k == 1));
        }
    }
    times->duration = NULL;
}

// Level 0 gives the bits of the pipeline. Catches a factor of almost 1, and a floor above the time.
Test(noise, level_0_has_the_bits_of_the_pipeline)
{
    static const struct noise silent[] = {
        {.seed = 1},
        {.seed = 1, .kind = NOISE_LOGNORMAL},
        {.seed = 1, .kind = NOISE_GAMMA, .group = NOISE_DEVICE, .rho = .5},
        {.seed = 1, .straggler_k = 2, .outlier_k = 20},
        {.seed = 1, .straggler_p = 1, .straggler_k = 1, .outlier_p = 1, .outlier_k = 1},
        {.seed = 1, .group = NOISE_WINDOW, .rho = .5, .window = 10},
    };
    struct noise_bench a = noise_bench_linear(4, 7), b = noise_bench_linear(4, 7);
    for (struct noise_bench *x = &a; x != NULL; x = x == &a ? &b : NULL)
        for (int32_t s = 0; s < 4; s++) {
            x->pipeline->stage[s] = (struct pipeline_stage){.f = .1 + s,
                                                            .b = 1 / 3.0,
                                                            .w = s == 2 ? 0 : 1e-30,
                                                            .r = 1e30};
            x->pipeline->links.latency = 0.7;
        }
    set_nominal(&a.times, a.pipeline);
    for (size_t k = 0; k < sizeof silent / sizeof *silent; k++) {
        noise_draw(&silent[k], b.pipeline, 5, &b.times);
        cr_assert_null(b.times.duration);
        for (int type = 0; type < 4; type++)
            cr_assert_arr_eq(a.times.time[type], b.times.time[type],
                             4 * 7 * EXECUTOR_LANES * sizeof(double), "%zu, type %d", k, type);
        for (int way = 0; way < 2; way++)
            cr_assert_arr_eq(a.times.delay[way], b.times.delay[way],
                             4 * 7 * EXECUTOR_LANES * sizeof(double), "%zu, message %d", k,
                             way);
    }
    cr_assert(noise_is_none(&silent[0]) && !noise_is_none(&models[0]));
    noise_bench_free(&a);
    noise_bench_free(&b);
}

// ---- moments ------------------------------------------------------------------------------------

struct moments {
    double mean, variance, skewness;
};

// Moments of the times of forwards, divided by the nominal time, or of messages.
static struct moments moments_of(const struct noise *noise, bool messages, size_t *n)
{
    struct noise_bench b = noise_bench_linear(8, 512);
    double power[4] = {0};
    pipeline_set_uniform(b.pipeline, &(struct pipeline_stage){.f = messages ? 0 : 12});
    for (uint32_t first = 0; first < 32 * EXECUTOR_LANES; first += EXECUTOR_LANES) {
        noise_draw(noise, b.pipeline, first, &b.times);
        const double *x = messages ? b.times.delay[0] : b.times.time[0],
                     nominal = messages ? 1 : 12;
        for (size_t i = 0; i < (messages ? 7u : 8u) * 512 * EXECUTOR_LANES; i++) {
            const double factor = x[i] / nominal;
            power[0]++;
            power[1] += factor;
            power[2] += factor * factor;
            power[3] += factor * factor * factor;
        }
    }
    noise_bench_free(&b);
    *n = (size_t)power[0];
    const double mean = power[1] / power[0], square = power[2] / power[0],
                 variance = square - mean * mean;
    return (struct moments){mean, variance,
                            (power[3] / power[0] - 3 * mean * square + 2 * mean * mean * mean) /
                                (variance * sqrt(variance))};
}

// A million times per model. Expected: mean 1 and the variance of the level; skewness 0 (normal), 3c + c^3
// (lognormal, c = level), 2c (gamma); mean and variance of mixtures by their definition. The bounds are
// five standard errors or more. Catches a factor without mean 1, a level taken as a variance.
Test(noise, moments_of_every_model)
{
    static const struct {
        struct noise noise;
        bool messages;
        double mean, variance, skewness;
    } expected[] = {
        {{.seed = 1, .level = .2}, false, 1, .04, 0},
        {{.seed = 1, .message_level = .2}, true, 1, .04, 0},
        {{.seed = 1, .kind = NOISE_LOGNORMAL, .level = .3}, false, 1, .09, .927},
        {{.seed = 1, .kind = NOISE_GAMMA, .level = .3}, false, 1, .09, .6},
        {{.seed = 1, .kind = NOISE_GAMMA, .level = .8}, false, 1, .64, 1.6},
        {{.seed = 1, .level = .2, .group = NOISE_MICRO_BATCH, .rho = .1}, false, 1, .04, 0},
        // outlier of 20 with p = 0.02: mean 1 + 19 p, variance 361 p (1 - p); skewness of a coin
        {{.seed = 1, .outlier_p = .02, .outlier_k = 20},
         true,
         1.38,
         7.0756,
         0.96 / 0.14 /* (1 - 2p) / sqrt(p (1 - p)) */},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        size_t n;
        const struct moments m = moments_of(&expected[k].noise, expected[k].messages, &n);
        const double error = 5 / sqrt((double)n), skewness = expected[k].skewness,
                     // shared numbers: fewer independent ones
            slack = expected[k].noise.group == NOISE_ALONE ? 1 : 3;
        cr_assert(fabs(m.mean - expected[k].mean) < error * slack * sqrt(expected[k].variance),
                  "%zu: mean %.6f", k, m.mean);
        cr_assert(fabs(m.variance / expected[k].variance - 1) <
                      error * slack * sqrt(2 + 2 * skewness * skewness),
                  "%zu: variance %.6f", k, m.variance);
        cr_assert(fabs(m.skewness - skewness) < error * slack * (2.5 + 8 * skewness * skewness),
                  "%zu: skewness %.6f", k, m.skewness);
    }
}

// Two operations of a group have the correlation rho, others none. Catches a group by the wrong number.
Test(noise, operations_of_a_group_are_correlated)
{
    enum { N = 4096, P = 3, M = 4 };
    struct noise_bench b = noise_bench_linear(P, M);
    for (int group = NOISE_DEVICE; group <= NOISE_WINDOW; group++) {
        const struct noise noise = {.seed = 3,
                                    .level = .2,
                                    .group = (enum noise_group)group,
                                    .rho = .6,
                                    .window = 100};
        double product[3] = {0}; // same device, same micro-batch, neither
        for (uint32_t first = 0; first < N; first += EXECUTOR_LANES) {
            noise_draw(&noise, b.pipeline, first, &b.times);
            for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
                const double *f = b.times.time[0], *w = b.times.time[2];
                const double x = f[(1 * M + 2) * EXECUTOR_LANES + lane] / 12 - 1;
                product[0] += x * (w[(1 * M + 3) * EXECUTOR_LANES + lane] / 7 - 1);
                product[1] += x * (w[(2 * M + 2) * EXECUTOR_LANES + lane] / 7 - 1);
                product[2] += x * (w[(2 * M + 3) * EXECUTOR_LANES + lane] / 7 - 1);
            }
        }
        for (int k = 0; k < 3; k++) {
            const double found = product[k] / N / .04,
                         rho = k == (group == NOISE_MICRO_BATCH) ? .6 : 0;
            cr_assert(fabs(found - rho) < 5 * 1.2 / sqrt(N), "group %d, pair %d: %g", group, k,
                      found);
        }
    }
    noise_bench_free(&b);
}
