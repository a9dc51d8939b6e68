// SPDX-License-Identifier: Apache-2.0
// Tests the automatic zero-bubble scheduler on the profiles of its authors (Qi et al., ICLR 2024, tables 4
// and 5): the rates of bubbles, with respect to the span.
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/automatic/automatic.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct profile {
    int32_t devices, m;
    double f, b, w, latency;
    double hidden, heads;
    double rate_1p, rate_1_5p, rate_2p; // at limits of P, 1.5 P and 2 P forwards
};

static const struct profile profiles[] = {
    {8, 24, 18.522, 18.086, 9.337, 0.601, 2304, 24, 0.1585, 0.0719, 0.0433},
    {8, 24, 29.718, 29.444, 19.927, 0.527, 4096, 32, 0.1323, 0.0475, 0.0029},
    {16, 48, 11.347, 11.248, 8.132, 0.377, 5120, 40, 0.1397, 0.0571, 0.0066},
    {32, 96, 10.419, 10.207, 7.715, 0.408, 6144, 48, 0.1421, 0.0604, 0.0038},
};

static struct pipeline *pipeline_of(const struct profile *at, double forwards)
{
    const double kept = 34 * at->hidden + 5 * at->heads * 1024, kept_until_w = 32 * at->hidden;
    const struct pipeline_stage stage = {.f = at->f,
                                         .b = at->b,
                                         .w = at->w,
                                         .kept_until_b = kept - kept_until_w,
                                         .kept_until_w = kept_until_w};
    struct pipeline *p =
        pipeline_new(&(struct pipeline_shape){at->devices, at->devices, at->m, 1, 1});
    cr_assert_not_null(p);
    pipeline_place(p, PIPELINE_LOOP);
    pipeline_set_uniform(p, &stage);
    p->links.latency = at->latency;
    for (int32_t d = 0; d < at->devices; d++)
        p->limit[d] = forwards * kept;
    return p;
}

static struct metrics measure(const struct pipeline *p, const struct family_options *options)
{
    struct order *order = order_new(p->shape.devices, order_room(p, false));
    struct room room = {NULL, 0};
    (void)family_take(&family_zb_auto, &p->shape, options, &room);
    (void)executor_take(&p->shape, order->room, &room);
    char *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){bytes, 0};
    void *memory = family_take(&family_zb_auto, &p->shape, options, &room);
    struct executor *executor = executor_take(&p->shape, order->room, &room);
    struct metrics metrics;
    struct metrics_excess excess;
    cr_assert_eq(family_build(&family_zb_auto,
                              &(struct family_task){p, options, memory, NULL, order, NULL}),
                 FAMILY_DONE);
    cr_assert_eq(executor_run(executor, p, order, NULL, NULL), EXECUTOR_DONE);
    cr_assert(!metrics_over_limit(p, order, &excess));
    metrics_of(p, order, executor_starts(executor), executor_ends(executor), &metrics, NULL,
               NULL);
    free(bytes);
    order_free(order);
    return metrics;
}

static void check(const struct profile *at, double forwards, double rate)
{
    static const struct family_options published = {.published = true},
                                       own = {.objective = FAMILY_SPAN};
    struct pipeline *p = pipeline_of(at, forwards * at->devices);
    const double found = measure(p, &published).bubble_ratio_span;
    cr_expect(fabs(found - rate) <= 0.00005, "P %d, limit %g P: %.6f, expected %.4f",
              at->devices, forwards, found, rate);
    cr_expect_leq(measure(p, &own).bubble_ratio_span, found + 1e-12);
    pipeline_free(p);
}

Test(automatic, zero_bubble_rates_of_published_profiles)
{
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        check(&profiles[i], 1, profiles[i].rate_1p);
        check(&profiles[i], 1.5, profiles[i].rate_1_5p);
        check(&profiles[i], 2, profiles[i].rate_2p);
    }
}

// A limit below P: the published rule forces a forward before each backward on every stage. Our own order
// is at least as good as dispatch.
Test(automatic, zero_bubble_below_p_forwards)
{
    static const struct {
        double limit, published, dispatch;
    } cases[] = {{3, 3978, 2308}, {4, 3060, 1980}};
    static const struct family_options published = {.published = true},
                                       own = {.published = false};
    const struct pipeline_stage stage = {.f = 24, .b = 28, .w = 18, .kept_until_w = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pipeline *p = pipeline_new(&(struct pipeline_shape){6, 6, 18, 1, 1});
        cr_assert_not_null(p);
        pipeline_place(p, PIPELINE_LOOP);
        pipeline_set_uniform(p, &stage);
        p->links.latency = 1;
        for (int32_t d = 0; d < 6; d++)
            p->limit[d] = cases[i].limit;
        cr_expect_eq(measure(p, &published).makespan, cases[i].published);
        cr_expect_leq(measure(p, &own).makespan, cases[i].dispatch);
        pipeline_free(p);
    }
}
