// SPDX-License-Identifier: Apache-2.0
// Makes simple plans from which the search for linear plans starts.
#include "kernels/dynapipe/search/linear_private.h"
#include "kernels/dynapipe/search/start_order.h"

static void start(struct linear_search *s, enum start_order order,
                  enum linear_warm_ups warm_ups, int type, bool fewer)
{
    if (!start_recompute_write(s->task, type, s->trial.recompute))
        return;
    start_order_write(s->task, order, s->key, s->trial.order);
    for (int32_t stage = 0; stage < s->stages; stage++)
        s->trial.warm_up[stage] = linear_warm_up(s, warm_ups, stage);
    if (linear_fit(s, fewer))
        linear_try(s, s->makespan);
}

static bool is_enough(struct linear_search *s)
{
    s->is_over = s->is_over || poll_over_after(s->poll, linear_steps(s));
    return s->is_over || s->makespan <= s->bound * (1 + 1e-12) ||
           (s->makespan < HUGE_VAL && s->evaluations >= s->task->budget);
}

void linear_starts(struct linear_search *s)
{
    const int orders = s->task->keeps_order ? 1 : START_ORDERS;
    for (int order = 0; order < orders; order++)
        for (int warm_ups = LINEAR_ANY_WARM_UP; warm_ups <= LINEAR_WARM_UP_CYCLIC; warm_ups++) {
            if (s->warm_ups != LINEAR_ANY_WARM_UP && warm_ups != (int)s->warm_ups)
                continue;
            for (int type = 0; type < START_TYPES; type++)
                for (int fewer = 0; fewer < 2; fewer++) {
                    if (is_enough(s))
                        return;
                    start(s, (enum start_order)order, (enum linear_warm_ups)warm_ups, type,
                          fewer == 1);
                }
        }
}
