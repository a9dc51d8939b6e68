// SPDX-License-Identifier: Apache-2.0
// Evaluates a point of the balance kernel: searches the strategy, replays it and fills the columns.
#include "kernels/balance/point.h"

#include <math.h>
#include <string.h>

enum {
    MISFIT = 1,
    TOO_FEW_LAYERS,
    UNKNOWN_KIND,
    NO_MEMORY,
    NO_TRAINING,
    SHORT_PIECES,
    NO_PIECES
};

const char *const balance_reasons[] = {
    "",
    [MISFIT] =
        "no order: several chunks need at least as many micro-batches (times seq) as stages "
        "and a seq that fits stages and order, and a step has at most 2^28 operations",
    [TOO_FEW_LAYERS] = "fewer layers than stages x chunks (empty = true allows empty chunks)",
    [UNKNOWN_KIND] = "the layers do not say the memory of a kind in recompute",
    [NO_MEMORY] = "margin is not below memory",
    [NO_TRAINING] = "seq > 1 needs a document with a training configuration",
    [SHORT_PIECES] = "a piece of the sequence has fewer than 4096 tokens",
    [NO_PIECES] =
        "layers and training do not belong together: a piece would have no activations",
    NULL,
};

void balance_point_set(struct balance_point *point, const double *value,
                       const struct balance_shared *shared)
{
    const unsigned kinds = balance_kind_sets[(int)value[P_RECOMPUTE]];
    point->layers = *balance_layers_at(shared, value);
    point->starts = balance_starts_at(shared, value, &point->n_starts);
    for (int k = 0; k < BALANCE_KINDS && kinds != 0; k++)
        point->layers.has[k] = point->layers.has[k] && (kinds >> k & 1) != 0;
    if (value[P_SEQ] > 1 && shared->n_trainings > 0)
        balance_cut_sequence(&point->layers, &shared->trainings[(int)value[P_TRAINING]],
                             (int32_t)value[P_SEQ]);
    point->task =
        (struct balance_task){.layers = &point->layers,
                              .shape = {.stages = (int32_t)value[P_STAGES],
                                        .chunks = (int32_t)value[P_CHUNKS],
                                        .micro_batches = (int32_t)value[P_MICRO_BATCHES],
                                        .pieces = (int32_t)value[P_SEQ],
                                        .order = (enum balance_order)value[P_ORDER],
                                        .transfer = point->layers.transfer},
                              .limit_mb = value[P_MEMORY] - value[P_MARGIN],
                              .allow_empty = value[P_EMPTY] != 0,
                              .budget = (int64_t)value[P_BUDGET],
                              .seed = (uint64_t)value[P_SEED]};
    point->objective = (int)value[P_OBJECTIVE];
    point->level = (int32_t)value[P_LEVEL];
}

int balance_check(const double *value, const void *of)
{
    const struct balance_shared *shared = of;
    const struct balance_layers *layers = balance_layers_at(shared, value);
    const unsigned kinds = balance_kind_sets[(int)value[P_RECOMPUTE]];
    struct balance_point point;
    balance_point_set(&point, value, shared);
    if (balance_shape_misfit(&point.task.shape) != NULL)
        return MISFIT;
    if (value[P_EMPTY] == 0 && layers->layers < value[P_STAGES] * value[P_CHUNKS])
        return TOO_FEW_LAYERS;
    for (int k = 0; k < BALANCE_KINDS; k++)
        if ((kinds >> k & 1) != 0 && !layers->has[k])
            return UNKNOWN_KIND;
    if (value[P_SEQ] > 1 && shared->n_trainings == 0)
        return NO_TRAINING;
    if (value[P_SEQ] > 1 && (double)shared->trainings[(int)value[P_TRAINING]].sequence <
                                value[P_SEQ] * BALANCE_TOKENS_LEAST)
        return SHORT_PIECES;
    if (balance_layers_misfit(&point.layers) != NULL)
        return NO_PIECES;
    return value[P_MARGIN] < value[P_MEMORY] ? 0 : NO_MEMORY;
}

// ---- scratch and cost ---------------------------------------------------------------------------

static int32_t *take_counts(const struct balance_shape *shape, struct room *room)
{
    return room_take(room, BALANCE_KINDS * (size_t)shape->stages * (size_t)shape->chunks,
                     sizeof(int32_t));
}

void balance_scratch_take(struct balance_scratch *scratch, const struct balance_point *point,
                          struct room *room)
{
    const struct balance_task *task = &point->task;
    const struct balance_shape *shape = &task->shape;
    const struct balance_strategy none = {.stages = shape->stages, .chunks = shape->chunks};
    scratch->search = balance_search_take(task->layers, shape, task->allow_empty, room);
    scratch->answer.best.strategy = scratch->answer.proxy.strategy = none;
    scratch->answer.best.strategy.count = take_counts(shape, room);
    scratch->answer.proxy.strategy.count = take_counts(shape, room);
    scratch->peak_mb = room_take(room, (size_t)shape->stages, sizeof *scratch->peak_mb);
    scratch->lists = room_take(room, 4 * (size_t)shape->stages * (size_t)shape->chunks,
                               sizeof *scratch->lists);
}

// The largest memory of all layers up to the highest. Chunks that may be empty hold more layers; a step has a limited
// number of operations.
size_t balance_scratch_bytes(const double *highest, const void *of)
{
    const struct balance_shared *shared = of;
    size_t most = 0;
    const int by = shared->n_layers > 0 ? P_LAYERS : P_PLAN;
    for (int i = 0; i <= (int)highest[by]; i++) {
        double value[N_PARAMS];
        struct balance_point point;
        struct balance_scratch scratch;
        struct room room = {NULL, 0};
        memcpy(value, highest, sizeof value);
        value[by] = i;
        value[P_RECOMPUTE] = 0;
        value[P_EMPTY] = 1;
        value[P_MICRO_BATCHES] =
            fmin(value[P_MICRO_BATCHES],
                 fmax(1, PIPELINE_OPERATIONS_MAX /
                             (2 * value[P_STAGES] * value[P_CHUNKS] * value[P_SEQ])));
        balance_point_set(&point, value, shared);
        point.layers = *balance_layers_at(shared, value); // with all kinds
        balance_scratch_take(&scratch, &point, &room);
        most = room.used > most ? room.used : most;
    }
    return most;
}

// An operation takes about 2 ns in an evaluation.
double balance_cost(const double *value, const void *shared)
{
    const double operations =
        2 * value[P_STAGES] * value[P_CHUNKS] * value[P_MICRO_BATCHES] * value[P_SEQ];
    (void)shared;
    return 1e5 + operations * (2000 + 2 * value[P_BUDGET]);
}

// A stage has at least its share of the work; the first forward of the last stage waits for those before it.
double balance_lower_bound(const double *value, const void *of)
{
    struct balance_point point;
    balance_point_set(&point, value, of);
    const struct balance_layers *layers = &point.layers;
    double least = layers->backward[BALANCE_NONE];
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (layers->has[k])
            least = fmin(least, layers->backward[k]);
    const double work = layers->layers * (layers->forward + least) + layers->head +
                        layers->head_backward + layers->tail + layers->tail_backward;
    return fmax(work, work * value[P_MICRO_BATCHES] * value[P_SEQ] / value[P_STAGES]) *
           (1 - 1e-9);
}

// Returns the makespan of the fastest strategy of the user; NAN: there is none.
static double manual_time(struct balance_scratch *scratch, const struct balance_point *point,
                          struct balance_result *result)
{
    double least = (double)NAN;
    for (int32_t i = 0; i < point->n_starts; i++) {
        balance_replay_run(balance_search_replay(scratch->search), &point->layers,
                           &point->starts[i], result);
        least = fmin(result->makespan, least);
    }
    return least;
}

enum pps_outcome balance_evaluate(struct balance_scratch *scratch,
                                  const struct balance_point *point, struct poll *poll,
                                  struct balance_figures *figures)
{
    struct balance_answer *answer = &scratch->answer;
    struct balance_task task = point->task;
    if (point->objective == OBJECTIVE_PROXY)
        task.budget = 0; // the search adds nothing to the optimum of the proxy
    const enum balance_outcome outcome = balance_search_run(
        scratch->search, &task, point->level, point->starts, point->n_starts, poll, answer);
    if (outcome == BALANCE_INFEASIBLE)
        return PPS_INFEASIBLE;
    if (outcome == BALANCE_STOPPED)
        return PPS_STOPPED;
    figures->chosen = point->objective == OBJECTIVE_PROXY ? &answer->proxy : &answer->best;
    if (!figures->chosen->is_known)
        return PPS_FAILED;
    figures->result.peak_mb = scratch->peak_mb;
    figures->manual_time = manual_time(scratch, point, &figures->result);
    balance_replay_run(balance_search_replay(scratch->search), &point->layers,
                       &figures->chosen->strategy, &figures->result);
    return PPS_DONE;
}
