// SPDX-License-Identifier: Apache-2.0
// Tests of the search driver. They would catch a driver that does not end at its budget or bound, or does
// not return its best solution.
#include "kernels/common/search/local_search.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 12 };

// A permutation; the value is the sum of |p(i) - i|.
struct sorting {
    int now[N], before[N], best[N];
    int changes;
};

static double value_of(const struct sorting *s)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += fabs((double)(s->now[i] - i));
    return sum;
}

static double change(void *self, struct search_draws *draws, double most)
{
    (void)most;
    struct sorting *s = self;
    memcpy(s->before, s->now, sizeof s->now);
    s->changes++;
    const uint32_t i = search_below(draws, N), j = search_below(draws, N);
    const int old = s->now[i];
    s->now[i] = s->now[j];
    s->now[j] = old;
    return s->changes % 7 == 0 ? (double)INFINITY : value_of(s);
}

static void undo(void *self)
{
    struct sorting *s = self;
    memcpy(s->now, s->before, sizeof s->now);
}

static void keep(void *self)
{
    struct sorting *s = self;
    memcpy(s->best, s->now, sizeof s->now);
}

static void go_back(void *self)
{
    struct sorting *s = self;
    memcpy(s->now, s->best, sizeof s->now);
}

static struct sorting reversed(void)
{
    struct sorting s = {.changes = 0};
    for (int i = 0; i < N; i++)
        s.now[i] = s.best[i] = N - 1 - i;
    return s;
}

Test(local_search, reaches_the_optimum_and_stops)
{
    struct sorting s = reversed();
    struct search_draws draws = {.seed = 3, .purpose = 1};
    const struct search_problem problem = {&s, change, undo, keep, go_back};
    const struct search_limits limits = {.budget = 100000,
                                         .patience = 25000,
                                         .history = 50,
                                         .bound = 0.5};
    int64_t evaluations = 0;
    const double value = search_local(&problem, value_of(&s), &limits, &draws, &evaluations);
    cr_expect_eq(value, 0);
    cr_expect_eq(value_of(&s), 0);
    cr_expect_lt(evaluations, 100000);
    cr_expect_eq(s.changes, evaluations);
}

Test(local_search, draws_are_in_range_and_keyed)
{
    struct search_draws a = {.seed = 1, .purpose = 2}, b = {.seed = 1, .purpose = 2};
    int counts[5] = {0};
    for (int k = 0; k < 5000; k++) {
        const uint32_t x = search_below(&a, 5);
        cr_assert_lt(x, 5);
        cr_assert_eq(x, search_below(&b, 5));
        counts[x]++;
    }
    for (int k = 0; k < 5; k++)
        cr_expect(counts[k] > 850 && counts[k] < 1150);
    cr_expect(search_fraction(&a) < 1);
}
