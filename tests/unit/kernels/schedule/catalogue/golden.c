// SPDX-License-Identifier: Apache-2.0
// Tests the families that follow a closed rule against golden orders and times.
#include "kernels/schedule/catalogue/catalogue.h"

#include "tests/unit/support/kernels/schedule_golden.h"
#include "tests/unit/support/kernels/schedule_run.h"

#include <criterion/criterion.h>
#include <math.h>

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-8 * fmax(1, fabs(b));
}

static void check(const struct schedule_golden *g)
{
    const struct family *family = family_named(g->family);
    const struct family_options options = {.group = g->group};
    cr_assert_not_null(family, "%s", g->family);
    struct schedule_run run = schedule_run_of(family, g->pipeline, &options);
    schedule_golden_same_order(g, run.order);
    cr_assert(same(run.metrics.makespan, g->makespan), "%s: makespan", g->name);
    cr_assert(same(run.metrics.span, g->span), "%s: span", g->name);
    cr_assert(same(run.metrics.bubble_ratio, g->bubble_ratio), "%s: bubble", g->name);
    cr_assert(same(run.metrics.bubble_ratio_span, g->bubble_ratio_span), "%s: bubble", g->name);
    for (int32_t d = 0; d < g->pipeline->shape.devices; d++) {
        cr_assert(same(run.busy[d], g->busy[d]), "%s: busy time of device %d", g->name, d);
        cr_assert(same(run.peak[d], g->peak[d]), "%s: peak of device %d", g->name, d);
    }
    schedule_run_free(&run);
}

// Catches an order that differs in any operation, a formula of a metric that differs.
Test(rule_families, golden)
{
    static const struct {
        const char *family;
        int n;
    } cases[] = {{"gpipe", 1},
                 {"one_f_one_b", 2},
                 {"eager_1f1b", 1},
                 {"interleaved", 2},
                 {"interleaved_group", 1},
                 {"bfs_loop", 1},
                 {"zb_h1", 1},
                 {"zb_h2", 1},
                 {"dualpipe", 2},
                 {"dualpipev", 1},
                 {"chimera", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(schedule_golden_each(cases[i].family, check), cases[i].n, "%s",
                     cases[i].family);
}
