// SPDX-License-Identifier: Apache-2.0
// Cross checks with the executor of pipelines whose micro-batches are equal. They would catch a model of transfers or of
// memory that differs between the kernels.
#include "kernels/common/executor/executor.h"
#include "kernels/common/interleaved/memory_line.h"
#include "kernels/dynapipe/search/rule.h"
#include "tests/unit/support/kernels/plan_case.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct evaluator {
    struct rule rule;
    struct rule_plan plan;
    struct executor *executor;
    struct order order;
    void *memory;
};

static void take(struct evaluator *e, const struct plan_size *size,
                 const struct pipeline_shape *shape, struct room *room)
{
    rule_take(&e->rule, size, room);
    rule_plan_take(&e->plan, size, room);
    order_take(&e->order, shape->devices, 2 * size->widest * size->count, room);
    e->executor = executor_take(shape, 2 * size->widest * size->count, room);
}

static void open(struct evaluator *e, const struct plan_case *c,
                 const struct pipeline_shape *shape)
{
    const struct plan_size size = plan_size_of(&c->pipeline, c->of[0].count);
    struct room room = {NULL, 0};
    take(e, &size, shape, &room);
    e->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(e->memory, 0, room.used);
    room = (struct room){e->memory, 0};
    take(e, &size, shape, &room);
    for (int32_t m = 0; m < size.count; m++)
        e->plan.order[m] = m;
}

// Makes all micro-batches like the first one, but stages that differ.
static void make_equal(struct plan_case *c, struct random *r, bool transfers)
{
    struct micro_batches *b = &c->of[0];
    for (int32_t s = 0; s < b->stages; s++) {
        const double f = 1 + random_unit(r), g = 1 + 2 * random_unit(r),
                     sent = transfers ? random_unit(r) : 0,
                     returned = transfers ? random_unit(r) : 0;
        for (int32_t m = 0; m < b->count; m++) {
            const int64_t at = micro_batches_at(b, m, s);
            b->forward[at] = f;
            b->backward[at] = g;
            b->stored[at] = 50;
            b->peak[at] = 50;
            b->backward_peak[at] = 0;
            b->activation[at] = s < b->stages - 1 ? sent : 0;
            b->gradient[at] = s < b->stages - 1 ? returned : 0;
        }
    }
}

// Executes the compute lanes of a schedule as an order of the pipeline, with the sender's card.
static double execute(struct evaluator *e, const struct plan_case *c, struct pipeline *p)
{
    const struct lanes *lanes = &e->rule.lanes;
    const struct micro_batches *b = &c->of[0];
    double latencies[64] = {0}, bandwidths[64];
    for (int k = 0; k < 64; k++)
        bandwidths[k] = 1;
    p->links = (struct pipeline_links){.channels = PIPELINE_CARDS,
                                       .latencies = latencies,
                                       .bandwidths = bandwidths};
    for (int32_t s = 0; s < b->stages; s++) {
        p->stage[s].f = b->forward[s];
        p->stage[s].b = b->backward[s];
        p->stage[s].forward_bytes = b->activation[s];
        p->stage[s].backward_bytes = s > 0 ? b->gradient[s - 1] : 0;
    }
    for (int32_t d = 0; d < lanes->devices; d++)
        for (int32_t i = 0; i < lanes->n[LANE_COMPUTE][d]; i++) {
            const struct lane_operation *op =
                &lanes->operations[LANE_COMPUTE][lanes_at(lanes, d, i)];
            order_add(&e->order, d, op->backward ? OPERATION_BW : OPERATION_F, op->micro_batch,
                      op->stage);
        }
    cr_assert_eq(executor_run(e->executor, p, &e->order, NULL, NULL), EXECUTOR_DONE);
    return executor_makespan(e->executor);
}

static void check(struct random *r, bool transfers, enum method method)
{
    const int32_t devices = 2 + (int32_t)random_below(r, 6),
                  count = 1 + (int32_t)random_below(r, 12);
    struct plan_case c;
    struct evaluator e = {.memory = NULL};
    plan_case_open(&c, devices, devices, count);
    make_equal(&c, r, transfers);
    const struct pipeline_shape shape = {devices, devices, count, 1, 1};
    struct pipeline *p = pipeline_new(&shape);
    pipeline_place(p, PIPELINE_LOOP);
    open(&e, &c, &shape);
    e.plan.method = method;
    rule_evaluate(&e.rule, &c.task, &e.plan, false, NULL);
    near(execute(&e, &c, p), e.rule.makespan, 1e-9, "%d devices, %d micro-batches", devices,
         count);
    for (int32_t s = 0; s < devices && method == METHOD_1F1B; s++)
        near(e.rule.peaks[s], c.state[s] + 50.0 * memline_1f1b(devices, count, s), 1e-12,
             "peak of %d", s);
    pipeline_free(p);
    free(e.memory);
    plan_case_close(&c);
}

Test(dynapipe_cross, equal_micro_batches_as_in_the_executor)
{
    struct random r = {71};
    for (int round = 0; round < 400; round++)
        check(&r, round % 2 == 1, round % 3 == 0 ? METHOD_WAIT_FREE_CYCLIC : METHOD_1F1B);
}

// The cyclic and the wait-free cyclic method have the same lane orders and peaks; no makespan is below the bound.
Test(dynapipe_cross, peaks_and_bounds)
{
    struct random r = {72};
    for (int round = 0; round < 200; round++) {
        struct plan_case c;
        struct evaluator e = {.memory = NULL};
        const int32_t devices = 1 + (int32_t)random_below(&r, 5),
                      chunks = devices > 1 ? 1 + (int32_t)random_below(&r, 3) : 1;
        double peaks[8];
        plan_case_open(&c, devices, devices * chunks, 1 + (int32_t)random_below(&r, 8));
        plan_case_draw(&c, &r);
        const struct pipeline_shape shape = {devices, devices * chunks, c.of[0].count, 1, 1};
        open(&e, &c, &shape);
        const double bound = method_bound(&c.pipeline, &c.of[0]);
        for (int method = 0; method < METHODS; method++) {
            if (!method_allows((enum method)method, assignment_of(&c.pipeline)))
                continue;
            e.plan.method = (enum method)method;
            rule_evaluate(&e.rule, &c.task, &e.plan, false, NULL);
            cr_assert_geq(e.rule.makespan, method == METHOD_CYCLIC ? 0 : bound * (1 - 1e-12));
            if (method == METHOD_WAIT_FREE_CYCLIC)
                memcpy(peaks, e.rule.peaks, (size_t)devices * sizeof *peaks);
            if (method == METHOD_CYCLIC)
                cr_assert_arr_eq(peaks, e.rule.peaks, (size_t)devices * sizeof *peaks);
        }
        free(e.memory);
        plan_case_close(&c);
    }
}
