// SPDX-License-Identifier: Apache-2.0
// Polls of the loops over the tasks of a pipeline: each loop ends when its caller asks, and the solver
// reports that the effort is over.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/system/machine.h"
#include "kernels/common/pipeline/timeline.h"
#include "kernels/common/search/stage_options.h"
#include "kernels/common/split/evaluator.h"

// Ends a loop at the poll number `last`, and counts the polls.
struct counter {
    uint64_t polls, last;
};

static bool is_last(void *self)
{
    struct counter *counter = self;
    return ++counter->polls >= counter->last;
}

static const struct orders_shape shape = {4, 2, 4000, 1, ORDERS_STANDARD, ORDERS_FIRST};
enum { TASKS = 4 * 2 * 2 * 4000 };

static enum timeline_status compile(struct counter *counter, struct timeline **timeline)
{
    static struct poll poll;
    poll = (struct poll){.over = is_last, .self = counter};
    return timeline_of_shape(&shape, &poll, timeline);
}

// The orders make at least a step for two tasks; four loops over tasks make a step for each task.
// Catches a loop that does not poll: fewer polls, and a stop that is not obeyed there.
Test(poll, compilation_ends_at_any_poll)
{
    struct counter all = {.last = UINT64_MAX};
    struct timeline *timeline;
    cr_assert(compile(&all, &timeline) == TIMELINE_DONE);
    timeline_free(timeline);
    cr_assert(all.polls >= 4.5 * TASKS / POLL_STEPS - 1, "%d polls", (int)all.polls);
    for (uint64_t last = 1; last <= all.polls; last++) {
        struct counter counter = {.last = last};
        cr_assert(compile(&counter, &timeline) == TIMELINE_STOPPED && timeline == NULL);
        cr_assert(counter.polls == last, "%d polls, not %d", (int)counter.polls, (int)last);
    }
}

// Catches a timing that runs to its end although its caller has asked it to stop.
Test(poll, timing_ends_at_any_poll)
{
    struct counter counter = {.last = UINT64_MAX};
    struct timeline *timeline;
    double durations[16], *ends = malloc(TASKS * sizeof *ends);
    for (int k = 0; k < 16; k++)
        durations[k] = 1;
    cr_assert(compile(&counter, &timeline) == TIMELINE_DONE && ends != NULL);
    const uint64_t before = counter.polls;
    cr_assert(timeline_run(timeline, durations, NULL, NULL, ends) >= 2 * 2 * 4000);
    const uint64_t all = counter.polls - before;
    cr_assert(all >= TASKS / POLL_STEPS);
    cr_assert(timeline_from(timeline, durations, NULL, 0, ends));
    cr_assert(counter.polls - before - all >= TASKS / POLL_STEPS);
    counter.last = 0;
    cr_assert(isnan(timeline_run(timeline, durations, NULL, NULL, ends)));
    cr_assert(!timeline_from(timeline, durations, NULL, 0, ends));
    timeline_free(timeline);
    free(ends);
}

// Catches a search of the critical path that runs to its end although its caller has asked it to stop,
// in the loop over all tasks or in the loop over the path.
Test(poll, critical_path_ends_at_any_poll)
{
    enum { ROOM = 16 };
    struct counter counter = {.last = UINT64_MAX};
    struct timeline *timeline;
    double durations[16], *times = malloc(2 * TASKS * sizeof *times);
    int32_t path[ROOM];
    for (int k = 0; k < 16; k++)
        durations[k] = 1;
    cr_assert(compile(&counter, &timeline) == TIMELINE_DONE && times != NULL);
    timeline_run(timeline, durations, NULL, times, times + TASKS);
    const uint64_t before = counter.polls;
    cr_assert(timeline_critical(timeline, NULL, times, times + TASKS, path, ROOM) >=
              2 * 2 * 4000);
    const uint64_t all = counter.polls - before;
    cr_assert(all >= (TASKS + 2 * 2 * 4000) / POLL_STEPS - 1, "%d polls", (int)all);
    for (uint64_t last = 1; last < all; last++) {
        counter = (struct counter){.last = last};
        cr_assert(timeline_critical(timeline, NULL, times, times + TASKS, path, ROOM) == -1);
    }
    timeline_free(timeline);
    free(times);
}

// ---- the solver ---------------------------------------------------------------------------------

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
