// SPDX-License-Identifier: Apache-2.0
// Solves candidates for one and more chunks per stage, prices and sorts them.
#include "planner/nd/rank/rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A step: gbs / mbs / dp, each rounded down; as published, mbs does not count.
static int32_t micro_batches(int64_t gbs, const struct nd_strategy *strategy,
                             enum nd_compat compat)
{
    const int64_t mbs = compat == ND_ORIG ? 1 : strategy->mbs;
    const int64_t n = gbs / mbs / strategy->dp;
    return n < INT32_MAX ? (int32_t)n : INT32_MAX;
}

void nd_rank_program(struct nd_program *program, const struct modeldesc *model,
                     const struct nd_strategy *strategy, int64_t gbs,
                     const struct nd_ratios *ratios, enum nd_compat compat)
{
    // With a table of kinds all layers count as the mean of them.
    const int64_t leading = model->experts > 0 && model->n_kinds == 0 ? model->dense_layers : 0;
    nd_program_default(program);
    program->compat = compat;
    program->stages = strategy->pp;
    program->chunks = 1;
    program->micro_batches = micro_batches(gbs, strategy, compat);
    program->layers[0] = (int32_t)leading;
    program->layers[1] = (int32_t)(modeldesc_layers(model) - leading);
    program->layer_ratio = ratios->dense;
    program->backward_ratio = ratios->backward;
    program->head_ratio = ratios->head;
    program->full_growth = ratios->recompute;
}

// ---- one candidate ------------------------------------------------------------------------------

// Forward and backward of the longest stage, one micro-batch, in units.
static double longest_stage(const struct nd_program *program, const struct nd_choice *choice)
{
    const int32_t n = program->stages * program->chunks;
    double longest = 0.0;
    double *durations = calloc(2 * (size_t)n, sizeof *durations);
    if (durations == NULL)
        return 0.0;
    nd_durations(program, choice, durations, durations + n);
    for (int32_t i = 0; i < program->stages; i++) {
        double sum = 0.0;
        for (int32_t k = i; k < n; k += program->stages)
            sum += durations[k] + durations[n + k];
        longest = fmax(longest, sum);
    }
    free(durations);
    return longest;
}

// Returns the exchange between replicas that computation does not hide (model.md).
static double exposed_dp(const struct nd_rank_case *used, const struct nd_solution *solution)
{
    const double stage = longest_stage(&used->program, &solution->choice) * used->layer_ms;
    return nd_exchanges_exposed(&used->extra.dp, stage);
}

// Returns the price of a choice by the program, with this objective.
static struct nd_rank_price price_of_program(const struct nd_rank_case *used,
                                             const struct nd_solution *solution,
                                             enum nd_compat compat)
{
    const bool orig = compat == ND_ORIG;
    struct nd_rank_price price = {.program = solution->objective * used->layer_ms,
                                  .dp = exposed_dp(used, solution),
                                  .optimizer = used->extra.optimizer,
                                  .embedding = used->extra.embedding};
    price.step = price.program + (orig ? 0 : price.dp + price.optimizer + price.embedding);
    for (int32_t i = 0; i < used->program.stages; i++)
        price.peak_mb = fmax(price.peak_mb, solution->peaks[i].memory_mb);
    return price;
}

// Returns the ms that transfers between stages add to the step.
static double transfer_of(const struct nd_rank_case *used, const struct nd_solution *solution)
{
    struct nd_program without = used->program;
    struct nd_value value;
    without.hop = 0.0;
    if (used->program.hop == 0.0 || nd_evaluate(&without, &solution->choice, &value) != ND_DONE)
        return 0.0;
    return fmax(0.0, solution->objective - value.objective) * used->layer_ms;
}

// Returns whether stages may have so many chunks: interleaving needs a multiple of P micro-batches, and a layer in every
// chunk.
static bool can_have(const struct nd_program *program, int32_t chunks)
{
    return chunks == 1 ||
           (program->stages > 1 && program->micro_batches % program->stages == 0 &&
            (int64_t)chunks * program->stages <=
                (int64_t)program->layers[0] + program->layers[1]);
}

// No split into these chunks makes a step shorter than this; HUGE_VAL: there is none.
static double least(const struct nd_rank_case *used, const struct nd_solution *solution,
                    const struct nd_rank_price *price, enum nd_compat compat)
{
    if (solution->status == ND_INFEASIBLE)
        return HUGE_VAL;
    if (solution->status == ND_OPTIMAL)
        return price->step;
    if (solution->found)
        return price->step - price->dp - price->program * solution->gap;
    return solution->bound * used->layer_ms +
           (compat == ND_ORIG ? 0 : used->extra.optimizer + used->extra.embedding);
}

void nd_ranked_set_price(struct nd_ranked *ranked, const struct nd_rank_price *price)
{
    if (ranked->cost_ms > 0 && ranked->cost_ms < HUGE_VAL)
        ranked->least_ms *= price->step / ranked->cost_ms;
    ranked->cost_ms = price->step;
    ranked->program_ms = price->program;
    ranked->dp_ms = price->dp;
    ranked->used.extra.optimizer = price->optimizer;
    ranked->used.extra.embedding = price->embedding;
    ranked->peak_mb = price->peak_mb;
}

// Keeps the solution where it is the best so far.
static void keep_better(struct nd_ranked *ranked, const struct nd_rank_case *used,
                        struct nd_solution *solution, const struct nd_rank_price *price,
                        enum nd_compat compat)
{
    const double least_ms = least(used, solution, price, compat);
    if (price->step < ranked->cost_ms) {
        nd_solution_free(&ranked->solution);
        ranked->others_ms = fmin(ranked->others_ms, ranked->least_ms);
        ranked->solution = *solution;
        ranked->used = *used;
        ranked->cost_ms = HUGE_VAL;
        nd_ranked_set_price(ranked, price);
        ranked->least_ms = least_ms;
        ranked->outcome = ND_RANK_PRICED;
        ranked->why[0] = '\0';
        return;
    }
    ranked->others_ms = fmin(ranked->others_ms, least_ms);
    if (ranked->outcome == ND_RANK_NOT_PRICED && solution->status == ND_INFEASIBLE) {
        ranked->outcome = ND_RANK_INFEASIBLE;
        snprintf(ranked->why, sizeof ranked->why, "%s", solution->why.text);
    } else if (ranked->outcome == ND_RANK_NOT_PRICED) {
        snprintf(ranked->why, sizeof ranked->why,
                 "no solution within the limits of the search");
    }
    nd_solution_free(solution);
}

// Returns the effort of the next program: no step as long as the best so far need be found. Of the best one, the
// exchange between replicas may be hidden wholly.
static struct nd_effort effort_of(const struct nd_ranked *ranked,
                                  const struct nd_rank_options *options)
{
    struct nd_effort effort = {.max_nodes = 0};
    if (options->effort != NULL)
        effort = *options->effort;
    if (ranked->outcome == ND_RANK_PRICED && options->compat == ND_CORRECTED)
        effort.below = ranked->solution.objective * (ranked->program_ms + ranked->dp_ms) /
                       ranked->program_ms;
    return effort;
}

// Solves the program and keeps the solution where it is the best so far. Returns false when out of memory.
static bool solve(struct nd_ranked *ranked, const struct nd_rank_case *used,
                  const struct nd_rank_source *source, const struct nd_rank_options *options)
{
    struct nd_solution solution;
    struct nd_rank_price price = {.step = HUGE_VAL};
    const struct nd_effort effort = effort_of(ranked, options);
    bool no_memory = (source->known != NULL
                          ? nd_known_solve(source->known, &used->program, &effort, &solution)
                          : nd_solve(&used->program, &effort, &solution)) != ND_DONE;
    if (!no_memory && solution.found &&
        (source->price == NULL || !source->price(source->self, &ranked->strategy, used,
                                                 &solution.choice, &price, &no_memory)))
        price = price_of_program(used, &solution, options->compat);
    if (no_memory) {
        nd_solution_free(&solution);
        ranked->outcome = ND_RANK_NO_MEMORY;
        return false;
    }
    keep_better(ranked, used, &solution, &price, options->compat);
    return true;
}

// Returns false if more chunks cannot help.
static bool try_chunks(struct nd_ranked *ranked, const struct nd_rank_case *prepared,
                       int32_t chunks, const struct nd_rank_source *source,
                       const struct nd_rank_options *options)
{
    struct nd_rank_case used = *prepared;
    char why[sizeof ranked->why];
    used.program.chunks = chunks;
    if (!can_have(&used.program, chunks)) {
        if (options->min_vpp > 1 && chunks == options->min_vpp)
            snprintf(ranked->why, sizeof ranked->why,
                     "%d chunks per stage need a number of micro-batches that is a multiple of "
                     "%d stages, and %d layers",
                     chunks, used.program.stages, chunks * used.program.stages);
        return used.program.stages > 1;
    }
    if (!nd_program_check(&used.program, why, sizeof why)) {
        if (ranked->outcome == ND_RANK_NOT_PRICED)
            snprintf(ranked->why, sizeof ranked->why, "%s", why);
        return false;
    }
    return solve(ranked, &used, source, options);
}

void nd_rank_one(struct nd_ranked *ranked, const struct nd_strategy *strategy, int64_t index,
                 const struct nd_rank_source *source, const struct nd_rank_options *options)
{
    const int32_t most = options->compat == ND_ORIG ? 1 : options->max_vpp;
    const int32_t first = strategy->pp > 1 && options->min_vpp > 1 ? options->min_vpp : 1;
    const double start = options->now != NULL ? options->now() : 0.0;
    struct nd_rank_case prepared;
    *ranked = (struct nd_ranked){.strategy = *strategy,
                                 .index = index,
                                 .outcome = ND_RANK_NOT_PRICED,
                                 .cost_ms = HUGE_VAL,
                                 .least_ms = HUGE_VAL,
                                 .others_ms = HUGE_VAL};
    if (source->prepare(source->self, strategy, &prepared, ranked->why, sizeof ranked->why)) {
        prepared.program.chunks = first;
        ranked->used = prepared;
        for (int32_t chunks = first; chunks <= most; chunks++)
            if (!try_chunks(ranked, &prepared, chunks, source, options))
                break;
        if (options->mine != NULL && ranked->outcome != ND_RANK_NO_MEMORY)
            (void)nd_rank_in_order(ranked, &prepared, options);
    }
    ranked->seconds = options->now != NULL ? options->now() - start : 0.0;
    if (ranked->outcome != ND_RANK_PRICED) {
        ranked->cost_ms = HUGE_VAL;
        return;
    }
    if (ranked->family == NULL)
        ranked->transfer_ms = transfer_of(&ranked->used, &ranked->solution);
}

void nd_rank_best(struct nd_ranked *best, const struct nd_strategy *given, int64_t index,
                  const struct nd_rank_source *source, const struct nd_rank_options *options)
{
    const struct training *training = options->training;
    const bool one = given->mbs > 0 || options->compat == ND_ORIG;
    struct nd_strategy strategy = *given;
    bool whole = false; // the best has whole micro-batches
    for (int k = 0; k < (one ? 1 : training->n_mbs); k++) {
        struct nd_ranked next;
        strategy.mbs = given->mbs > 0 ? given->mbs : (int32_t)training->mbs[k];
        const bool divides = training->gbs % ((int64_t)strategy.dp * strategy.mbs) == 0;
        if (k > 0 && !divides)
            continue;
        nd_rank_one(&next, &strategy, index, source, options);
        if (whole && next.cost_ms >= best->cost_ms && next.outcome != ND_RANK_NO_MEMORY) {
            nd_ranked_beside(best, &next);
            nd_ranked_free(&next);
            continue;
        }
        if (whole)
            nd_ranked_beside(&next, best);
        if (k > 0)
            nd_ranked_free(best);
        *best = next;
        whole = divides;
    }
}

void nd_rank_given(struct nd_ranked *ranked, const struct nd_strategy *strategy,
                   const struct nd_choice *choice, const struct nd_rank_source *source,
                   enum nd_compat compat)
{
    struct nd_rank_case *used = &ranked->used;
    struct nd_solution *solution = &ranked->solution;
    struct nd_value value;
    *ranked = (struct nd_ranked){.strategy = *strategy,
                                 .given = true,
                                 .outcome = ND_RANK_NOT_PRICED,
                                 .cost_ms = HUGE_VAL,
                                 .least_ms = HUGE_VAL,
                                 .others_ms = HUGE_VAL};
    if (!source->prepare(source->self, strategy, used, ranked->why, sizeof ranked->why))
        return;
    used->program.chunks = strategy->vp;
    if (!nd_program_check(&used->program, ranked->why, sizeof ranked->why))
        return;
    ranked->outcome = ND_RANK_NO_MEMORY;
    if (!nd_solution_of_choice(solution, &used->program, choice) ||
        nd_peaks(&used->program, &solution->choice, solution->room) != ND_DONE ||
        nd_evaluate(&used->program, &solution->choice, &value) != ND_DONE)
        return;
    solution->found = true;
    solution->status = ND_OPTIMAL;
    solution->objective = value.objective;
    const struct nd_rank_price price = price_of_program(used, solution, compat);
    nd_ranked_set_price(ranked, &price);
    ranked->outcome = ND_RANK_PRICED;
}

void nd_ranked_beside(struct nd_ranked *ranked, const struct nd_ranked *other)
{
    ranked->others_ms = fmin(ranked->others_ms, fmin(other->least_ms, other->others_ms));
}

double nd_ranked_others_gap(const struct nd_ranked *ranked)
{
    return ranked->outcome == ND_RANK_PRICED && ranked->others_ms < ranked->cost_ms
               ? (ranked->cost_ms - ranked->others_ms) / ranked->cost_ms
               : 0.0;
}

void nd_ranked_free(struct nd_ranked *ranked)
{
    nd_solution_free(&ranked->solution);
    ranked->solution = (struct nd_solution){0};
}

static int cheaper(const void *a, const void *b)
{
    const struct nd_ranked *p = a, *q = b;
    if (p->unwritten != q->unwritten && p->outcome == q->outcome)
        return p->unwritten - q->unwritten;
    if (p->cost_ms != q->cost_ms)
        return p->cost_ms < q->cost_ms ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

void nd_rank_sort(struct nd_ranked *ranked, int64_t n)
{
    qsort(ranked, (size_t)n, sizeof *ranked, cheaper);
}
