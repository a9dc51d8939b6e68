// SPDX-License-Identifier: Apache-2.0
// Tests the exact search against all orders, golden cases and known optima.
#include "kernels/common/executor/executor.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/exact/exact.h"

#include "tests/unit/kernels/schedule/exact/brute_force.h"
#include "tests/unit/support/kernels/schedule_golden.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct found {
    enum family_status status;
    struct family_result result;
    double makespan, span; // of the order, as the executor says
};

static struct found solve_by(const struct family *family, const struct pipeline *p,
                             enum family_objective objective, int64_t budget, struct poll *poll)
{
    const struct family_options options = {.objective = objective, .budget = budget};
    const int32_t room_of_order = order_room(p, false);
    struct room room = {NULL, 0};
    (void)family_take(family, &p->shape, &options, &room);
    (void)executor_take(&p->shape, room_of_order, &room);
    room = (struct room){aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
    void *memory = family_take(family, &p->shape, &options, &room);
    struct executor *executor = executor_take(&p->shape, room_of_order, &room);
    struct order *order = order_new(p->shape.devices, room_of_order);
    struct found found = {.status = FAMILY_DONE};
    cr_assert_null(family->misfit(&p->shape, &options));
    found.status = family_build(
        family, &(struct family_task){p, &options, memory, poll, order, &found.result});
    if (found.status == FAMILY_DONE) {
        struct metrics_excess excess;
        cr_assert_eq(executor_run(executor, p, order, NULL, NULL), EXECUTOR_DONE);
        cr_assert_not(metrics_over_limit(p, order, &excess));
        found.makespan = executor_makespan(executor);
        found.span = executor_span(executor);
        cr_assert_eq(found.result.value,
                     objective == FAMILY_SPAN ? found.span : found.makespan);
        cr_assert_leq(found.result.bound, found.result.value);
    }
    order_free(order);
    free(room.memory);
    return found;
}

static struct found solve(const struct pipeline *p, enum family_objective objective,
                          int64_t budget, struct poll *poll)
{
    return solve_by(&family_zb_ilp, p, objective, budget, poll);
}

static struct pipeline *pipeline(int32_t P, int32_t M)
{
    struct pipeline *p = pipeline_new(&(struct pipeline_shape){P, P, M, 1, 1});
    pipeline_place(p, PIPELINE_LOOP);
    return p;
}

static struct pipeline *uniform(int32_t P, int32_t M, const double time[3], double latency,
                                double limit)
{
    struct pipeline *p = pipeline(P, M);
    const struct pipeline_stage stage = {.f = time[0],
                                         .b = time[1],
                                         .w = time[2],
                                         .kept_until_w = 1};
    pipeline_set_uniform(p, &stage);
    p->links.latency = latency;
    for (int32_t d = 0; d < P; d++)
        p->limit[d] = limit;
    return p;
}

// Times of a kind: whole numbers from 0, or real ones.
static double random_time(struct random *r, bool whole)
{
    return whole ? (double)random_below(r, 6) : 0.2 + random_unit(r);
}

// Stages on random devices. All W's of a device are equal.
static struct pipeline *random_stages(struct random *r, int32_t P, int32_t S, int32_t M)
{
    struct pipeline *p = pipeline_new(&(struct pipeline_shape){P, S, M, 1, 1});
    const bool whole = random_coin(r), limited = random_below(r, 4) > 0;
    double w[20], kept[20], one[20] = {0};
    for (int32_t d = 0; d < P; d++) {
        w[d] = random_time(r, whole);
        kept[d] = (double)random_below(r, 4);
        p->fixed[d] = (double)random_below(r, 3);
    }
    for (int32_t s = 0; s < S; s++) {
        const int32_t d = s < P ? s : S == 2 * P ? S - 1 - s : (int32_t)random_below(r, P);
        p->device_of[s] = d;
        struct pipeline_stage *stage = &p->stage[s];
        stage->f = random_time(r, whole);
        stage->b = random_time(r, whole);
        stage->w = w[d];
        stage->kept_until_b = (double)random_below(r, 4);
        stage->kept_until_w = kept[d];
        one[d] += stage->kept_until_b + stage->kept_until_w;
    }
    for (int32_t d = 0; limited && d < P; d++)
        p->limit[d] = p->fixed[d] + one[d] + (double)random_below(r, 8);
    p->links.latency = random_coin(r) ? 0 : random_time(r, whole);
    return p;
}

static struct pipeline *random_pipeline(struct random *r, int32_t P, int32_t M)
{
    return random_stages(r, P, P, M);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void assert_optimum(const struct pipeline *p, enum family_objective objective,
                           double optimum, const char *name)
{
    const struct found found = solve(p, objective, 20000, NULL);
    cr_assert_eq(found.status, FAMILY_DONE, "%s", name);
    cr_assert(found.result.proven, "%s", name);
    cr_assert_float_eq(found.result.value, optimum, 1e-9 * (1 + optimum),
                       "%s: %.17g, not %.17g", name, found.result.value, optimum);
}

// Catches every wrong bound, dominance or branching: random times, zero times, latencies, unequal stages
// and memory limits.
Test(zb_ilp, equals_the_best_of_all_orders)
{
    static const int32_t shapes[][3] = {
        {1, 1, 5},  {1, 5, 10}, {2, 1, 10}, {2, 2, 300}, {2, 3, 300}, {3, 1, 20}, {3, 2, 600},
        {4, 1, 20}, {5, 1, 20}, {6, 1, 20}, {4, 2, 300}, {5, 2, 60},  {3, 3, 4},  {2, 4, 4}};
    struct random r = {1};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int32_t k = 0; k < n_cases(shapes[i][2]); k++) {
            struct pipeline *p = random_pipeline(&r, shapes[i][0], shapes[i][1]);
            const struct brute_optimum best = exhaustive_optimum(p);
            char name[64];
            snprintf(name, sizeof name, "P=%d M=%d case %d", shapes[i][0], shapes[i][1], k);
            assert_optimum(p, FAMILY_MAKESPAN, best.makespan, name);
            assert_optimum(p, FAMILY_SPAN, best.span, name);
            pipeline_free(p);
        }
    }
}

// Solves a pipeline of any placement.
static struct exact_result solve_placed(const struct pipeline *p,
                                        enum family_objective objective)
{
    struct room room = {NULL, 0};
    (void)exact_take(&p->shape, 1 << 20, 0, &room);
    room = (struct room){aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
    struct exact_search *search = exact_take(&p->shape, 1 << 20, 0, &room);
    struct order *order =
        order_new(p->shape.devices, 3 * p->shape.stages * p->shape.micro_batches);
    struct exact_result result = {.value = (double)INFINITY};
    const enum family_status status =
        exact_solve(search, p, objective, (double)INFINITY, 0, NULL, order, &result);
    if (status == FAMILY_NO_ROOM)
        result.proven = true;
    order_free(order);
    free(room.memory);
    return result;
}

// Several stages on a device, in every placement: also catches a forward that takes the memory which a
// later stage of the device needs.
Test(zb_ilp, equals_the_best_of_all_orders_of_chunks)
{
    static const int32_t shapes[][4] = {{1, 2, 1, 5},  {1, 2, 2, 40}, {2, 3, 1, 40},
                                        {2, 4, 1, 60}, {2, 3, 2, 30}, {3, 4, 1, 60},
                                        {1, 3, 1, 10}};
    struct random r = {6};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int32_t k = 0; k < n_cases(shapes[i][3]); k++) {
            const int32_t P = shapes[i][0], S = shapes[i][1], M = shapes[i][2];
            struct pipeline *p = random_stages(&r, P, S, M);
            const struct brute_optimum best = exhaustive_optimum(p);
            const struct exact_result makespan = solve_placed(p, FAMILY_MAKESPAN);
            const struct exact_result span = solve_placed(p, FAMILY_SPAN);
            cr_assert(makespan.proven && span.proven);
            cr_assert(
                near(makespan.value, best.makespan) && near(span.value, best.span),
                "P=%d S=%d M=%d case %d: makespan %.17g, not %.17g; span %.17g, not %.17g", P,
                S, M, k, makespan.value, best.makespan, span.value, best.span);
            pipeline_free(p);
        }
    }
}

static void check_golden(const struct schedule_golden *g)
{
    assert_optimum(g->pipeline, FAMILY_SPAN, g->objective_span, g->name);
}

Test(zb_ilp, golden_optima)
{
    cr_assert_geq(schedule_golden_each("zb_ilp", check_golden), 2);
}

// Optima with a proof: equal times, limit P; the example of the model; limits from below P to above for
// P = 6, M = 18, where dispatch needs 3242, 2308, 1980, 1758, 1544.
Test(zb_ilp, known_optima)
{
    static const struct {
        int32_t P, M;
        double time[3], latency, limit, span;
    } known[] = {
        {4, 8, {1, 1, 1}, 0, 4, 27},       {5, 10, {1, 1, 1}, 0, 5, 34},
        {4, 32, {1, 1, 1}, 0, 4, 99},      {3, 4, {12, 13, 7}, 1, 3, 172},
        {2, 3, {10, 11, 7}, 1, 2, 102},    {6, 18, {24, 28, 18}, 1, 2, 3242},
        {6, 18, {24, 28, 18}, 1, 6, 1450},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct pipeline *p =
            uniform(known[i].P, known[i].M, known[i].time, known[i].latency, known[i].limit);
        assert_optimum(p, FAMILY_SPAN, known[i].span, "known");
        pipeline_free(p);
    }
}

// Equal times in placement V: the optimum is that of V-Half at its peak, and of V-Min; between them, and
// below V-Min, it is far better than dispatch.
Test(zb_ilp, known_optima_of_placement_v)
{
    static const double known[][2] = {{2, 101}, {3, 86}, {4, 59}, {5, 56}, {6, 53}, {8, 51}};
    const int n = 2 + n_cases(sizeof known / sizeof *known - 2);
    for (int i = 0; i < n; i++) {
        struct pipeline *p = pipeline_new(&(struct pipeline_shape){4, 8, 8, 1, 1});
        const struct pipeline_stage stage = {.f = 1, .b = 1, .w = 1, .kept_until_w = 1};
        pipeline_place(p, PIPELINE_VEE);
        pipeline_set_uniform(p, &stage);
        for (int32_t d = 0; d < 4; d++)
            p->limit[d] = known[i][0];
        const struct found found = solve_by(&family_v_ilp, p, FAMILY_MAKESPAN, 300000, NULL);
        cr_assert_eq(found.status, FAMILY_DONE);
        cr_assert(found.result.proven, "limit %g", known[i][0]);
        cr_assert_eq(found.result.value, known[i][1], "limit %g: %g", known[i][0],
                     found.result.value);
        pipeline_free(p);
    }
}

// The W's of the two stages of a device differ: an order within the limits, without a bound.
Test(zb_ilp, unequal_chunks_have_no_bound)
{
    struct random r = {7};
    for (int k = 0; k < 40; k++) {
        struct pipeline *p = random_stages(&r, 3, 6, 4);
        pipeline_place(p, PIPELINE_VEE);
        for (int32_t s = 0; s < 6; s++) {
            p->stage[s].w += s;
            p->stage[s].kept_until_w += s % 2;
            p->limit[s % 3] = 12;
        }
        const struct found found = solve_by(&family_v_ilp, p, FAMILY_SPAN, 1000, NULL);
        if (found.status == FAMILY_DONE)
            cr_assert_not(found.result.proven);
        pipeline_free(p);
    }
}

// With three times P M at most 60, the default budget is enough for a proof.
Test(zb_ilp, proves_sixty_operations)
{
    static const int32_t shapes[][2] = {{1, 20}, {2, 10}, {3, 6},  {4, 5},
                                        {5, 4},  {6, 3},  {10, 2}, {20, 1}};
    struct random r = {2};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int k = 0; k < n_cases(30); k++) {
            struct pipeline *p = random_pipeline(&r, shapes[i][0], shapes[i][1]);
            for (int o = 0; o < 2; o++) {
                const struct found found =
                    solve(p, o == 0 ? FAMILY_MAKESPAN : FAMILY_SPAN, 20000, NULL);
                cr_assert(found.result.proven, "P=%d M=%d case %d", shapes[i][0], shapes[i][1],
                          k);
            }
            pipeline_free(p);
        }
    }
}

// A search that ends early never claims too much.
Test(zb_ilp, small_budgets_keep_the_bound)
{
    struct random r = {3};
    int open = 0;
    for (int k = 0; k < 20 + n_cases(20); k++) {
        struct pipeline *p = random_pipeline(&r, 4, 12);
        const struct found best = solve(p, FAMILY_MAKESPAN, 1000000, NULL);
        cr_assert(best.result.proven);
        for (int64_t budget = 1; budget < 10000; budget *= 10) {
            const struct found found = solve(p, FAMILY_MAKESPAN, budget, NULL);
            cr_assert_eq(found.status, FAMILY_DONE);
            cr_assert_leq(found.result.bound, best.result.value * (1 + 1e-9));
            cr_assert_geq(found.result.value, best.result.value * (1 - 1e-9));
            open += !found.result.proven;
        }
        pipeline_free(p);
    }
    cr_assert_gt(open, 0);
}

// Catches a bound that forgets the extended schedules when the budget ends within a step: stops at
// many places.
Test(zb_ilp, bounds_hold_wherever_the_budget_ends)
{
    struct random r = {8};
    for (int k = 0; k < n_cases(12); k++) {
        struct pipeline *p = random_stages(&r, 3, 6, 4);
        const struct found best = solve_by(&family_v_ilp, p, FAMILY_SPAN, 1000000, NULL);
        for (int64_t budget = 90; best.status == FAMILY_DONE && budget < 4000; budget += 61) {
            const struct found found = solve_by(&family_v_ilp, p, FAMILY_SPAN, budget, NULL);
            cr_assert_eq(found.status, FAMILY_DONE);
            cr_assert(best.result.proven);
            cr_assert_leq(found.result.bound, best.result.value * (1 + 1e-9), "case %d: %lld",
                          k, (long long)budget);
        }
        pipeline_free(p);
    }
}

// Channels delay messages beyond what the search knows: the bound holds, the value is the real one.
Test(zb_ilp, occupied_channels)
{
    struct random r = {4};
    for (int k = 0; k < 4 + n_cases(36); k++) {
        struct pipeline *p = random_pipeline(&r, 3, 4);
        p->links.occupation = 2;
        const struct found free_links = solve(p, FAMILY_MAKESPAN, 0, NULL);
        p->links.channels = k % 2 ? PIPELINE_CARDS : PIPELINE_LINKS;
        const struct found found = solve(p, FAMILY_MAKESPAN, 0, NULL);
        cr_assert_eq(found.status, FAMILY_DONE);
        cr_assert_geq(found.result.value, free_links.result.value * (1 - 1e-9));
        cr_assert_leq(found.result.bound, free_links.result.value * (1 + 1e-9));
        pipeline_free(p);
    }
}

Test(zb_ilp, limits_that_no_order_keeps)
{
    static const double ones[3] = {1, 1, 1};
    struct pipeline *p = uniform(3, 3, ones, 0, 1);
    p->limit[1] = 0.5;
    cr_assert_eq(solve(p, FAMILY_MAKESPAN, 0, NULL).status, FAMILY_NO_ROOM);
    pipeline_free(p);
}

static bool at_once(void *self)
{
    (void)self;
    return true;
}

Test(zb_ilp, stops)
{
    static const double times[3] = {1, 1.2, 0.7};
    struct pipeline *p = uniform(8, 64, times, 0.3, 9);
    struct poll poll = {at_once, NULL, 0};
    cr_assert_eq(solve(p, FAMILY_MAKESPAN, 0, &poll).status, FAMILY_STOPPED);
    pipeline_free(p);
}

Test(zb_ilp, twice_the_times_double_the_optimum)
{
    struct random r = {5};
    for (int k = 0; k < n_cases(50); k++) {
        struct pipeline *p = random_pipeline(&r, 3, 4);
        const struct found once = solve(p, FAMILY_SPAN, 0, NULL);
        for (int s = 0; s < 3; s++) {
            p->stage[s].f *= 2;
            p->stage[s].b *= 2;
            p->stage[s].w *= 2;
        }
        p->links.latency *= 2;
        const struct found twice = solve(p, FAMILY_SPAN, 0, NULL);
        cr_assert_eq(twice.result.value, 2 * once.result.value);
        cr_assert_eq(twice.result.evaluations, once.result.evaluations);
        pipeline_free(p);
    }
}

Test(zb_ilp, misfits)
{
    const struct family_options options = {0};
    cr_assert_not_null(family_zb_ilp.misfit(&(struct pipeline_shape){4, 8, 8, 1, 1}, &options));
    cr_assert_not_null(family_zb_ilp.misfit(&(struct pipeline_shape){4, 4, 8, 2, 1}, &options));
    cr_assert_not_null(family_zb_ilp.misfit(&(struct pipeline_shape){4, 4, 8, 1, 2}, &options));
    cr_assert_not_null(
        family_zb_ilp.misfit(&(struct pipeline_shape){32, 32, 256, 1, 1}, &options));
    cr_assert_null(family_zb_ilp.misfit(&(struct pipeline_shape){4, 4, 32, 1, 1}, &options));
}
