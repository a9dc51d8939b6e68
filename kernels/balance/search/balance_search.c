// SPDX-License-Identifier: Apache-2.0
// Searches strategies: proxy, starts, bound, local search.
#include "kernels/balance/search/balance_search.h"

#include "kernels/balance/search/balance_bound.h"
#include "kernels/balance/search/balance_draft.h"
#include "kernels/balance/search/balance_proof.h"

#include <math.h>

enum {
    PURPOSE = 0x62616c61, // of the random numbers of a search
    ROUNDS = 5000,        // of the bound, which stops when it no longer grows
    // The history of late acceptance and the evaluations of a chain of local search, at least and for each
    // chunk of the pipeline. Measured on four points of sweep_configs/09-balance.json (2 chunks), as the
    // change of the mean step: history 30 none, 1000 +0.06 %; chains of 1000 or 16000 none.
    HISTORY = 300,
    CHAIN_LEAST = 4000,
    CHAIN_PER_CHUNK = 400,
    CHAINS_BEFORE = 2,    // the proof
    PROXY_STEPS = 1 << 27 // of the exact solution of the proxy
};

#define PROVEN 1e-9 // relative distance of a bound that proves a makespan

struct balance_search {
    struct balance_replay *replay;
    struct proxy *proxy;
    struct balance_draft *draft;
    struct balance_bound *bound;
    struct balance_proof *proof;
    int32_t *n_vectors; // [stages]
    const int32_t **vectors;
    int32_t *other; // counts of a strategy

    // Of the present task.
    const struct balance_task *task;
    struct balance_answer *answer;
    struct balance_proof_answer found; // its strategy lies in `other`
    struct poll *poll;
};

struct balance_search *balance_search_take(const struct balance_layers *layers,
                                           const struct balance_shape *shape, bool allow_empty,
                                           struct room *room)
{
    struct balance_search *taken = room_take(room, 1, sizeof *taken), counted;
    struct balance_search *s = taken != NULL ? taken : &counted;
    const size_t stages = (size_t)shape->stages;
    s->replay = balance_replay_take(shape, room);
    s->proxy = proxy_take(layers, shape, allow_empty, room);
    s->draft = balance_draft_take(shape, room);
    s->bound = balance_bound_take(layers, shape, room);
    s->proof = balance_proof_take(layers, shape, allow_empty, room);
    s->n_vectors = room_take(room, stages, sizeof *s->n_vectors);
    s->vectors = room_take(room, stages, sizeof *s->vectors);
    s->other =
        room_take(room, stages * (size_t)shape->chunks * BALANCE_KINDS, sizeof *s->other);
    return taken;
}

struct balance_replay *balance_search_replay(struct balance_search *search)
{
    return search->replay;
}

// ---- strategies to start from -------------------------------------------------------------------

static double evaluate(struct balance_search *s)
{
    s->answer->evaluations++;
    return balance_draft_evaluate(s->draft);
}

// Takes the draft, whose makespan is known, as the best strategy if it is faster.
static void offer(struct balance_search *s, double makespan)
{
    struct balance_candidate *best = &s->answer->best;
    if (best->is_known && makespan >= best->makespan)
        return;
    best->is_known = true;
    best->makespan = makespan;
    balance_draft_get(s->draft, &best->strategy);
}

static void offer_strategy(struct balance_search *s, const struct balance_strategy *strategy)
{
    if (balance_is_canonical(strategy) && balance_draft_set(s->draft, strategy))
        offer(s, evaluate(s));
}

static void offer_naive(struct balance_search *s, enum balance_kind kind)
{
    struct balance_strategy naive = s->answer->best.strategy;
    naive.count = s->other;
    balance_naive(s->task->layers, kind, &naive);
    if (s->task->allow_empty || s->task->layers->layers >= naive.stages * naive.chunks)
        offer_strategy(s, &naive);
}

// Ends the exact solution of the proxy after a number of steps, so that large tasks reach the search.
struct limit {
    struct poll *poll;
    int64_t left; // calls
};

static bool is_limited(void *self)
{
    struct limit *limit = self;
    return poll_has_ended(limit->poll) || limit->left-- <= 0;
}

static enum proxy_outcome solve_proxy(struct balance_search *s, int32_t level)
{
    const struct balance_task *task = s->task;
    for (int32_t k = 0; k < task->shape.stages; k++)
        s->n_vectors[k] = balance_in_flight(s->replay, k, &s->vectors[k]);
    const struct proxy_program program = {.layers = task->layers,
                                          .shape = task->shape,
                                          .level = level,
                                          .allow_empty = task->allow_empty,
                                          .limit_mb = task->limit_mb,
                                          .vectors = s->vectors,
                                          .n_vectors = s->n_vectors};
    struct balance_answer *answer = s->answer;
    struct proxy_answer solved = {.strategy = answer->proxy.strategy};
    struct limit limit = {.poll = s->poll, .left = PROXY_STEPS / POLL_STEPS};
    struct poll poll = {.over = is_limited, .self = &limit};
    const enum proxy_outcome outcome = proxy_solve(s->proxy, &program, &poll, &solved);
    answer->lack = solved.lack;
    answer->proxy.is_known = solved.has_strategy;
    if (!solved.has_strategy)
        return outcome;
    answer->proxy_value = solved.value.value;
    answer->proxy_is_proven = solved.bound >= solved.value.value;
    if (balance_draft_set(s->draft, &answer->proxy.strategy)) {
        answer->proxy.makespan = evaluate(s);
        offer(s, answer->proxy.makespan);
    }
    return outcome;
}

// ---- local search -------------------------------------------------------------------------------

static double change(void *self, struct search_draws *draws, double most)
{
    (void)most;
    struct balance_search *s = self;
    if (!balance_draft_change(s->draft, draws))
        return (double)INFINITY;
    return evaluate(s);
}

static void undo(void *self)
{
    balance_draft_undo(((struct balance_search *)self)->draft);
}

static void keep(void *self)
{
    balance_draft_keep(((struct balance_search *)self)->draft);
}

static void go_back(void *self)
{
    balance_draft_go_back(((struct balance_search *)self)->draft);
}

static bool is_proven(const struct balance_answer *answer)
{
    return answer->bound >= answer->best.makespan * (1 - PROVEN);
}

static bool is_over(const struct balance_search *s)
{
    return s->answer->evaluations + 1 >= s->task->budget || is_proven(s->answer) ||
           poll_has_ended(s->poll);
}

// Returns the evaluations of a whole chain: a change of the search is one at most.
static int64_t chain_length(const struct balance_search *s)
{
    const struct balance_shape *shape = &s->task->shape;
    const int64_t wanted = CHAIN_PER_CHUNK * (int64_t)shape->stages * shape->chunks;
    return wanted > CHAIN_LEAST ? wanted : CHAIN_LEAST;
}

// One chain: the even ones from the best strategy so far, the odd ones from an even split that is different in
// every chain. A larger budget makes more chains, and the last one longer.
static void run_chain(struct balance_search *s, int32_t number)
{
    const struct balance_task *task = s->task;
    struct search_draws draws = {.seed = task->seed, .purpose = PURPOSE + (uint32_t)number};
    const struct search_problem problem = {.self = s,
                                           .change = change,
                                           .undo = undo,
                                           .keep = keep,
                                           .go_back = go_back};
    const int64_t length = chain_length(s), rest = task->budget - s->answer->evaluations - 1;
    const struct search_limits limits = {
        .budget = length < rest ? length : rest,
        .patience = length / 4 + 1,
        .history = HISTORY,
        .bound = s->answer->bound * (1 + PROVEN),
        .cost = 2 * (uint64_t)task->shape.stages * (uint64_t)task->shape.chunks *
                (uint64_t)task->shape.micro_batches * (uint64_t)task->shape.pieces,
        .poll = s->poll};
    if (number % 2 == 0 || !balance_draft_even(s->draft, &draws))
        (void)balance_draft_set(s->draft, &s->answer->best.strategy);
    const double value = evaluate(s);
    balance_draft_keep(s->draft);
    int64_t changes = 0;
    offer(s, search_local(&problem, value, &limits, &draws, &changes));
}

// Takes the strategy that the proof has found, if it is the best.
static void take_proof(struct balance_search *s)
{
    struct balance_proof_answer *found = &s->found;
    if (found->has_better && balance_draft_set(s->draft, &found->strategy))
        offer(s, found->makespan);
    found->has_better = false;
}

// Tries to prove the best strategy with half of the evaluations that are left. A better one that an incomplete
// proof finds is for the end only: chains start from what chains have found, so that those of a larger budget
// do the same first.
static void prove(struct balance_search *s)
{
    struct balance_answer *answer = s->answer;
    struct balance_proof_answer *found = &s->found;
    balance_proof_run(s->proof, s->task, s->bound, s->replay, answer->best.makespan,
                      (s->task->budget - answer->evaluations) / 2, s->poll, found);
    answer->evaluations += found->evaluations;
    answer->bound = fmax(answer->bound, found->bound);
    if (found->is_complete) {
        take_proof(s);
        answer->bound = answer->best.makespan;
    }
    answer->bound = fmin(answer->bound, answer->best.makespan);
}

static void improve(struct balance_search *s)
{
    s->found = (struct balance_proof_answer){.strategy = s->answer->best.strategy};
    s->found.strategy.count = s->other;
    for (int32_t k = 0; !is_over(s); k++)
        if (k == CHAINS_BEFORE)
            prove(s);
        else
            run_chain(s, k);
    take_proof(s);
    s->answer->bound = fmin(s->answer->bound, s->answer->best.makespan);
}

// ---- the whole ----------------------------------------------------------------------------------

enum balance_outcome balance_search_run(struct balance_search *s,
                                        const struct balance_task *task, int32_t level,
                                        const struct balance_strategy *starts, int32_t n_starts,
                                        struct poll *poll, struct balance_answer *answer)
{
    s->task = task;
    s->answer = answer;
    s->poll = poll;
    answer->best.is_known = answer->proxy.is_known = answer->is_proven = false;
    answer->bound = 0;
    answer->evaluations = 0;
    if (!balance_replay_open(s->replay, poll))
        return BALANCE_STOPPED;
    balance_draft_open(s->draft, task, s->replay);
    if (solve_proxy(s, level) == PROXY_INFEASIBLE)
        return BALANCE_INFEASIBLE;
    offer_naive(s, BALANCE_NONE);
    offer_naive(s, balance_strongest_kind(task->layers));
    for (int32_t i = 0; i < n_starts; i++)
        offer_strategy(s, &starts[i]);
    struct search_draws draws = {.seed = task->seed, .purpose = PURPOSE};
    if (balance_draft_even(s->draft, &draws))
        offer(s, evaluate(s));
    if (!answer->best.is_known)
        return BALANCE_STOPPED;
    answer->bound = balance_bound_find(s->bound, task, s->replay, ROUNDS, poll);
    answer->bound = fmin(answer->bound, answer->best.makespan);
    improve(s);
    answer->is_proven = is_proven(answer);
    if (answer->is_proven)
        answer->bound = answer->best.makespan;
    return poll_has_ended(poll) && !answer->is_proven ? BALANCE_STOPPED : BALANCE_FOUND;
}
