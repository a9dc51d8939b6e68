// SPDX-License-Identifier: Apache-2.0
// Tests of the families that search. They would catch results above the published figures, and orders that
// exceed a limit or depend on anything but the seed.
#include "kernels/schedule/search/search_families.h"

#include "kernels/common/executor/executor.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/search/order_search.h"
#include "tests/unit/support/kernels/schedule_golden.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// Builds the order of a family within the limits of the pipeline; returns its makespan or span, which is
// checked. NAN: no room.
static double built(const struct family *family, const struct pipeline *p,
                    const struct family_options *o)
{
    const int32_t operations = order_room(p, false);
    struct order *order = order_new(p->shape.devices, operations);
    struct family_result result = {.value = 0};
    struct room room = {NULL, 0};
    double value = 0;
    cr_assert_null(family->misfit(&p->shape, o));
    (void)family_take(family, &p->shape, o, &room);
    (void)order_search_take(&p->shape, operations, &room);
    char *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    cr_assert(order != NULL && bytes != NULL);
    room = (struct room){bytes, 0};
    void *memory = family_take(family, &p->shape, o, &room);
    struct order_search *search = order_search_take(&p->shape, operations, &room);
    const enum family_status status =
        family_build(family, &(struct family_task){p, o, memory, NULL, order, &result});
    if (status == FAMILY_DONE) {
        if (!order_search_value(search, p, order, o->objective, NULL, &value)) {
            cr_assert_neq(family->kind, FAMILY_SEARCH); // above the limit
            value = (double)NAN;
        }
        if (family->kind != FAMILY_SEARCH) {
            free(bytes);
            order_free(order);
            return value;
        }
        cr_expect_eq(value, result.value);
        cr_expect(result.bound <= value, "bound %.17g above %.17g", result.bound, value);
        cr_expect(!result.proven || value <= result.bound * (1 + 1e-8));
        cr_expect(result.evaluations <= (o->budget > 0 ? o->budget : SEARCH_BUDGET) * 5 / 4);
    }
    free(bytes);
    order_free(order);
    return status == FAMILY_DONE ? value : (double)NAN;
}

static struct pipeline *uniform(int32_t devices, int32_t chunks, int32_t m,
                                struct pipeline_stage stage, double limit)
{
    struct pipeline *p =
        pipeline_new(&(struct pipeline_shape){devices, devices * chunks, m, 1, 1});
    cr_assert_not_null(p);
    pipeline_place(p, chunks == 2 ? PIPELINE_VEE : PIPELINE_LOOP);
    pipeline_set_uniform(p, &stage);
    for (int32_t d = 0; d < devices; d++)
        p->limit[d] = limit;
    return p;
}

static void reaches(const struct schedule_golden *golden)
{
    const struct family_options options = {.seed = 42, .budget = 40000};
    for (int32_t d = 0; d < golden->pipeline->shape.devices; d++)
        golden->pipeline->limit[d] = golden->limit_chunks;
    const double value = built(&family_v_search, golden->pipeline, &options);
    cr_expect_leq(value, golden->makespan, "%s: %g", golden->name, value);
}

Test(search_families, v_search_reaches_the_golden_bound)
{
    cr_expect_eq(schedule_golden_each("v_search", reaches), 1);
}

Test(search_families, published_figures_of_controllable_memory)
{
    // Makespans of V-Half and V-Min at their peaks, unit times (section 5.3: 53, 83; 59, 89), and of ZB-V.
    static const struct {
        int32_t devices, m, limit;
        double makespan;
    } cases[] = {{4, 8, 6, 53}, {6, 12, 8, 84}, {4, 8, 4, 59}, {6, 12, 6, 89}, {4, 8, 8, 51}};
    const struct pipeline_stage unit = {.f = 1, .b = 1, .w = 1, .kept_until_w = 1};
    const struct family_options options = {.seed = 42, .budget = 100000};
    const int n = n_cases(sizeof cases / sizeof *cases);
    for (int k = 0; k < n; k++) {
        struct pipeline *p = uniform(cases[k].devices, 2, cases[k].m, unit, cases[k].limit);
        const double value = built(&family_v_search, p, &options);
        cr_expect_leq(value, cases[k].makespan, "P %d, limit %d: %g", cases[k].devices,
                      cases[k].limit, value);
        pipeline_free(p);
    }
}

Test(search_families, every_limit_is_at_least_as_good_as_dispatch)
{
    // Section 5.5a, and at limit 6 ZB-H1: 1450.
    static const double most[] = {3242, 2308, 1980, 1758, 1450, 1450, 1450, 1450, 1450, 1385};
    const struct pipeline_stage stage = {.f = 24, .b = 28, .w = 18, .kept_until_w = 1};
    const struct family_options options = {.seed = 42};
    double before = (double)INFINITY;
    const int step = n_cases(9) < 9 ? 3 : 1; // fewer under sanitizers
    for (int32_t limit = 2; limit <= 11; limit += step) {
        struct pipeline *p = uniform(6, 1, 18, stage, limit);
        p->links.latency = 1;
        const double value = built(&family_search, p, &options);
        cr_expect_leq(value, most[limit - 2], "limit %d: %g", limit, value);
        cr_expect_leq(value, before, "limit %d: %g, above %g of limit %d", limit, value, before,
                      limit - step);
        before = value;
        pipeline_free(p);
    }
}

// Would catch a search of placement V that does not know the orders of the families there: dispatch and
// patterns alone took 19.6 where zbv takes 17.4.
Test(search_families, v_search_loses_to_no_family_of_its_placement)
{
    static const struct family *const others[] = {&family_zbv, &family_v_half, &family_v_min,
                                                  &family_v_1f1b, &family_vshape_dispatch};
    const struct pipeline_stage stage = {.f = 1.1, .b = 1.7, .kept_until_w = 1};
    for (int32_t devices = 3; devices <= 6; devices++)
        for (int32_t limit = 4; limit <= 2 * devices; limit += 2) {
            struct pipeline *p = uniform(devices, 2, 5, stage, limit);
            const struct family_options options = {.seed = 42, .budget = 100};
            const double value = built(&family_v_search, p, &options);
            for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
                const double other = built(others[k], p, &options);
                cr_expect(isnan(other) || value <= other * (1 + 1e-9),
                          "P %d, limit %d: %g, %s %g", devices, limit, value, others[k]->name,
                          other);
            }
            pipeline_free(p);
        }
}

Test(search_families, small_and_odd_pipelines)
{
    const struct family_options options = {.seed = 1, .budget = 300};
    for (int32_t devices = 1; devices <= 3; devices++)
        for (int32_t m = 1; m <= 3; m++)
            for (int32_t k = 0; k < 8; k++) {
                const struct pipeline_stage stage = {.f = k & 1,
                                                     .b = k & 2,
                                                     .w = k & 4,
                                                     .kept_until_w = 1};
                for (int32_t chunks = 1; chunks <= 2; chunks++) {
                    struct pipeline *p = uniform(devices, chunks, m, stage, chunks);
                    p->links.latency = k == 3 ? 1e12 : 0;
                    const struct family *family =
                        chunks == 2 ? &family_v_search : &family_search;
                    cr_expect_not(isnan(built(family, p, &options)));
                    p->limit[0] = chunks - 0.5;
                    cr_expect(isnan(built(family, p, &options)));
                    pipeline_free(p);
                }
            }
}
