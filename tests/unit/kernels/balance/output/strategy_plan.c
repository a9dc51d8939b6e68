// SPDX-License-Identifier: Apache-2.0
// Strategies as plans: a plan that is read back runs as the replay did.
#include "kernels/balance/output/strategy_plan.h"

#include "base/document/json.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/common/plan/plan_json.h"
#include "tests/unit/support/kernels/balance_golden.h"
#include "tests/unit/support/kernels/plan_equal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Executes a plan and compares makespan and peaks, in s and bytes.
static void check_run(const struct plan *plan, const struct balance_golden_replayed *r)
{
    struct room room = {NULL, 0};
    const struct pipeline_shape *shape = &plan->pipeline->shape;
    executor_take(shape, plan->order->room, &room);
    room.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    void *memory = room.memory;
    room.used = 0;
    struct executor *executor = executor_take(shape, plan->order->room, &room);
    struct metrics metrics;
    double *peak = calloc((size_t)shape->devices, sizeof *peak);
    cr_assert(executor_run(executor, plan->pipeline, plan->order, NULL, NULL) == EXECUTOR_DONE);
    metrics_of(plan->pipeline, plan->order, executor_starts(executor), executor_ends(executor),
               &metrics, NULL, peak);
    cr_assert(fabs(metrics.makespan - 1e-3 * r->result.makespan) <= 1e-12 * metrics.makespan);
    for (int32_t s = 0; s < shape->devices; s++)
        cr_assert(fabs(peak[s] - 1048576 * r->result.peak_mb[s]) <= 1e-9 * peak[s]);
    free(peak);
    free(memory);
}

static void check(const char *file, int which, double limit)
{
    struct balance_golden_replayed r = balance_golden_replayed(file, which);
    struct text_buffer text = {0};
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    const struct balance_plan of = {&r.layers, &r.shape,  &r.strategy,       r.replay,   limit,
                                    0.001,     "balance", r.result.makespan, (double)NAN};
    cr_assert(balance_plan_write(&of, &text));
    cr_assert(pps_json_parse(&json, "plan", text.text, text.n, &err) == PPS_OK, "%s", err.text);
    struct plan *plan = plan_json_read(json.root, &fault), *direct = balance_plan_of(&of);
    cr_assert_not_null(plan, "%s", fault.text);
    cr_assert(plan_equal(plan, direct));
    cr_assert_str_eq(plan->makers[PLAN_ORDER].by, "balance");
    cr_assert(plan->makers[PLAN_ORDER].value == 0.001 * r.result.makespan);
    cr_assert(isnan(plan->makers[PLAN_ORDER].bound));
    cr_assert(plan->pipeline->limit[0] == limit * 1048576);
    check_run(plan, &r);
    plan_free(plan);
    plan_free(direct);
    pps_json_free(&json);
    text_buffer_free(&text);
    balance_golden_done(&r);
}

Test(strategy_plan, plans_run_as_replays)
{
    check("simulate_04_175b.json", 0, 56000);
    check("simulate_04_175b.json", 2, (double)INFINITY);
    check("simulate_03_doc_pictures.json", 2, 98883);
    check("simulate_05_vp1_published.json", 0, 56000);
}

// An explicit backward that is shorter than the forward has no negative part.
Test(strategy_plan, no_negative_times)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_01_tiny_1f1b.json", 0);
    r.layers.backward[BALANCE_NONE] = 0.25 * r.layers.forward;
    r.layers.head = r.layers.tail = 0;
    balance_usual_ends(&r.layers);
    struct plan *plan = balance_plan_of(&(struct balance_plan){
        &r.layers, &r.shape, &r.strategy, r.replay, (double)INFINITY, 1, "x", 1, 1});
    for (int32_t k = 0; k < plan->pipeline->shape.stages; k++) {
        const struct pipeline_stage *stage = &plan->pipeline->stage[k];
        cr_assert(stage->b >= 0 && fabs(stage->b + stage->w - 0.25 * stage->f) < 1e-12);
    }
    plan_free(plan);
    balance_golden_done(&r);
}
