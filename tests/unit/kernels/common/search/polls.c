// SPDX-License-Identifier: Apache-2.0
// Polls of the solver: its loops over an order end when the caller asks, and it reports that the effort
// is over.
#include <criterion/criterion.h>
#include <math.h>

#include "base/system/machine.h"
#include "kernels/common/search/stage_options.h"
#include "kernels/common/split/evaluator.h"

static struct nd_program large_program(void)
{
    struct nd_program p;
    nd_program_default(&p);
    p.stages = 8;
    p.micro_batches = 4000;
    p.layers[1] = 20;
    p.hop = 0.01;
    p.budget_first = p.budget_middle = p.budget_last = 200000;
    return p;
}

// Catches an evaluator that is built for a raised stop flag.
Test(poll, raised_flag_ends_the_evaluator)
{
    const struct nd_program p = large_program();
    atomic_bool stop = true;
    const struct nd_effort effort = {.stop = &stop};
    struct nd_watch watch = {.effort = &effort};
    struct poll poll = nd_watch_poll(&watch);
    cr_assert(nd_evaluator_new(&p, &poll) == NULL);
    double forward[8], backward[8], forwards[8], backwards[8], constant;
    for (int k = 0; k < 8; k++) {
        forward[k] = 1;
        backward[k] = 2;
    }
    stop = false;
    struct nd_evaluator *e = nd_evaluator_new(&p, &poll);
    cr_assert(e != NULL && nd_evaluator_objective(e, forward, backward) > 3 * 4000);
    stop = true;
    cr_assert(isnan(nd_evaluator_objective(e, forward, backward)));
    cr_assert(nd_evaluator_path(e, forward, backward, forwards, backwards, &constant) !=
              ND_DONE);
    nd_evaluator_free(e);
}

// Catches a stop or a time limit during the compilation that is reported as a lack of memory.
Test(poll, solver_reports_that_the_effort_is_over)
{
    const struct nd_program p = large_program();
    atomic_bool stop = true;
    const struct nd_effort told = {.stop = &stop},
                           late = {.max_seconds = 1e-9, .seconds = pps_wall_seconds};
    struct nd_solution solution;
    cr_assert(nd_solve(&p, &told, &solution) == ND_DONE);
    cr_assert(!solution.found && solution.status == ND_FEASIBLE);
    nd_solution_free(&solution);
    cr_assert(nd_solve(&p, &late, &solution) == ND_DONE);
    cr_assert(!solution.found && solution.status == ND_TIME_LIMIT);
    nd_solution_free(&solution);
}
