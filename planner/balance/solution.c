// SPDX-License-Identifier: Apache-2.0
// Solves a balance request.
#include "planner/balance/solution.h"

#include "kernels/balance/model/naive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_stopped(void *self)
{
    return atomic_load_explicit((atomic_bool *)self, memory_order_relaxed);
}

static bool new_strategy(struct balance_strategy *strategy, const struct balance_shape *shape)
{
    const size_t n = (size_t)shape->stages * (size_t)shape->chunks * BALANCE_KINDS;
    *strategy = (struct balance_strategy){.stages = shape->stages,
                                          .chunks = shape->chunks,
                                          .count = calloc(n, sizeof *strategy->count)};
    return strategy->count != NULL;
}

// ---- the search ---------------------------------------------------------------------------------

static bool take(struct balance_solution *solution)
{
    const struct balance_task *task = &solution->task;
    struct room room = {NULL, 0};
    (void)balance_search_take(task->layers, &task->shape, task->allow_empty, &room);
    if (room.used == SIZE_MAX)
        return false;
    solution->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (solution->memory == NULL)
        return false;
    room = (struct room){solution->memory, 0};
    solution->search =
        balance_search_take(task->layers, &task->shape, task->allow_empty, &room);
    return new_strategy(&solution->answer.best.strategy, &task->shape) &&
           new_strategy(&solution->answer.proxy.strategy, &task->shape);
}

enum pps_status balance_solve(struct balance_solution *solution,
                              const struct balance_request *request,
                              atomic_bool *stop,
                              struct pps_error *err)
{
    *solution =
        (struct balance_solution){.task = {.layers = &request->layers,
                                           .shape = request->shape,
                                           .limit_mb = request->memory_mb - request->margin_mb,
                                           .allow_empty = request->allow_empty,
                                           .budget = (int64_t)request->budget,
                                           .seed = request->seed}};
    if (!take(solution))
        return pps_fail_memory(err, "the search of strategies");
    struct poll poll = {.over = is_stopped, .self = stop};
    solution->outcome =
        balance_search_run(solution->search, &solution->task, (int32_t)request->level, NULL, 0,
                           &poll, &solution->answer);
    return PPS_OK;
}

void balance_solution_free(struct balance_solution *solution)
{
    for (int i = 0; i < solution->n; i++) {
        free(solution->rows[i].strategy.count);
        free(solution->rows[i].result.peak_mb);
    }
    free(solution->answer.best.strategy.count);
    free(solution->answer.proxy.strategy.count);
    free(solution->memory);
    *solution = (struct balance_solution){.n = 0};
}

// ---- rows of a report ---------------------------------------------------------------------------

// Adds a row of the shape of the task, with counts of 0.
static struct balance_row *add_row(struct balance_solution *solution, const char *label)
{
    struct balance_row *row = &solution->rows[solution->n++];
    const struct balance_shape *shape = &solution->task.shape;
    *row = (struct balance_row){.shape = *shape};
    snprintf(row->label, sizeof row->label, "%s", label);
    row->result.peak_mb = calloc((size_t)shape->stages, sizeof *row->result.peak_mb);
    return new_strategy(&row->strategy, shape) && row->result.peak_mb != NULL ? row : NULL;
}

static void replay(struct balance_solution *solution, struct balance_row *row)
{
    balance_replay_run(balance_search_replay(solution->search), solution->task.layers,
                       &row->strategy, &row->result);
}

static enum pps_status add_strategy(struct balance_solution *solution,
                                    const char *label,
                                    const struct balance_strategy *strategy,
                                    struct pps_error *err)
{
    struct balance_row *row = add_row(solution, label);
    if (row == NULL)
        return pps_fail_memory(err, "the strategies of a report");
    const size_t n = (size_t)strategy->stages * (size_t)strategy->chunks * BALANCE_KINDS;
    memcpy(row->strategy.count, strategy->count, n * sizeof *strategy->count);
    replay(solution, row);
    return PPS_OK;
}

enum pps_status balance_add_found(struct balance_solution *solution, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    const struct balance_answer *answer = &solution->answer;
    if (answer->best.is_known)
        status = add_strategy(solution, "found", &answer->best.strategy, err);
    if (status == PPS_OK && answer->proxy.is_known)
        status = add_strategy(solution, "proxy optimum", &answer->proxy.strategy, err);
    return status;
}

enum pps_status balance_add_naive(struct balance_solution *solution, struct pps_error *err)
{
    const struct balance_layers *layers = solution->task.layers;
    const enum balance_kind kinds[] = {BALANCE_NONE, balance_strongest_kind(layers)};
    static const char *const labels[] = {"even, none recomputed", "even, all recomputed"};
    for (int i = 0; i < (kinds[1] == BALANCE_NONE ? 1 : 2); i++) {
        struct balance_row *row = add_row(solution, labels[i]);
        if (row == NULL)
            return pps_fail_memory(err, "the strategies of a report");
        balance_naive(layers, kinds[i], &row->strategy);
        replay(solution, row);
    }
    return PPS_OK;
}
