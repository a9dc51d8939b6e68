// SPDX-License-Identifier: Apache-2.0
// Tests the automatic schedulers on random pipelines: every order can run and stays within the limits, our
// own order is never worse than the published one, and a schedule is found whenever one exists.
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/automatic/automatic.h"

#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const struct family *const all[] = {
    &family_zb_auto, &family_list_dispatch,   &family_zbv, &family_v_half, &family_v_min,
    &family_v_1f1b,  &family_vshape_dispatch,
};
enum { FAMILIES = sizeof all / sizeof *all };

struct built {
    enum family_status status;
    struct metrics metrics;
};

static struct built build(const struct family *family, const struct pipeline *p,
                          const struct family_options *options, struct poll *poll)
{
    struct built built = {.status = FAMILY_FAILED};
    struct order *order = order_new(p->shape.devices, order_room(p, false));
    struct room room = {NULL, 0};
    struct metrics_excess excess;
    (void)family_take(family, &p->shape, options, &room);
    (void)executor_take(&p->shape, order->room, &room);
    char *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){bytes, 0};
    void *memory = family_take(family, &p->shape, options, &room);
    struct executor *executor = executor_take(&p->shape, order->room, &room);
    built.status =
        family_build(family, &(struct family_task){p, options, memory, poll, order, NULL});
    if (built.status == FAMILY_DONE) {
        cr_assert_eq(executor_run(executor, p, order, NULL, NULL), EXECUTOR_DONE, "%s",
                     family->name);
        cr_assert(!metrics_over_limit(p, order, &excess), "%s: %g > %g", family->name,
                  excess.value, excess.limit);
        metrics_of(p, order, executor_starts(executor), executor_ends(executor), &built.metrics,
                   NULL, NULL);
    }
    free(bytes);
    order_free(order);
    return built;
}

// Returns 0 at times, otherwise up to `most`.
static double some(struct random *r, double most)
{
    return random_below(r, 8) == 0 ? 0 : most * random_unit(r);
}

static struct pipeline *random_pipeline(struct random *r, const struct family *family)
{
    const int32_t devices = (int32_t)random_below(r, 8) + 1,
                  m = (int32_t)random_below(r, 24) + 1;
    struct pipeline *p =
        pipeline_new(&(struct pipeline_shape){devices, devices * family->chunks(2), m, 1, 1});
    cr_assert_not_null(p);
    pipeline_place(p, family->placement);
    const struct pipeline_stage stage = {.f = some(r, 20),
                                         .b = some(r, 20),
                                         .w = some(r, 20),
                                         .kept_until_b = some(r, 2),
                                         .kept_until_w = 1};
    pipeline_set_uniform(p, &stage);
    const bool equal = random_coin(r);
    for (int32_t s = 0; s < p->shape.stages && !equal; s++) {
        p->stage[s].f *= 2 * random_unit(r);
        p->stage[s].b *= 2 * random_unit(r);
        p->stage[s].w *= 2 * random_unit(r);
        p->stage[s].kept_until_w *= 0.5 + random_unit(r);
    }
    p->links.latency = random_below(r, 6) == 0 ? 1000 : some(r, 10);
    p->links.channels = (enum pipeline_channels)random_below(r, 3);
    p->links.occupation = some(r, 3);
    return p;
}

// Limits the memory to what the device needs at least, and up to `beyond` micro-batches more.
static void limit(struct pipeline *p, double beyond)
{
    for (int32_t d = 0; d < p->shape.devices; d++) {
        double needed = 0;
        for (int32_t s = 0; s < p->shape.stages; s++)
            if (p->device_of[s] == d)
                needed += p->stage[s].kept_until_b + p->stage[s].kept_until_w;
        p->fixed[d] = 3;
        p->limit[d] = 3 + needed * (1 + beyond);
    }
}

static bool is_more(double a, double b)
{
    return a > b * (1 + 1e-9);
}

static void compare(const struct family *family, const struct pipeline *p)
{
    for (int k = 0; k < 2; k++) {
        const struct family_options published = {.published = true},
                                    own = {.objective = k == 0 ? FAMILY_MAKESPAN : FAMILY_SPAN};
        const struct built a = build(family, p, &published, NULL),
                           b = build(family, p, &own, NULL);
        cr_assert_neq(b.status, FAMILY_FAILED);
        if (a.status != FAMILY_DONE)
            continue;
        cr_assert_eq(b.status, FAMILY_DONE, "%s", family->name);
        cr_assert(!is_more(b.metrics.makespan, a.metrics.makespan), "%s", family->name);
        cr_assert(!is_more(b.metrics.span, a.metrics.span), "%s", family->name);
    }
}

// Would catch an order that is worse than the published one, for example because the estimate of the
// scheduler ignores that messages share a channel.
Test(automatic, never_worse_than_published)
{
    struct random r = {18};
    for (int i = 0; i < FAMILIES * n_cases(200); i++) {
        const struct family *family = all[i % FAMILIES];
        struct pipeline *p = random_pipeline(&r, family);
        if (random_coin(&r))
            limit(p, (double)random_below(&r, 2 * p->shape.devices));
        compare(family, p);
        pipeline_free(p);
    }
}

// These families have an order whenever each device can hold one micro-batch, and none otherwise.
Test(automatic, find_an_order_within_any_possible_limit)
{
    static const struct family *const able[] = {&family_zb_auto, &family_list_dispatch,
                                                &family_zbv, &family_vshape_dispatch};
    const struct family_options own = {.objective = FAMILY_MAKESPAN};
    struct random r = {19};
    for (int i = 0; i < 4 * n_cases(100); i++) {
        const struct family *family = able[i % 4];
        struct pipeline *p = random_pipeline(&r, family);
        limit(p, random_coin(&r) ? 0 : random_unit(&r));
        cr_assert_eq(build(family, p, &own, NULL).status, FAMILY_DONE, "%s", family->name);
        limit(p, -0.01);
        cr_assert_eq(build(family, p, &own, NULL).status, FAMILY_NO_ROOM, "%s", family->name);
        pipeline_free(p);
    }
}

static bool over(void *self)
{
    (void)self;
    return true;
}

Test(automatic, stop_when_asked)
{
    for (int i = 0; i < FAMILIES; i++)
        for (int published = 0; published < 2; published++) {
            struct pipeline *p =
                pipeline_new(&(struct pipeline_shape){16, 16 * all[i]->chunks(2), 200, 1, 1});
            const struct pipeline_stage stage = {.f = 1, .b = 1, .w = 1, .kept_until_w = 1};
            const struct family_options options = {.published = published};
            struct poll poll = {.over = over};
            pipeline_place(p, all[i]->placement);
            pipeline_set_uniform(p, &stage);
            cr_assert_eq(build(all[i], p, &options, &poll).status, FAMILY_STOPPED, "%s",
                         all[i]->name);
            pipeline_free(p);
        }
}

Test(automatic, refuse_other_shapes)
{
    for (int i = 0; i < FAMILIES; i++) {
        const int32_t chunks = all[i]->chunks(5);
        const struct family_options options = {.published = false};
        cr_assert_null(
            all[i]->misfit(&(struct pipeline_shape){4, 4 * chunks, 1, 1, 1}, &options));
        cr_assert_not_null(all[i]->misfit(&(struct pipeline_shape){4, 12, 8, 1, 1}, &options));
        cr_assert_not_null(
            all[i]->misfit(&(struct pipeline_shape){4, 4 * chunks, 8, 2, 1}, &options));
        cr_assert_not_null(
            all[i]->misfit(&(struct pipeline_shape){4, 4 * chunks, 8, 1, 2}, &options));
    }
}
