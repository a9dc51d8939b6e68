// SPDX-License-Identifier: Apache-2.0
// Decides the fillings of the stages by branch and bound.
#include "kernels/balance/search/balance_proof.h"

#include "kernels/balance/search/balance_fillings.h"
#include "kernels/common/options/split_branch.h"

#include <math.h>
#include <string.h>

enum {
    CHUNKS_MAX = 64,     // of a pipeline
    LAYERS_MAX = 500,    // of a model
    CUTS = 2,            // of the search: its room
    FILLING_STEPS = 512, // of the enumeration of fillings, for each evaluation of the budget
    BRANCH_STEPS = 32768 // of the search among them
};

#define ROUNDING 1e-12 // of sums, relative

struct balance_proof {
    struct balance_fillings fillings;
    struct split_search search;
    struct split_branch branch;
    double *costs; // [CUTS][fillings]

    // Of the present call.
    struct balance_bound *bound;
    struct balance_replay *replay;
    struct poll *poll;
    struct balance_proof_answer *answer;
    int64_t budget;
    uint64_t replay_steps, steps_max;
};

static bool is_small(const struct balance_layers *layers, const struct balance_shape *shape)
{
    return (int64_t)shape->stages * shape->chunks <= CHUNKS_MAX && layers->layers <= LAYERS_MAX;
}

struct balance_proof *balance_proof_take(const struct balance_layers *layers,
                                         const struct balance_shape *shape, bool allow_empty,
                                         struct room *room)
{
    struct balance_proof *taken = room_take(room, 1, sizeof *taken), counted;
    struct balance_proof *p = taken != NULL ? taken : &counted;
    if (!is_small(layers, shape))
        return taken;
    const size_t n = (size_t)balance_fillings_max(shape);
    balance_fillings_take(&p->fillings, layers, shape, allow_empty, room);
    split_search_take(&p->search, shape->stages, shape->chunks, layers->layers, CUTS, room);
    split_branch_take(&p->branch, &p->search, p->fillings.layers_max, (int32_t)n, room);
    p->costs = room_take(room, CUTS * n, sizeof *p->costs);
    return taken;
}

// ---- the oracle ---------------------------------------------------------------------------------

static double value(void *self, const double *forward, const double *backward)
{
    struct balance_proof *p = self;
    p->answer->evaluations++;
    return balance_makespan(p->replay, forward, backward);
}

static bool path(void *self, const double *forward, const double *backward, double *forwards,
                 double *backwards, double *constant)
{
    struct balance_proof *p = self;
    const int32_t n = p->search.stages * p->search.chunks;
    double sum = 0;
    p->search.nodes += p->replay_steps;
    const double makespan = balance_makespan(p->replay, forward, backward);
    if (!balance_bound_path(p->bound, forwards, backwards, p->poll))
        return false;
    for (int32_t k = 0; k < n; k++)
        sum += forwards[k] * forward[k] + backwards[k] * backward[k];
    const double messages = makespan * (1 - ROUNDING) - sum;
    *constant = messages > 0 ? messages : 0;
    return true;
}

static void keep(void *self, const int32_t *choice)
{
    struct balance_proof *p = self;
    struct balance_strategy *strategy = &p->answer->strategy;
    p->answer->has_better = true;
    for (int32_t s = 0; s < strategy->stages; s++)
        for (int32_t v = 0; v < strategy->chunks; v++)
            for (int k = 0; k < BALANCE_KINDS; k++)
                strategy->count[balance_at(strategy, (enum balance_kind)k, v, s)] =
                    balance_filling_content(&p->fillings, choice[s], v)->count[k];
}

static bool is_spent(const struct balance_proof *p)
{
    return p->answer->evaluations >= p->budget || p->search.nodes > p->steps_max;
}

static bool often(void *self, uint64_t nodes)
{
    struct balance_proof *p = self;
    (void)nodes;
    return is_spent(p) || poll_over(p->poll);
}

static bool now(void *self)
{
    struct balance_proof *p = self;
    return is_spent(p) || poll_has_ended(p->poll);
}

// ---- the proof ----------------------------------------------------------------------------------

// The weights of the bound are a mean of paths, and so a cut.
static void add_weights(struct balance_proof *p)
{
    struct split_search *s = &p->search;
    struct split_cut *cut = &s->cuts.all[split_cuts_add(&s->cuts)];
    const struct balance_weights weights = balance_bound_weights(p->bound);
    const size_t n = (size_t)s->stages * (size_t)s->chunks;
    memcpy(cut->forwards, weights.forward, n * sizeof *cut->forwards);
    memcpy(cut->backwards, weights.backward, n * sizeof *cut->backwards);
    cut->constant = 0;
}

static void open_search(struct balance_proof *p, double best)
{
    struct split_search *s = &p->search;
    s->oracle = (struct split_oracle){.self = p,
                                      .value = value,
                                      .path = path,
                                      .keep = keep,
                                      .often = often,
                                      .now = now};
    s->options = &p->fillings.split;
    s->best = best;
    s->over = s->failed = false;
    s->cuts.n = 0;
    split_cuts_set_costs(&s->cuts, p->costs, p->fillings.split.n);
    add_weights(p);
}

void balance_proof_run(struct balance_proof *p, const struct balance_task *task,
                       struct balance_bound *bound, struct balance_replay *replay, double best,
                       int64_t budget, struct poll *poll, struct balance_proof_answer *answer)
{
    int64_t steps = 0;
    answer->is_complete = answer->has_better = false;
    answer->bound = 0;
    answer->evaluations = 0;
    if (!is_small(task->layers, &task->shape))
        return;
    p->bound = bound;
    p->replay = replay;
    p->poll = poll;
    p->answer = answer;
    p->budget = budget;
    p->steps_max = BRANCH_STEPS * (uint64_t)budget;
    p->replay_steps = 4 * (uint64_t)task->shape.stages * (uint64_t)task->shape.chunks *
                      (uint64_t)task->shape.micro_batches * (uint64_t)task->shape.pieces;
    if (!balance_fillings_make(&p->fillings, task, bound, replay, best, FILLING_STEPS * budget,
                               &steps, poll))
        return;
    p->search.nodes = 0;
    open_search(p, best);
    split_branch_run(&p->branch);
    answer->makespan = p->search.best;
    answer->bound = fmin(p->search.bound, p->search.best);
    answer->is_complete = answer->bound >= p->search.best;
}
