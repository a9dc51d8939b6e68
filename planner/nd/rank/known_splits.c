// SPDX-License-Identifier: Apache-2.0
// Keeps solutions and gives them to programs with less memory.
#include "planner/nd/rank/known_splits.h"

#include <stdlib.h>
#include <string.h>

bool nd_solution_of_choice(struct nd_solution *solution, const struct nd_program *p,
                           const struct nd_choice *choice)
{
    const size_t n = (size_t)p->stages * (size_t)p->chunks, bytes = n * sizeof(int32_t);
    const size_t peaks = (size_t)p->stages * sizeof(struct nd_peak);
    const int32_t *const lists[6] = {choice->layers[0], choice->layers[1], choice->full[0],
                                     choice->full[1],   choice->part[0],   choice->part[1]};
    solution->room = calloc(1, peaks + 6 * bytes);
    if (solution->room == NULL)
        return false;
    int32_t *to = (int32_t *)((char *)solution->room + peaks);
    for (int k = 0; k < 6; k++)
        memcpy(to + (size_t)k * n, lists[k], bytes);
    solution->peaks = solution->room;
    solution->choice =
        (struct nd_choice){{to, to + n}, {to + 2 * n, to + 3 * n}, {to + 4 * n, to + 5 * n}};
    return true;
}

// Copies a solution for a program with the same choice.
static enum nd_outcome copy(struct nd_solution *to, const struct nd_solution *from,
                            const struct nd_program *program)
{
    *to = *from;
    to->room = NULL;
    to->nodes = 0;
    if (!from->found)
        return ND_DONE;
    if (!nd_solution_of_choice(to, program, &from->choice))
        return ND_NO_MEMORY;
    return nd_peaks(program, &to->choice, to->room);
}

// Returns whether the search with less memory for a step below `below` cannot end better than the known one, which is
// its answer. Without a choice that is known, only the search itself says what lacks memory.
static bool answers(const struct nd_known_split *known, const struct nd_program *program,
                    double below)
{
    const struct nd_solution *s = &known->solution;
    char why[256];
    if (s->status == ND_TIME_LIMIT || !nd_program_allows_less(&known->program, program))
        return false;
    if (!s->found)
        return below > 0 && below <= known->below;
    return (below == 0 || s->objective < below) &&
           nd_choice_check(program, &s->choice, why, sizeof why);
}

static bool keep(struct nd_known_splits *splits, const struct nd_program *program, double below,
                 const struct nd_solution *solution)
{
    struct nd_known_split *rows =
        realloc(splits->rows, ((size_t)splits->n + 1) * sizeof *splits->rows);
    if (rows == NULL)
        return false;
    splits->rows = rows;
    rows[splits->n] = (struct nd_known_split){.program = *program, .below = below};
    if (copy(&rows[splits->n].solution, solution, program) != ND_DONE) {
        nd_solution_free(&rows[splits->n].solution);
        return false;
    }
    splits->n++;
    return true;
}

enum nd_outcome nd_known_solve(struct nd_known_splits *splits, const struct nd_program *program,
                               const struct nd_effort *effort, struct nd_solution *solution)
{
    const double below = effort != NULL ? effort->below : 0;
    for (int64_t k = 0; k < splits->n; k++)
        if (answers(&splits->rows[k], program, below))
            return copy(solution, &splits->rows[k].solution, program);
    const enum nd_outcome outcome = nd_solve(program, effort, solution);
    return outcome == ND_DONE && keep(splits, program, below, solution) ? ND_DONE
                                                                        : ND_NO_MEMORY;
}

void nd_known_free(struct nd_known_splits *splits)
{
    for (int64_t k = 0; k < splits->n; k++)
        nd_solution_free(&splits->rows[k].solution);
    free(splits->rows);
    *splits = (struct nd_known_splits){0};
}
