// SPDX-License-Identifier: Apache-2.0
// Tests of the fast evaluation of plans against lanes that are executed, and of lanes against a plain replay. They would
// catch a wrong arrival, memory of the wrong type of recomputation, and a plan that is said to run but waits forever.
#include "kernels/dynapipe/methods/linear.h"

#include "kernels/dynapipe/methods/methods.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct dynapipe_pipeline pipeline;
    struct micro_batches of[DYNAPIPE_RECOMPUTE_TYPES], ordered;
    struct linear_plan plan;
    struct linear *linear;
    struct lanes lanes;
    struct lanes_times *times;
    struct method_room *room;
    int32_t *device_of;
    double *state, *limit;
    void *memory;
};

static void take(struct fixture *f, int32_t stages, int32_t count, struct room *room)
{
    f->device_of = room_take(room, (size_t)stages, sizeof *f->device_of);
    f->state = room_take(room, (size_t)stages, sizeof *f->state);
    f->limit = room_take(room, (size_t)stages, sizeof *f->limit);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        micro_batches_take(&f->of[type], count, stages, room);
    micro_batches_take(&f->ordered, count, stages, room);
    linear_plan_take(&f->plan, count, stages, room);
    f->linear = linear_take(count, stages, room);
    lanes_take(&f->lanes, stages, 2 * count, room);
    f->times = lanes_times_take(stages, stages, count, room);
    f->room = method_room_take(stages, stages, 2 * count, room);
}

static void draw_tables(struct fixture *f, struct random *r)
{
    const struct micro_batches *keep = &f->of[DYNAPIPE_KEEP];
    const int64_t n = (int64_t)keep->count * keep->stages;
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int64_t at = 0; at < n; at++) {
            struct micro_batches *b = &f->of[type];
            b->forward[at] = random_unit(r);
            b->backward[at] = 2 * random_unit(r);
            b->stored[at] = random_unit(r);
            b->peak[at] = random_unit(r);
            b->backward_peak[at] = random_unit(r);
            b->activation[at] = type == DYNAPIPE_KEEP ? 0.2 * random_unit(r) : (double)NAN;
            b->gradient[at] = type == DYNAPIPE_KEEP ? 0.2 * random_unit(r) : (double)NAN;
        }
}

static void draw_plan(struct fixture *f, struct random *r)
{
    const int32_t count = f->ordered.count, stages = f->ordered.stages;
    for (int32_t i = 0; i < count; i++)
        f->plan.order[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        const int32_t j = (int32_t)random_below(r, i + 1), swap = f->plan.order[i];
        f->plan.order[i] = f->plan.order[j];
        f->plan.order[j] = swap;
    }
    for (int32_t s = stages - 1, least = 1; s >= 0; s--) {
        least += (int32_t)random_below(r, 3);
        f->plan.warm_up[s] = least < count ? least : count;
    }
    for (int32_t k = 0; k < count * stages; k++)
        f->plan.recompute[k] = (uint8_t)random_below(r, DYNAPIPE_RECOMPUTE_TYPES);
}

static void open(struct fixture *f, struct random *r)
{
    const int32_t stages = 1 + (int32_t)random_below(r, 7),
                  count = 1 + (int32_t)random_below(r, 12);
    struct room room = {NULL, 0};
    take(f, stages, count, &room);
    f->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(f->memory, 0x5a, room.used);
    room = (struct room){f->memory, 0};
    take(f, stages, count, &room);
    for (int32_t s = 0; s < stages; s++) {
        f->device_of[s] = s;
        f->state[s] = 10 * random_unit(r);
        f->limit[s] = (double)INFINITY;
    }
    f->pipeline = (struct dynapipe_pipeline){stages, stages, f->device_of, f->state, f->limit};
    draw_tables(f, r);
    const struct micro_batches *const of[DYNAPIPE_RECOMPUTE_TYPES] = {&f->of[0], &f->of[1],
                                                                      &f->of[2]};
    linear_open(f->linear, &f->pipeline, of);
}

// Runs the lanes one operation at a time, whatever can start, with the definition of the chain.
static double plain_makespan(const struct fixture *f)
{
    const struct micro_batches *b = &f->ordered;
    const int32_t n = b->stages;
    int32_t next[LANES][16] = {{0}};
    double free_at[LANES][16] = {{0}}, makespan = 0;
    double *end =
        malloc(4 * (size_t)b->count * (size_t)n * sizeof *end); // [m][step of the chain]
    for (int32_t k = 0; k < 4 * b->count * n; k++)
        end[k] = -1;
    for (bool ran = true; ran;) {
        ran = false;
        for (int lane = 0; lane < LANES; lane++)
            for (int32_t d = 0; d < n; d++) {
                if (next[lane][d] == f->lanes.n[lane][d])
                    continue;
                const struct lane_operation *op =
                    &f->lanes.operations[lane][lanes_at(&f->lanes, d, next[lane][d])];
                // Steps of the chain: F0, its transfer, F1, ..., F(n-1), nothing, B(n-1), its transfer, ...
                const int32_t step =
                    (op->backward ? 2 * (2 * n - 1 - op->stage) : 2 * op->stage) + lane;
                double *own = end + (int64_t)op->micro_batch * 4 * n;
                const int32_t prior = step == 2 * n ? step - 2 : step - 1;
                if (step > 0 && own[prior] < 0)
                    continue;
                const double ready = step > 0 ? own[prior] : 0;
                free_at[lane][d] = fmax(free_at[lane][d], ready) +
                                   lane_duration(b, lane == 0 ? LANE_COMPUTE : LANE_SEND, op);
                own[step] = free_at[lane][d];
                makespan = fmax(makespan, own[step]);
                next[lane][d]++;
                ran = true;
            }
    }
    for (int lane = 0; lane < LANES; lane++)
        for (int32_t d = 0; d < n; d++)
            if (next[lane][d] < f->lanes.n[lane][d])
                makespan = (double)INFINITY;
    free(end);
    return makespan;
}

Test(dynapipe_linear, as_lanes_and_as_a_plain_replay)
{
    struct random r = {21};
    int waits = 0;
    for (int round = 0; round < 2000; round++) {
        struct fixture f;
        open(&f, &r);
        draw_plan(&f, &r);
        if (round % 5 == 0) // may increase
            f.plan.warm_up[0] = 1 + (int32_t)random_below(&r, f.ordered.count);
        const double makespan = linear_evaluate(f.linear, &f.plan, HUGE_VAL);
        linear_write(f.linear, &f.plan, &f.ordered, &f.lanes);
        const bool runs = lanes_execute(f.times, &f.pipeline, &f.ordered, &f.lanes);
        cr_assert_eq(runs, isfinite(makespan), "round %d", round);
        cr_assert_eq(runs, isfinite(plain_makespan(&f)), "round %d", round);
        waits += !runs;
        if (runs) {
            cr_assert_eq(makespan, lanes_makespan(f.times), "round %d", round);
            cr_assert_eq(makespan, plain_makespan(&f), "round %d", round);
            for (int32_t s = 0; s < f.pipeline.stages; s++)
                near(linear_peak_of(f.linear, &f.plan, s, -1).memory,
                     lanes_peak(&f.lanes, &f.pipeline, &f.ordered, s), 1e-12, "round %d",
                     round);
            cr_assert_leq(method_bound(&f.pipeline, &f.ordered), makespan * (1 + 1e-12));
        }
        free(f.memory);
    }
    cr_assert(waits > 20 && waits < 400, "%d", waits);
}

// Without limits the cyclic rule has a closed form.
Test(dynapipe_linear, warm_ups_of_methods)
{
    struct random r = {22};
    for (int round = 0; round < 500; round++) {
        struct fixture f;
        open(&f, &r);
        const int32_t count = f.ordered.count, stages = f.ordered.stages;
        for (int which = 0; which < 2; which++) {
            for (int32_t i = 0; i < count; i++)
                f.plan.order[i] = i;
            memset(f.plan.recompute, DYNAPIPE_KEEP, (size_t)(count * stages));
            for (int32_t s = 0; s < stages; s++) {
                const int32_t w = which == 0 ? stages - s : 2 * (stages - s) - 1;
                f.plan.warm_up[s] = w < count ? w : count;
            }
            const double makespan = linear_evaluate(f.linear, &f.plan, HUGE_VAL);
            cr_assert_eq(method_run(which == 0 ? METHOD_1F1B : METHOD_WAIT_FREE_CYCLIC,
                                    &f.pipeline, &f.of[DYNAPIPE_KEEP], NULL, f.room, &f.lanes,
                                    f.times, NULL),
                         METHOD_DONE);
            cr_assert_eq(lanes_makespan(f.times), makespan, "round %d: %g, %g", round,
                         lanes_makespan(f.times), makespan);
        }
        free(f.memory);
    }
}
