// SPDX-License-Identifier: Apache-2.0
// Tests that golden orders get their golden times.
#include "kernels/common/executor/executor.h"

#include "tests/unit/support/kernels/schedule_golden.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void check(const struct schedule_golden *g)
{
    struct room room = {NULL, 0};
    (void)executor_take(&g->pipeline->shape, g->order->room, &room);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){memory, 0};
    struct executor *e = executor_take(&g->pipeline->shape, g->order->room, &room);
    cr_assert_eq(executor_run(e, g->pipeline, g->order, NULL, NULL), EXECUTOR_DONE, "%s",
                 g->name);
    cr_assert(same(executor_makespan(e), g->makespan), "%s: makespan %.17g", g->name,
              executor_makespan(e));
    cr_assert(same(executor_span(e), g->span), "%s: span", g->name);
    for (int32_t d = 0; d < g->order->devices; d++)
        for (int32_t i = 0; i < g->order->n[d] && g->starts != NULL; i++) {
            const int64_t at = order_at(g->order, d, i);
            cr_assert(same(executor_starts(e)[at], g->starts[at]), "%s: device %d, position %d",
                      g->name, d, i);
            cr_assert(same(executor_ends(e)[at], g->ends[at]), "%s: device %d, position %d",
                      g->name, d, i);
        }
    free(memory);
}

Test(executor_golden, times)
{
    cr_assert_eq(schedule_golden_each(NULL, check), 30);
}
