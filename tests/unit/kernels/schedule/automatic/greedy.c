// SPDX-License-Identifier: Apache-2.0
// Tests of dispatch. They would catch orders that exceed a limit, that cannot run, or that differ from
// the published rule.
#include "kernels/schedule/automatic/greedy.h"
#include "kernels/common/executor/executor.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// P = 6, M = 18, f, b, w, c = 24, 28, 18, 1, memory (1, 0, -1).
static struct pipeline *small_limit(double limit)
{
    struct pipeline *p = pipeline_new(&(struct pipeline_shape){6, 6, 18, 1, 1});
    const struct pipeline_stage stage = {.f = 24, .b = 28, .w = 18, .kept_until_w = 1};
    cr_assert_not_null(p);
    pipeline_place(p, PIPELINE_LOOP);
    pipeline_set_uniform(p, &stage);
    p->links.latency = 1;
    for (int32_t d = 0; d < 6; d++)
        p->limit[d] = limit;
    return p;
}

Test(greedy, dispatch_below_p_devices)
{
    static const struct {
        double limit, makespan;
    } cases[] = {{2, 3242}, {3, 2308}, {4, 1980}, {5, 1758}, {6, 1544}, {8, 1476}, {11, 1385}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pipeline *p = small_limit(cases[i].limit);
        const int32_t operations = order_room(p, false);
        struct order *order = order_new(6, operations);
        struct room room = {NULL, 0};
        (void)greedy_take(&p->shape, &room);
        (void)executor_take(&p->shape, operations, &room);
        char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
        room = (struct room){memory, 0};
        struct greedy *greedy = greedy_take(&p->shape, &room);
        struct executor *executor = executor_take(&p->shape, operations, &room);
        cr_assert(order != NULL && memory != NULL);
        const struct greedy_rule rule = {.cap = (double)INFINITY};
        cr_assert_eq(greedy_build(greedy, p, &rule, NULL, order), GREEDY_DONE);
        cr_assert_eq(executor_run(executor, p, order, NULL, NULL), EXECUTOR_DONE);
        cr_expect_eq(executor_makespan(executor), cases[i].makespan, "limit %g: %g",
                     cases[i].limit, executor_makespan(executor));
        free(memory);
        order_free(order);
        pipeline_free(p);
    }
}
