// SPDX-License-Identifier: Apache-2.0
// Rules that move W against static orders on the same replicates: the published means and paired
// differences, and the rules that lose.
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/noise/noise.h"
#include "tests/unit/support/kernels/online_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const struct pull_rule order_itself = {INFINITY, 0, 0};

// Returns a bench with f, b, w, latency = 12, 13, 7, 1 and the order of a family. limit: in forwards.
static struct online_bench *bench_of(const char *name, int32_t p, int32_t m, double limit)
{
    const struct family *family = family_named(name);
    struct pipeline *pipeline = pipeline_new(&(struct pipeline_shape){p, p, m, 1, 1});
    pipeline_place(pipeline, family->placement);
    pipeline_set_uniform(pipeline,
                         &(struct pipeline_stage){.f = 12, .b = 13, .w = 7, .kept_until_w = 1});
    pipeline->links.latency = 1;
    for (int32_t d = 0; d < p; d++)
        pipeline->limit[d] = limit;
    struct online_bench *b = online_bench_new(pipeline);
    cr_assert_null(family->take, "these families need no memory");
    cr_assert(family_build(family, &(struct family_task){
                                       pipeline, &(struct family_options){.group = 0}, NULL,
                                       NULL, b->reference,
                                       &(struct family_result){.value = 0}}) == FAMILY_DONE);
    return b;
}

struct paired {
    double first, second; // means
    double difference, half_width;
};

// Runs the static order and a rule on the same replicates.
static struct paired compare(struct online_bench *b, const struct noise *noise,
                             const struct pull_rule *rule, int replicates)
{
    struct paired sum = {0, 0, 0, 0};
    double squares = 0;
    pull_open(b->pull, b->pipeline, b->reference);
    for (int first = 0; first < replicates; first += EXECUTOR_LANES) {
        double a[EXECUTOR_LANES], c[EXECUTOR_LANES];
        noise_draw(noise, b->pipeline, (uint32_t)first, &b->times);
        pull_run(b->pull, &order_itself, &b->times, a);
        pull_run(b->pull, rule, &b->times, c);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            sum.first += a[lane] / replicates;
            sum.second += c[lane] / replicates;
            sum.difference += (c[lane] - a[lane]) / replicates;
            squares += (c[lane] - a[lane]) * (c[lane] - a[lane]);
        }
    }
    const double variance =
        (squares - replicates * sum.difference * sum.difference) / (replicates - 1);
    sum.half_width = 1.96 * sqrt(fmax(0, variance) / replicates);
    return sum;
}

struct row {
    const char *family;
    int32_t p, m;
    double level, outliers;
    int32_t lag;
    double first, difference, half_width; // of 1500 replicates
};

// Published: H1 and H2 orders with PULL(0.5, 0); the last row PULL(0.5, unlimited).
static const struct row rows[] = {
    {"zb_h1", 8, 32, 0, 0, 0, 1178, 0, 0},
    {"zb_h1", 8, 32, 0.1, 0, 0, 1212.5, -2.8, 0.3},
    {"zb_h1", 8, 32, 0.2, 0, 0, 1261.1, -18.7, 0.5},
    {"zb_h1", 8, 32, 0.3, 0, 0, 1319.5, -35.0, 0.7},
    {"zb_h2", 8, 32, 0.1, 0, 0, 1124.6, -0.2, 0.2},
    {"zb_h2", 8, 32, 0.2, 0, 0, 1149.2, -6.8, 0.4},
    {"zb_h2", 8, 32, 0.3, 0, 0, 1183.5, -16.0, 0.6},
    {"zb_h1", 16, 64, 0, 0.02, 0, 2621, -74, 1},
    {"zb_h1", 16, 64, 0.3, 0.02, 0, 2840, -109, 1},
    {"zb_h2", 16, 64, 0.3, 0.02, PULL_UNLIMITED, 2453.7, -60.5, 1.1},
};

// The figures agree within the two half-widths. All of the published rows: PPS_ONLINE_REPLICATES=1504.
Test(online_table, published_differences)
{
    const char *more = getenv("PPS_ONLINE_REPLICATES");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const int replicates = more != NULL ? atoi(more) : row->p == 8 ? 240 : 80;
        struct online_bench *b = bench_of(row->family, row->p, row->m, INFINITY);
        const struct noise noise = {.seed = 42,
                                    .level = row->level,
                                    .outlier_p = row->outliers,
                                    .outlier_k = 21};
        const struct pull_rule rule = {0.5, row->lag, PULL_UNLIMITED};
        const struct paired paired = compare(b, &noise, &rule, replicates);
        if (more != NULL)
            cr_log_warn("%s %d %g %g: %.1f -> %.1f, difference %.2f +- %.2f", row->family,
                        row->p, row->level, row->outliers, paired.first, paired.second,
                        paired.difference, paired.half_width);
        cr_expect_float_eq(paired.difference, row->difference,
                           row->half_width + paired.half_width + 0.05, "row %zu: %g +- %g", i,
                           paired.difference, paired.half_width);
        cr_expect_float_eq(paired.first, row->first, 0.004 * row->first, "row %zu: %g", i,
                           paired.first);
        online_bench_free(b);
    }
}

// Starting a W at once whenever the next operation is late costs 3 % without noise.
Test(online_table, a_threshold_of_zero_loses)
{
    struct online_bench *b = bench_of("zb_h1", 8, 32, INFINITY);
    const struct paired paired =
        compare(b, &(struct noise){.seed = 42}, &(struct pull_rule){0, 0, PULL_UNLIMITED}, 8);
    cr_expect_float_eq(paired.first, 1178, 1e-9);
    cr_expect_float_eq(paired.second / 1178 - 1, 0.03, 0.002, "%g", paired.second);
    online_bench_free(b);
}

// B, then F, then W, whatever can run: returns the candidate.
static int32_t dispatch(const struct online_decision *decision)
{
    static const int rank[ONLINE_WAIT + 1] =
        {[OPERATION_B] = 0, [OPERATION_F] = 1, [OPERATION_W] = 2, [ONLINE_WAIT] = 3};
    int32_t best = 0;
    for (int32_t i = 1; i < decision->n; i++)
        if (rank[decision->candidate[i].type] < rank[decision->candidate[best].type])
            best = i;
    return best;
}

// Plain dispatch with a limit of P forwards is worse than the static order: 1259 without noise.
Test(online_table, plain_dispatch_loses)
{
    struct online_bench *b = bench_of("zb_h1", 8, 32, 8);
    struct online_decision decision;
    online_open(b->online, b->pipeline, b->reference);
    online_start(b->online, NULL, 0);
    while (online_next(b->online, &decision))
        online_act(b->online, dispatch(&decision));
    cr_expect_float_eq(online_makespan(b->online), 1259, 1e-9, "%g",
                       online_makespan(b->online));
    double sum = 0;
    const int n = 96;
    const struct noise noise = {.seed = 42, .level = 0.3, .message_level = 0.3};
    for (int first = 0; first < n; first += EXECUTOR_LANES) {
        noise_draw(&noise, b->pipeline, (uint32_t)first, &b->times);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            online_start(b->online, &b->times, lane);
            while (online_next(b->online, &decision))
                online_act(b->online, dispatch(&decision));
            sum += online_makespan(b->online) / n;
        }
    }
    cr_expect_float_eq(sum, 1370, 10, "%g", sum);
    online_bench_free(b);
}
