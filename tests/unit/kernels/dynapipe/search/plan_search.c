// SPDX-License-Identifier: Apache-2.0
// Tests of the modes of planning against published plans. They would catch plans that exceed their limits, the published
// search with another result, and searches that are worse than the published one.
#include "kernels/dynapipe/search/plan_search.h"

#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/order_brute.h"
#include "tests/unit/support/kernels/plan_case.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct planning {
    struct plan_search *search;
    void *memory;
};

static struct planning take(const struct plan_case *c)
{
    struct planning p;
    struct room room = {NULL, 0};
    const struct plan_size size = plan_size_of(&c->pipeline, c->of[0].count);
    plan_search_take(&size, &room);
    p.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(p.memory, 0x5a, room.used);
    room = (struct room){p.memory, 0};
    p.search = plan_search_take(&size, &room);
    return p;
}

static struct plan_request request_of(const struct plan_case *c, enum plan_mode mode)
{
    struct plan_request r = {.task = c->task, .mode = mode, .method = PLAN_ANY_METHOD};
    r.task.budget = 0;
    return r;
}

// Checks what every plan promises.
static void check_plan(const struct plan_case *c, const struct plan_answer *a)
{
    const struct rule *rule = a->rule;
    cr_assert(a->has_plan);
    cr_assert(lanes_execute(rule->times, &c->pipeline, &rule->ordered, &rule->lanes));
    cr_assert_eq(lanes_makespan(rule->times), a->makespan);
    cr_assert_geq(a->makespan, a->bound * (1 - 1e-12));
    bool fits = true;
    for (int32_t d = 0; d < c->pipeline.devices; d++)
        fits = fits && plan_fits(lanes_peak(&rule->lanes, &c->pipeline, &rule->ordered, d),
                                 c->limit[d]);
    cr_assert_eq(fits, a->fits);
}

static double run(const struct plan_case *c, enum plan_mode mode, struct plan_answer *answer)
{
    struct planning p = take(c);
    const struct plan_request request = request_of(c, mode);
    const enum plan_outcome outcome = plan_search_run(p.search, &request, NULL, answer);
    check_plan(c, answer);
    cr_assert_eq(outcome, answer->fits ? PLAN_FOUND : PLAN_NONE_FITS);
    const double makespan = answer->fits ? answer->makespan / 1000 : (double)INFINITY;
    free(p.memory);
    return makespan;
}

static const char *const names[] = {"plan_01_s4_n4.json",      "plan_02_s4_n8_mem.json",
                                    "plan_03_s4_n16_mem.json", "plan_04_s8_n16_mem.json",
                                    "plan_05_s8_n32.json",     "plan_06_s16_n64.json"};

Test(dynapipe_plan_search, better_than_published)
{
    double parts = 1;
    int unlimited = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct plan_case c;
        const cJSON *expected;
        struct plan_answer answer;
        cJSON *document = plan_case_load(&c, names[k], &expected);
        const double normal = golden_real(golden_item(expected, "normal"), "makespan_ms"),
                     best = run(&c, PLAN_BEST, &answer);
        cr_assert_eq(answer.first_fit, 1);
        if (isfinite(c.limit[0])) {
            cr_assert_leq(best, 0.92 * normal, "%s: %g, %g", names[k], best, normal);
        } else {
            cr_assert_leq(best, normal * (1 + 1e-9));
            if (c.of[0].count >= 8) {
                parts *= best / normal;
                unlimited++;
            }
        }
        near(answer.bound / 1000,
             golden_real(golden_item(expected, "reference_search"), "lower_bound_ms"), 1e-5,
             "bound of %s", names[k]);
        const double quick = run(&c, PLAN_QUICK, &answer);
        cr_assert_leq(quick, 1.1 * best, "%s: %g, %g", names[k], quick, best);
        plan_case_close(&c);
        cJSON_Delete(document);
    }
    cr_assert_leq(pow(parts, 1.0 / unlimited), 0.94, "%g", pow(parts, 1.0 / unlimited));
}

// Four micro-batches: the published search tries all orders.
Test(dynapipe_plan_search, published_search)
{
    for (size_t k = 0; k < sizeof names / sizeof *names - 1; k++) {
        struct plan_case c;
        const cJSON *expected;
        struct plan_answer answer;
        cJSON *document = plan_case_load(&c, names[k], &expected);
        const double normal = golden_real(golden_item(expected, "normal"), "makespan_ms"),
                     mended = run(&c, PLAN_NORMAL, &answer);
        if (c.of[0].count == 4) {
            near(mended, normal, 1e-9, "%s", names[k]);
            cr_assert_str_eq(answer.method,
                             golden_word(golden_item(expected, "normal"), "chosen_method"));
        }
        cr_assert_leq(mended, 1.02 * normal, "%s: %g, %g", names[k], mended, normal);
        if (isfinite(c.limit[0])) { // three adjustments do not suffice
            cr_assert(isinf(run(&c, PLAN_FAST, &answer)));
            cr_assert_gt(answer.needs, c.limit[answer.device]);
        }
        plan_case_close(&c);
        cJSON_Delete(document);
    }
}

// As published, plans that exceed their limits win.
Test(dynapipe_plan_search, faults_are_kept_on_request)
{
    struct plan_case c;
    const cJSON *expected;
    struct plan_answer answer;
    cJSON *document = plan_case_load(&c, "plan_02_s4_n8_mem.json", &expected);
    struct planning p = take(&c);
    struct plan_request request = request_of(&c, PLAN_FAST);
    request.as_published = true;
    cr_assert_eq(plan_search_run(p.search, &request, NULL, &answer), PLAN_FOUND);
    cr_assert(!answer.fits && answer.has_plan);
    cr_assert_lt(answer.makespan / 1000,
                 golden_real(golden_item(expected, "normal"), "makespan_ms"));
    free(p.memory);
    plan_case_close(&c);
    cJSON_Delete(document);
}

static void draw_placement(struct plan_case *c, struct random *r)
{
    const int32_t devices = 2 + (int32_t)random_below(r, 3);
    const int shape = (int)random_below(r, 3);
    const int32_t stages = shape == 0   ? devices
                           : shape == 1 ? 2 * devices
                                        : 2 * devices - 1,
                  count = 1 + (int32_t)random_below(r, 9);
    plan_case_open(c, devices, stages, count);
    for (int32_t s = 0; s < stages && shape == 2; s++) // there and back
        c->device_of[s] = s < devices ? s : 2 * devices - 2 - s;
    plan_case_draw(c, r);
    for (int32_t d = 0; d < devices; d++)
        c->limit[d] = c->state[d] + 1200 * random_unit(r);
}

// The search of all modes on any assignment: feasible if anything is, and not worse than the published search.
Test(dynapipe_plan_search, all_assignments)
{
    struct random r = {41};
    const int rounds = n_cases(60);
    int found = 0, infeasible = 0, worse = 0;
    for (int round = 0; round < rounds; round++) {
        struct plan_case c;
        struct plan_answer best, normal;
        draw_placement(&c, &r);
        struct planning p = take(&c);
        struct plan_request request = request_of(&c, PLAN_BEST);
        request.task.budget = 8000;
        const enum plan_outcome outcome = plan_search_run(p.search, &request, NULL, &best);
        if (outcome == PLAN_INFEASIBLE) {
            cr_assert_gt(best.needs, c.limit[best.device]);
            infeasible++;
        } else {
            cr_assert_eq(outcome, PLAN_FOUND, "round %d: %d", round, (int)outcome);
            check_plan(&c, &best);
            found++;
        }
        request = request_of(&c, PLAN_NORMAL);
        plan_search_run(p.search, &request, NULL, &normal);
        if (normal.has_plan)
            check_plan(&c, &normal);
        worse += normal.has_plan && normal.fits && best.makespan > normal.makespan * (1 + 1e-9);
        free(p.memory);
        plan_case_close(&c);
    }
    cr_assert(found >= rounds / 2 && infeasible >= rounds / 30, "%d, %d", found, infeasible);
    cr_assert_eq(worse, 0, "%d", worse);
}

// A named method, and no micro-batches at all.
Test(dynapipe_plan_search, named_methods)
{
    struct random r = {42};
    for (int round = 0; round < 30; round++) {
        struct plan_case c;
        plan_case_open(&c, 3, 3, (int32_t)random_below(&r, 7));
        plan_case_draw(&c, &r);
        struct planning p = take(&c);
        for (int method = 0; method < METHODS; method++) {
            struct plan_request request = request_of(&c, PLAN_QUICK);
            struct plan_answer answer;
            if (!method_allows((enum method)method, ASSIGNMENT_LINEAR))
                continue;
            request.method = method;
            for (int32_t d = 0; d < 3; d++) // tight: the named method may not fit
                c.limit[d] = c.state[d] + 400;
            const enum plan_outcome tight = plan_search_run(p.search, &request, NULL, &answer);
            if (tight == PLAN_FOUND && c.of[0].count > 0)
                cr_assert_str_eq(answer.method, method_names[method]);
            for (int32_t d = 0; d < 3; d++)
                c.limit[d] = (double)INFINITY;
            cr_assert_eq(plan_search_run(p.search, &request, NULL, &answer), PLAN_FOUND);
            cr_assert_str_eq(answer.method, method_names[method]);
            if (method != METHOD_CYCLIC) // its times are its own
                check_plan(&c, &answer);
        }
        free(p.memory);
        plan_case_close(&c);
    }
}

static enum plan_outcome search(const struct plan_case *c, struct plan_request request,
                                struct plan_answer *answer, struct planning *p)
{
    *p = take(c);
    return plan_search_run(p->search, &request, NULL, answer);
}

// A single micro-batch: as published its backward, the last one of every device, is never relieved.
Test(dynapipe_plan_search, the_last_backward_is_relieved)
{
    struct random r = {43};
    struct plan_case c;
    struct plan_answer answer;
    struct planning p;
    plan_case_open(&c, 2, 2, 1);
    plan_case_draw(&c, &r);
    for (int32_t d = 0; d < 2; d++)
        c.limit[d] = c.state[d] + plan_needs(&c.of[DYNAPIPE_FULL], d) + 1;
    cr_assert_gt(c.of[0].stored[0], c.limit[0] - c.state[0]);
    struct plan_request request = request_of(&c, PLAN_NORMAL);
    cr_assert_eq(search(&c, request, &answer, &p), PLAN_FOUND);
    cr_assert(answer.fits);
    free(p.memory);
    request.as_published = true;
    search(&c, request, &answer, &p);
    cr_assert(!answer.fits);
    free(p.memory);
    plan_case_close(&c);
}

// Without recomputation only the limits of the cyclic rule make a plan fit.
Test(dynapipe_plan_search, limits_are_tried_and_types_kept)
{
    struct random r = {44};
    int by_limits = 0;
    for (int round = 0; round < 30; round++) {
        struct plan_case c;
        struct plan_answer answer;
        struct planning p;
        plan_case_open(&c, 3, 3, 5);
        plan_case_draw(&c, &r);
        for (int32_t d = 0; d < 3; d++)
            c.limit[d] = c.state[d] + 500 + 100 * random_unit(&r);
        c.task.of[DYNAPIPE_FULL] = NULL;
        if (round % 2 == 0)
            c.task.of[DYNAPIPE_SELECTIVE] = NULL;
        for (int mode = PLAN_BEST; mode <= PLAN_NORMAL; mode++) {
            struct plan_request request = request_of(&c, (enum plan_mode)mode);
            request.task.budget = 500;
            if (search(&c, request, &answer, &p) == PLAN_FOUND) {
                check_plan(&c, &answer);
                for (int at = 0; at < 15; at++)
                    cr_assert(answer.recompute[at] == DYNAPIPE_KEEP ||
                              (round % 2 == 1 && answer.recompute[at] == DYNAPIPE_SELECTIVE));
                by_limits += mode == PLAN_NORMAL && round % 2 == 0;
            }
            free(p.memory);
        }
        plan_case_close(&c);
    }
    cr_assert_gt(by_limits, 3, "%d", by_limits);
}

// The recomputation of the division is where the published search begins if nothing else fits.
Test(dynapipe_plan_search, starts_from_the_division)
{
    struct plan_case c;
    const cJSON *expected;
    struct plan_answer answer;
    struct planning p;
    cJSON *document = plan_case_load(&c, "plan_03_s4_n16_mem.json", &expected);
    struct plan_request request = request_of(&c, PLAN_FAST);
    cr_assert_eq(search(&c, request, &answer, &p), PLAN_NONE_FITS);
    free(p.memory);
    request.start = DYNAPIPE_FULL;
    cr_assert_eq(search(&c, request, &answer, &p), PLAN_FOUND);
    check_plan(&c, &answer);
    free(p.memory);
    plan_case_close(&c);
    cJSON_Delete(document);
}

// The same request gives the same plan, another seed maybe another one.
Test(dynapipe_plan_search, seeds)
{
    struct plan_case c;
    const cJSON *expected;
    struct plan_answer a, b;
    struct planning p, q;
    cJSON *document = plan_case_load(&c, "plan_02_s4_n8_mem.json", &expected);
    for (int mode = PLAN_BEST; mode <= PLAN_FAST; mode++) {
        struct plan_request request = request_of(&c, (enum plan_mode)mode);
        search(&c, request, &a, &p);
        search(&c, request, &b, &q);
        cr_assert_eq(a.makespan, b.makespan);
        cr_assert_arr_eq(a.order, b.order, 8 * sizeof *a.order);
        cr_assert_arr_eq(a.recompute, b.recompute, 32);
        free(p.memory);
        free(q.memory);
    }
    plan_case_close(&c);
    cJSON_Delete(document);
}

// ---- orders of passes -----------------------------------------------------------------------------

// Little memory; some tasks may recompute, and have fewer micro-batches then.
static void draw_tight(struct plan_case *c, struct random *r, int kind)
{
    const bool recomputes = kind == 3;
    const int32_t devices = 2 + (int32_t)random_below(r, kind == 2 ? 3 : 2),
                  chunks = 1 + (random_below(r, 4) == 0),
                  stages = kind == 2 && chunks == 2 ? 2 * devices - 1 : devices * chunks,
                  count = recomputes  ? 2 + (stages == 2)
                          : kind == 2 ? 3 + (int32_t)random_below(r, 2)
                          : devices * chunks > 3
                              ? 2
                              : 3 + (devices == 2 && random_below(r, 2) == 0);
    plan_case_open(c, devices, stages, count);
    for (int32_t s = devices; s < stages && kind == 2; s++) // there and back
        c->device_of[s] = 2 * devices - 2 - s;
    plan_case_draw(c, r);
    c->task.budget = 0;
    if (!recomputes)
        c->task.of[DYNAPIPE_FULL] = c->task.of[DYNAPIPE_SELECTIVE] = NULL;
    for (int64_t at = 0; at < (int64_t)count * stages; at++) {
        const double forward = 0.8 + 0.4 * random_unit(r),
                     backward = 0.8 + 0.4 * random_unit(r);
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
            c->of[type].forward[at] *= forward;
            c->of[type].backward[at] *= backward;
        }
    }
    for (int32_t d = 0; d < devices; d++) {
        double most = 0, all = 0;
        for (int32_t m = 0; m < count; m++) {
            double one = 0;
            for (int32_t s = 0; s < stages; s++)
                one += c->device_of[s] == d ? c->of[0].stored[(int64_t)m * stages + s] : 0;
            most = fmax(most, one);
            all += one;
        }
        c->limit[d] = c->state[d] + most + 0.4 * random_unit(r) * (all - most);
    }
}

// Against all orders of passes: within 0.5 % on average, and never more than 2 % longer.
Test(dynapipe_plan_search, close_to_all_orders)
{
    struct random r = {47};
    const int rounds = n_rounds(8);
    double sum = 0, worst = 0;
    int known = 0;
    for (int round = 0; round < rounds; round++) {
        struct plan_case c;
        struct plan_answer answer;
        draw_tight(&c, &r, round % 4);
        const double makespan = 1000 * run(&c, PLAN_BEST, &answer),
                     least = order_brute(&c, makespan * (1 + 1e-9), 15 * (int64_t)n_points());
        if (isfinite(least)) {
            const double longer = makespan / least - 1;
            cr_assert_leq(longer, 0.02, "round %d: %g, %g", round, makespan, least);
            worst = fmax(worst, longer);
            sum += fmax(longer, 0);
            known++;
        }
        plan_case_close(&c);
    }
    cr_assert_geq(known, rounds / 3, "%d", known);
    cr_assert_leq(sum, 0.005 * known, "%g over %d", sum, known);
    cr_log_info("%d of %d tasks, on average %.4f %%, at most %.3f %%", known, rounds,
                100 * sum / known, 100 * worst);
}

static void read_cells(const cJSON *lists, double *values)
{
    const cJSON *line, *value;
    cJSON_ArrayForEach (line, lists)
        cJSON_ArrayForEach (value, line)
            *values++ = value->valuedouble;
}

// The best plans known of six tasks, found by long searches; alternating orders take up to 24 % longer.
Test(dynapipe_plan_search, known_tasks)
{
    cJSON *document = golden_of("dynapipe", "orders_tight.json");
    const cJSON *task;
    cJSON_ArrayForEach (task, document) {
        const cJSON *devices = golden_item(task, "device_of_stage"), *one;
        struct plan_case c;
        struct plan_answer answer;
        int32_t s = 0;
        plan_case_open(&c, golden_whole(task, "devices"), cJSON_GetArraySize(devices),
                       cJSON_GetArraySize(golden_item(task, "forward_us")));
        cJSON_ArrayForEach (one, devices)
            c.device_of[s++] = one->valueint;
        s = 0;
        cJSON_ArrayForEach (one, golden_item(task, "state_mb")) {
            c.limit[s] = golden_real(task, "memory_mb");
            c.state[s++] = one->valuedouble;
        }
        read_cells(golden_item(task, "forward_us"), c.of[0].forward);
        read_cells(golden_item(task, "backward_us"), c.of[0].backward);
        read_cells(golden_item(task, "stored_mb"), c.of[0].stored);
        read_cells(golden_item(task, "forward_peak_mb"), c.of[0].peak);
        read_cells(golden_item(task, "activation_us"), c.of[0].activation);
        read_cells(golden_item(task, "gradient_us"), c.of[0].gradient);
        c.task.of[DYNAPIPE_FULL] = c.task.of[DYNAPIPE_SELECTIVE] = NULL;
        const double best = run(&c, PLAN_BEST, &answer),
                     known = golden_real(task, "best_known_ms");
        cr_assert_leq(best, known * (1 + 1e-9), "%g, %g", best, known);
        plan_case_close(&c);
    }
    cJSON_Delete(document);
}
