// SPDX-License-Identifier: Apache-2.0
// The interface of the contention kernel: the axis of priorities, batches, traces.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contention/table.h"
#include "ppsweep/kernel.h"

#define MEMBERS 3

extern const struct pps_kernel pps_kernel_contention;

static const struct pps_kernel *kernel(void)
{
    return &pps_kernel_contention;
}

// Options of a sweep: a step, and a word or else a list.
static void set_options(struct pps_option_value *option, double step, int word, size_t n,
                        double *rows)
{
    option[0] = (struct pps_option_value){.number = step, .word = -1};
    option[1] = (struct pps_option_value){.word = word, .n_rows = n, .rows = rows};
}

static uint64_t count_of(const struct pps_option_value *option)
{
    struct pps_refusal refusal = {.option = -1};
    uint64_t count = 0;
    cr_assert(kernel()->composite->count(option, &count, &refusal), "%s", refusal.text);
    return count;
}

static uint64_t count_for(double step, int word)
{
    struct pps_option_value option[2];
    set_options(option, step, word, 0, NULL);
    return count_of(option);
}

// Catches a wrong number of weights or scenarios.
Test(contention_kernel, counts)
{
    cr_assert_eq(count_for(0.1, 0), 66 + 11 + 11);
    cr_assert_eq(count_for(0.05, 0), 273);
    cr_assert_eq(count_for(0.02, 0), 1428);
    cr_assert_eq(count_for(1, 0), 3 + 2 + 2);
    // All tiers: 1 scenario shares three kinds, 3 share two, 9 share one, 13 none.
    cr_assert_eq(count_for(0.1, 1), 66 + 3 * 11 + 9 + 13);
    cr_assert_eq(count_for(1e-6, 0), 500001500001u + 2 * 1000001u);
}

// Catches values out of order, and values that are not multiples of the step.
static void check_axis(const struct pps_option_value *option, int64_t steps, bool ordered)
{
    const struct pps_composite *c = kernel()->composite;
    uint64_t count = count_of(option);
    double before[MEMBERS] = {0};
    for (uint64_t k = 0; k < count; k++) {
        double value[MEMBERS], sum = 0;
        c->value(option, k, value);
        bool shares = false, same_scenario = k > 0, ascends = false, decided = false;
        for (int m = 0; m < MEMBERS; m++) {
            if (value[m] >= 0) {
                shares = true;
                sum += value[m];
                cr_assert(value[m] == round(value[m] * (double)steps) / (double)steps);
            }
            same_scenario &= value[m] >= 0 ? before[m] >= 0 : value[m] == before[m];
            if (!decided && value[m] != before[m]) {
                ascends = value[m] > before[m];
                decided = true;
            }
        }
        cr_assert(!shares || fabs(sum - 1) < 1e-12);
        cr_assert(!ordered || !same_scenario || ascends, "index %llu", (unsigned long long)k);
        memcpy(before, value, sizeof before);
    }
}

Test(contention_kernel, values_ascend)
{
    static const double step[] = {1, 0.5, 0.333333333333333, 0.1, 0.05, 0.02, 0.01};
    static const int64_t steps[] = {1, 2, 3, 10, 20, 50, 100};
    struct pps_option_value option[2];
    for (int k = 0; k < 7; k++)
        for (int word = 0; word < 2; word++) {
            set_options(option, step[k], word, 0, NULL);
            check_axis(option, steps[k], true);
        }
}

// Catches rounding in the arithmetic that takes an index apart where the grid is huge.
Test(contention_kernel, huge_grids)
{
    const struct pps_composite *c = kernel()->composite;
    struct pps_option_value option[2];
    set_options(option, 1e-7, 0, 0, NULL);
    const uint64_t steps = 10000000, shared_by_three = (steps + 1) * (steps + 2) / 2;
    for (uint64_t k = 0; k < shared_by_three; k += shared_by_three / 100003) {
        double value[MEMBERS];
        c->value(option, k, value);
        const uint64_t first = (uint64_t)round(value[0] * steps);
        const uint64_t second = (uint64_t)round(value[1] * steps);
        cr_assert_eq(first * (steps + 1) - first * (first - (first > 0)) / 2 + second, k);
        cr_assert_eq(round(value[2] * steps), steps - first - second);
    }
}

static void check_value(const struct pps_option_value *option, uint64_t index, double a,
                        double b, double c)
{
    double value[MEMBERS];
    kernel()->composite->value(option, index, value);
    cr_assert(value[0] == a && value[1] == b && value[2] == c, "index %llu: %g %g %g",
              (unsigned long long)index, value[0], value[1], value[2]);
}

// Catches another order of rows than promised.
Test(contention_kernel, order)
{
    struct pps_option_value option[2];
    set_options(option, 0.1, 0, 0, NULL);
    check_value(option, 0, 0, 0, 1);
    check_value(option, 1, 0, 0.1, 0.9);
    check_value(option, 3, 0, 0.3, 0.7);
    check_value(option, 11, 0.1, 0, 0.9);
    check_value(option, 65, 1, 0, 0);
    check_value(option, 66, -1, 0, 1);
    check_value(option, 76, -1, 1, 0);
    check_value(option, 77, 0, -1, 1);
    check_value(option, 87, 1, -1, 0);
}

// A tier as a digit: none < a < b < c.
static int digit(double priority)
{
    return priority < 0 ? (int)-priority : 0;
}

// Catches a missing, doubled or misplaced scenario of `all`, or one with a gap in its letters.
Test(contention_kernel, all_tiers_are_the_canonical_ones)
{
    struct pps_option_value option[2];
    set_options(option, 1, 1, 0, NULL);
    uint64_t count = count_of(option), index = 0;
    int scenarios = 0;
    for (int code = 0; code < 64; code++) {
        int digits[MEMBERS] = {code / 16, code / 4 % 4, code % 4}, used = 0, shared = 0;
        for (int m = 0; m < MEMBERS; m++) {
            used |= 1 << digits[m];
            shared += digits[m] == 0;
        }
        int letters = used >> 1;
        if ((letters & (letters + 1)) != 0)
            continue; // a gap
        scenarios++;
        for (int k = 0; k < (shared == 0 ? 1 : shared); k++, index++) {
            double value[MEMBERS];
            cr_assert_lt(index, count);
            kernel()->composite->value(option, index, value);
            for (int m = 0; m < MEMBERS; m++)
                cr_assert_eq(digit(value[m]), digits[m], "scenario %d", scenarios);
        }
    }
    cr_assert_eq(scenarios, 26);
    cr_assert_eq(index, count);
}

// Catches a list that is reordered or read row for column.
Test(contention_kernel, listed_tiers)
{
    double rows[] = {-1, NAN, -2, NAN, NAN, NAN, -2, -1, -1};
    struct pps_option_value option[2];
    set_options(option, 0.5, -1, 3, rows);
    cr_assert_eq(count_of(option), 1 + 6 + 1);
    check_value(option, 0, -1, 1, -2);
    check_value(option, 1, 0, 0, 1);
    check_value(option, 7, -2, -1, -1);
    check_axis(option, 2, false);
}

static void check_refusal(double step, int word, size_t n_rows, int at, const char *text)
{
    struct pps_option_value option[2];
    struct pps_refusal refusal = {.option = -1};
    uint64_t count;
    set_options(option, step, word, n_rows, NULL);
    cr_assert_not(kernel()->composite->count(option, &count, &refusal), "step %g", step);
    cr_assert_eq(refusal.option, at);
    cr_assert_str_eq(refusal.text, text);
}

// Catches steps taken that leave a remainder, and messages that advise what is refused again.
Test(contention_kernel, refusals)
{
    check_refusal(0.3, 0, 0, 0, "0.3 does not divide 1: use 0.25 or 0.333333333333333");
    check_refusal(0.03, 0, 0, 0,
                  "0.03 does not divide 1: use 0.0294117647058824 or "
                  "0.0303030303030303");
    check_refusal(0.7, 0, 0, 0, "0.7 does not divide 1: use 0.5 or 1");
    check_refusal(1.5, 0, 0, 0, "1.5 does not divide 1: use 1");
    check_refusal(1e-9, 0, 0, 0,
                  "1e-09 makes more than 2^53 combinations: use a larger step, such as 0.001");
    check_refusal(0.1, -1, 0, 1, "no scenario in the list: use [{}] for one without tiers");
    cr_assert_gt(count_for(0.0294117647058824, 0), 0);
    cr_assert_gt(count_for(0.0303030303030303, 0), 0);
}

// ---- batches --------------------------------------------------------------------------------

#define PARAMS  32
#define COLUMNS 32
#define POINTS  5

struct batch {
    double param[PARAMS][POINTS], column[COLUMNS][POINTS];
    const double *params[PARAMS];
    double *columns[COLUMNS];
    uint8_t outcome[POINTS];
    void *scratch;
};

static int param_of(const char *name)
{
    int p = 0;
    while (strcmp(kernel()->params[p].name, name) != 0)
        p++;
    return p;
}

// Every point the default but for n, and one in gpipe.
static void run_batch(struct batch *b, int n_columns)
{
    const struct pps_kernel *k = kernel();
    double highest[PARAMS];
    for (int p = 0; p < k->n_params; p++) {
        for (int i = 0; i < POINTS; i++)
            b->param[p][i] = k->params[p].fallback;
        b->params[p] = b->param[p];
        highest[p] = k->params[p].fallback;
    }
    for (int i = 0; i < POINTS; i++)
        b->param[param_of("n")][i] = 2 + 3 * i;
    b->param[param_of("pipeline")][3] = 1;
    highest[param_of("n")] = 2 + 3 * (POINTS - 1);
    highest[param_of("pipeline")] = 1;
    for (int c = 0; c < k->n_columns; c++)
        b->columns[c] = c < n_columns ? b->column[c] : NULL;
    size_t bytes = (k->scratch_bytes(highest, NULL) + 63) / 64 * 64;
    b->scratch = aligned_alloc(64, bytes);
    memset(b->scratch, 0, bytes);
    k->run(&(struct pps_batch){.n_points = POINTS,
                               .param = b->params,
                               .column = b->columns,
                               .outcome = b->outcome},
           &(struct pps_worker){.scratch = b->scratch});
}

// Catches parameters in a different order than in the table, and rows that depend on metrics.
Test(contention_kernel, rows)
{
    static struct batch some, all;
    const struct pps_kernel *k = kernel();
    run_batch(&some, 1);
    run_batch(&all, k->n_columns);
    for (int i = 0; i < POINTS; i++) {
        struct contention_point p = {.n = 2 + 3 * i,
                                     .gpus = 4,
                                     .sync_freq = 1,
                                     .fwd_len = 1,
                                     .bwd_len = 2,
                                     .prop_len = 1,
                                     .sync_base_len = 2,
                                     .fwd_impact = 0.2,
                                     .bwd_impact = 0.2,
                                     .pipeline = i == 3 ? CONTENTION_GPIPE : CONTENTION_1F1B,
                                     .congestion = true};
        struct contention_result r;
        contention_simulate(&p, true, true, all.scratch, NULL, &r);
        cr_assert(all.outcome[i] == PPS_DONE && some.outcome[i] == PPS_DONE);
        cr_assert(some.column[0][i] == all.column[0][i]);
        cr_assert_float_eq(some.column[0][i], r.total_time, 1e-12 * r.total_time);
        cr_assert_float_eq(all.column[1][i], r.bubble_ratio, 1e-12);
        cr_assert_float_eq(all.column[CRITICAL_BUBBLE][i], r.critical.bubble, 1e-9);
        cr_assert_float_eq(all.column[IDEAL_TIME][i], r.ideal_time, 1e-12 * r.ideal_time);
        cr_assert(all.column[TIME_PER_MICRO_BATCH][i] == all.column[0][i] / (2 + 3 * i));
        cr_assert(some.column[1][i] == 0, "a column that nobody asked for");
    }
    free(some.scratch);
    free(all.scratch);
}

struct lanes {
    int seen[8][4]; // [kind][track]
    double end;
    int labels;
};

static void watch(void *self, const struct pps_piece *piece)
{
    struct lanes *l = self;
    l->seen[piece->kind][piece->track]++;
    l->end = fmax(l->end, piece->end);
    l->labels += piece->item == piece->ordinal;
}

// Catches pieces in the wrong lane.
Test(contention_kernel, trace_lanes)
{
    static const int track[] = {0, 0, 1, 2, 2};
    static struct batch b;
    const struct pps_kernel *k = kernel();
    run_batch(&b, 1);
    double point[PARAMS];
    for (int p = 0; p < k->n_params; p++)
        point[p] = b.param[p][0];
    struct lanes lanes = {.end = 0};
    const struct pps_trace_sink sink = {.self = &lanes, .piece = watch};
    const struct pps_worker worker = {.scratch = b.scratch};
    cr_assert_eq(k->trace(point, &worker, &sink), PPS_DONE);
    cr_assert(fabs(lanes.end - b.column[0][0]) < 1e-12);
    for (int kind = 0; kind < 5; kind++)
        for (int t = 0; t < 3; t++)
            cr_assert_eq(lanes.seen[kind][t] > 0, t == track[kind], "kind %d track %d", kind,
                         t);
    free(b.scratch);
}

// Catches a table that the engine cannot use, and valid points that are skipped.
Test(contention_kernel, table)
{
    const struct pps_kernel *k = kernel();
    double point[PARAMS];
    for (int p = 0; p < k->n_params; p++) {
        const struct pps_param *param = &k->params[p];
        cr_assert(param->fallback >= param->min && param->fallback <= param->max, "%s",
                  param->name);
        point[p] = param->fallback;
    }
    cr_assert_eq(k->check(point, NULL), 0);
    cr_assert_gt(k->cost(point, NULL), 0);
    point[param_of("sync_freq")] = 9;
    cr_assert_str_eq(k->reasons[k->check(point, NULL)], "sync_freq > n");
    point[param_of("n")] = 9;
    cr_assert_eq(k->check(point, NULL), 0);
}
