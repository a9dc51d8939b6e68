// SPDX-License-Identifier: Apache-2.0
// Solves programs: calls the search for the shape of the program, and makes a solution from its
// draft.
#include "kernels/common/search/solve_private.h"
#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *nd_status_name(enum nd_status status)
{
    switch (status) {
    case ND_OPTIMAL:
        return "Optimal";
    case ND_FEASIBLE:
        return "Feasible";
    case ND_INFEASIBLE:
        return "Infeasible";
    case ND_TIME_LIMIT:
        break;
    }
    return "Time limit reached";
}

void nd_solution_free(struct nd_solution *solution)
{
    free(solution->room);
    *solution = (struct nd_solution){.status = ND_INFEASIBLE};
}

static enum nd_outcome set_choice(const struct nd_program *p, const struct nd_draft *draft,
                                  struct nd_solution *solution)
{
    const size_t n = (size_t)p->stages * (size_t)p->chunks;
    const size_t peaks_bytes = (size_t)p->stages * sizeof(struct nd_peak);
    struct nd_peak *peaks = malloc(peaks_bytes + 6 * n * sizeof(int32_t));
    if (peaks == NULL)
        return ND_NO_MEMORY;
    int32_t *numbers = (int32_t *)(peaks + p->stages);
    solution->room = peaks;
    solution->peaks = peaks;
    for (size_t k = 0; k < n; k++)
        for (size_t t = 0; t < 2; t++) {
            numbers[t * n + k] = draft->chunks[k].layers[t];
            numbers[(2 + t) * n + k] = draft->chunks[k].full[t];
            numbers[(4 + t) * n + k] = draft->chunks[k].part[t];
        }
    for (size_t t = 0; t < 2; t++) {
        solution->choice.layers[t] = numbers + t * n;
        solution->choice.full[t] = numbers + (2 + t) * n;
        solution->choice.part[t] = numbers + (4 + t) * n;
    }
    return nd_peaks(p, &solution->choice, peaks);
}

enum nd_outcome nd_solution_set(const struct nd_program *p, const struct nd_draft *draft,
                                const struct nd_effort *effort, struct nd_solution *solution)
{
    struct nd_watch watch = {.effort = effort, .started = solution->started};
    struct poll poll = nd_watch_poll(&watch);
    struct nd_value value = {draft->objective, draft->objective};
    solution->nodes = draft->nodes;
    solution->bound = draft->bound;
    if (draft->objective == HUGE_VAL) {
        solution->status = draft->proven      ? ND_INFEASIBLE
                           : draft->timed_out ? ND_TIME_LIMIT
                                              : ND_FEASIBLE;
        return ND_DONE;
    }
    if (set_choice(p, draft, solution) != ND_DONE ||
        (p->compat == ND_ORIG &&
         nd_evaluate_within(p, &solution->choice, &poll, &value) != ND_DONE))
        return ND_NO_MEMORY;
    solution->found = true;
    solution->objective = value.objective;
    solution->makespan = value.makespan;
    solution->bound = fmin(draft->bound, value.objective);
    if (draft->proven)
        solution->bound = value.objective;
    solution->gap =
        value.objective > 0 ? (value.objective - solution->bound) / value.objective : 0;
    solution->status = draft->proven      ? ND_OPTIMAL
                       : draft->timed_out ? ND_TIME_LIMIT
                                          : ND_FEASIBLE;
    return ND_DONE;
}

// As published no task starts later than a fixed time.
static void refuse_late(const struct nd_program *p, struct nd_solution *solution)
{
    if (!solution->found || solution->objective < HUGE_VAL)
        return;
    nd_solution_free(solution);
    solution->why = (struct nd_infeasible){.limit = ND_LIMIT_TIME, .stage = -1};
    snprintf(solution->why.text, sizeof solution->why.text,
             "with %d micro-batches, tasks start after the published bound of %d",
             p->micro_batches, ND_ORIG_START);
}

// Another layer of a stage may let a layer of type 1 be made again, so that both take less memory. The
// solver of one chunk cannot have this.
static bool may_shrink(const struct nd_program *p)
{
    return p->again == ND_AGAIN_EVERY && p->layers[0] > 0 && p->layers[1] > 0;
}

enum nd_outcome nd_solve_plain(const struct nd_program *program, const struct nd_effort *effort,
                               struct nd_solution *solution)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    const bool chain = program->chunks == 1 && program->splits == 1 && program->hop == 0 &&
                       !may_shrink(program);
    const double started = effort != NULL && effort->max_seconds > 0 ? effort->seconds() : 0;
    struct nd_draft draft = {.objective = HUGE_VAL};
    enum nd_outcome outcome = ND_NO_MEMORY;
    *solution = (struct nd_solution){.status = ND_INFEASIBLE, .started = started};
    if (nd_never_feasible(program, &solution->why))
        return ND_DONE;
    draft.chunks = calloc(n, sizeof *draft.chunks);
    if (draft.chunks != NULL)
        outcome = chain ? nd_solve_1f1b(program, effort, started, &draft, &solution->why)
                        : nd_solve_general(program, effort, started, &draft, &solution->why);
    if (outcome == ND_DONE)
        outcome = nd_solution_set(program, &draft, effort, solution);
    refuse_late(program, solution);
    free(draft.chunks);
    return outcome;
}

enum nd_outcome nd_solve(const struct nd_program *program, const struct nd_effort *effort,
                         struct nd_solution *solution)
{
    const bool both = program->allow_select && program->allow_full &&
                      !nd_again_is_fixed(program) && program->compat == ND_CORRECTED;
    return program->dialect != ND_SAYS_ANY || both ? nd_solve_dialect(program, effort, solution)
                                                   : nd_solve_plain(program, effort, solution);
}
