// SPDX-License-Identifier: Apache-2.0
// Solves a balance request.
#include "planner/balance/solution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum pps_status balance_solution_open(struct balance_solution *solution,
                                      const struct balance_request *request,
                                      struct pps_error *err)
{
    *solution =
        (struct balance_solution){.task = {.layers = &request->layers,
                                           .shape = request->shape,
                                           .limit_mb = request->memory_mb - request->margin_mb,
                                           .allow_empty = request->allow_empty,
                                           .budget = (int64_t)request->budget,
                                           .seed = request->seed},
                                  .mine = balance_request_mine(request),
                                  .by_proxy = request->by_proxy,
                                  .margin_mb = request->margin_mb};
    if (!take(solution))
        return pps_fail_memory(err, "the search of strategies");
    return PPS_OK;
}

enum pps_status balance_solution_replay(struct balance_solution *solution, atomic_bool *stop,
                                        struct pps_error *err)
{
    struct poll poll = {.over = poll_flag, .self = stop};
    return balance_replay_open(balance_search_replay(solution->search), &poll)
               ? PPS_OK
               : pps_fail(err, PPS_E_STOPPED, "stopped before the step was replayed");
}

static bool has_shape(const struct balance_strategy *strategy,
                      const struct balance_shape *shape)
{
    return strategy->stages == shape->stages && strategy->chunks == shape->chunks;
}

// Lists the right strategies of the user that have the shape of the task, and that of the training.
static int32_t list_starts(const struct balance_solution *solution,
                           const struct balance_manual *manual, struct balance_strategy *starts)
{
    int32_t n = 0;
    if (solution->mine != NULL)
        starts[n++] = *solution->mine;
    for (int32_t i = 0; i < manual->n; i++) {
        const struct balance_manual_entry *entry = &manual->entries[i];
        if (entry->fault.text[0] == '\0' && has_shape(&entry->strategy, &solution->task.shape))
            starts[n++] = entry->strategy;
    }
    return n;
}

enum pps_status balance_solve(struct balance_solution *solution,
                              const struct balance_request *request,
                              const struct balance_manual *manual, atomic_bool *stop,
                              struct pps_error *err)
{
    struct poll poll = {.over = poll_flag, .self = stop};
    struct balance_task task = solution->task;
    struct balance_answer *answer = &solution->answer;
    struct balance_strategy *starts = calloc((size_t)manual->n + 2, sizeof *starts);
    if (starts == NULL)
        return pps_fail_memory(err, "the strategies");
    if (solution->by_proxy)
        task.budget = 0;
    solution->outcome =
        balance_search_run(solution->search, &task, (int32_t)request->level, starts,
                           list_starts(solution, manual, starts), &poll, answer);
    free(starts);
    return PPS_OK;
}

void balance_solution_free(struct balance_solution *solution)
{
    for (int i = 0; i < solution->n; i++) {
        free(solution->rows[i].strategy.count);
        free(solution->rows[i].result.peak_mb);
        free(solution->rows[i].memory);
    }
    free(solution->answer.best.strategy.count);
    free(solution->answer.proxy.strategy.count);
    free(solution->memory);
    *solution = (struct balance_solution){.n = 0};
}

// ---- rows of a report ---------------------------------------------------------------------------

// Adds a row of a shape with counts of 0, and the replay of the search. NULL: no memory.
static struct balance_row *add_row(struct balance_solution *solution,
                                   enum balance_row_kind kind, const char *label,
                                   const struct balance_shape *shape)
{
    struct balance_row *row = &solution->rows[solution->n++];
    *row = (struct balance_row){.kind = kind,
                                .shape = *shape,
                                .replay = balance_search_replay(solution->search)};
    snprintf(row->label, sizeof row->label, "%s", label);
    row->result.peak_mb = calloc((size_t)shape->stages, sizeof *row->result.peak_mb);
    return new_strategy(&row->strategy, shape) && row->result.peak_mb != NULL ? row : NULL;
}

static enum pps_status no_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the strategies of a report");
}

static void replay(const struct balance_solution *solution, struct balance_row *row)
{
    balance_replay_run(row->replay, solution->task.layers, &row->strategy, &row->result);
}

static void copy(struct balance_row *row, const struct balance_strategy *strategy)
{
    const size_t n = (size_t)strategy->stages * (size_t)strategy->chunks * BALANCE_KINDS;
    memcpy(row->strategy.count, strategy->count, n * sizeof *strategy->count);
}

static enum pps_status add_strategy(struct balance_solution *solution,
                                    enum balance_row_kind kind, const char *label,
                                    const struct balance_strategy *strategy,
                                    struct pps_error *err)
{
    struct balance_row *row = add_row(solution, kind, label, &solution->task.shape);
    if (row == NULL)
        return no_memory(err);
    copy(row, strategy);
    replay(solution, row);
    return PPS_OK;
}

enum pps_status balance_add_found(struct balance_solution *solution, struct pps_error *err)
{
    const struct balance_answer *answer = &solution->answer;
    enum pps_status status = PPS_OK;
    if (answer->best.is_known && !solution->by_proxy)
        status =
            add_strategy(solution, BALANCE_ROW_FOUND, "found", &answer->best.strategy, err);
    if (status == PPS_OK && answer->proxy.is_known)
        status = add_strategy(solution, BALANCE_ROW_PROXY, "proxy optimum",
                              &answer->proxy.strategy, err);
    return status;
}

enum pps_status balance_add_mine(struct balance_solution *solution, struct pps_error *err)
{
    return solution->mine == NULL
               ? PPS_OK
               : add_strategy(solution, BALANCE_ROW_MINE, "mine", solution->mine, err);
}

enum pps_status balance_add_naive(struct balance_solution *solution, struct pps_error *err)
{
    const struct balance_layers *layers = solution->task.layers;
    const enum balance_kind kinds[] = {BALANCE_NONE, balance_strongest_kind(layers)};
    static const char *const labels[] = {"even, none recomputed", "even, all recomputed"};
    for (int i = 0; i < (kinds[1] == BALANCE_NONE ? 1 : 2); i++) {
        struct balance_row *row =
            add_row(solution, i == 0 ? BALANCE_ROW_NAIVE_NONE : BALANCE_ROW_NAIVE_ALL,
                    labels[i], &solution->task.shape);
        if (row == NULL)
            return no_memory(err);
        balance_naive(layers, kinds[i], &row->strategy);
        replay(solution, row);
    }
    return PPS_OK;
}

// Gives the row a replay of its own.
static bool open_replay(struct balance_row *row)
{
    struct room room = {NULL, 0};
    (void)balance_replay_take(&row->shape, &room);
    row->memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (row->memory == NULL)
        return false;
    room = (struct room){row->memory, 0};
    row->replay = balance_replay_take(&row->shape, &room);
    return balance_replay_open(row->replay, NULL);
}

static enum pps_status add_entry(struct balance_solution *solution,
                                 const struct balance_manual_entry *entry,
                                 struct pps_error *err)
{
    struct balance_shape shape = solution->task.shape;
    shape.chunks = entry->strategy.chunks;
    const char *misfit = balance_shape_misfit(&shape);
    if (misfit != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s: %s", entry->name, misfit);
    struct balance_row *row = add_row(solution, BALANCE_ROW_MANUAL, entry->name, &shape);
    if (row == NULL)
        return no_memory(err);
    if (!has_shape(&entry->strategy, &solution->task.shape) && !open_replay(row))
        return no_memory(err);
    row->entry = entry;
    copy(row, &entry->strategy);
    replay(solution, row);
    return PPS_OK;
}

enum pps_status balance_add_manual(struct balance_solution *solution,
                                   const struct balance_manual *manual, struct pps_error *err)
{
    for (int32_t i = 0; i < manual->n; i++) {
        enum pps_status status = PPS_OK;
        if (solution->n == BALANCE_ROWS_MAX)
            return pps_fail(err, PPS_E_INPUT, "more than %d strategies", BALANCE_ROWS_MAX);
        if (manual->entries[i].fault.text[0] == '\0')
            status = add_entry(solution, &manual->entries[i], err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}
