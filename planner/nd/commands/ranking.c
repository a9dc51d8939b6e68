// SPDX-License-Identifier: Apache-2.0
// Solves candidates and a baseline with several threads.
#include "planner/nd/commands/ranking.h"

#include "base/system/threads.h"
#include "planner/nd/input/choice_price.h"
#include "planner/nd/rank/ordered_split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Returns whether strategies only differ in how the optimizer is divided.
static bool are_alike(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return a->dp == b->dp && a->tp == b->tp && a->cp == b->cp && a->pp == b->pp &&
           a->ep == b->ep && a->vp == b->vp && a->mbs == b->mbs && a->sp == b->sp;
}

// Returns into how many parts the optimizer is divided.
static int32_t shards_of(const struct nd_strategy *strategy)
{
    return strategy->op < 0 ? strategy->dp : strategy->op;
}

// Returns the candidate after `last` among those like candidate i: the one with the next fewer shards, or with as many
// the next in the input. last: -1: the first. -1: there is none.
static int64_t next_alike(const struct nd_picks *picks, int64_t i, int64_t last)
{
    const struct nd_strategy *all = picks->strategies;
    const int32_t before = last < 0 ? INT32_MAX : shards_of(&all[last]);
    int64_t found = -1;
    for (int64_t k = i; k < picks->n; k++) {
        const int32_t shards = shards_of(&all[k]);
        const bool after = shards < before || (shards == before && k > last);
        if (after && are_alike(&all[k], &all[i]) &&
            (found < 0 || shards > shards_of(&all[found])))
            found = k;
    }
    return found;
}

static bool is_first_alike(const struct nd_picks *picks, int64_t i)
{
    for (int64_t k = 0; k < i; k++)
        if (are_alike(&picks->strategies[k], &picks->strategies[i]))
            return false;
    return true;
}

// The loop of one thread: takes candidates that are alike until none are left.
static void work(void *self, int thread)
{
    (void)thread;
    struct nd_ranking *ranking = self;
    const struct nd_picks *picks = ranking->picks;
    struct nd_maker maker;
    nd_maker_open(&maker, ranking->input);
    for (;;) {
        const int64_t i = atomic_fetch_add(&ranking->next, 1);
        struct nd_known_splits known = {0};
        const struct nd_rank_source source = {nd_maker_prepare, nd_maker_price, &maker, &known};
        if (i >= picks->n || ranking->failed)
            break;
        for (int64_t k = is_first_alike(picks, i) ? next_alike(picks, i, -1) : -1;
             k >= 0 && !ranking->failed; k = next_alike(picks, i, k)) {
            nd_rank_best(&ranking->ranked[k], &picks->strategies[k], k, &source,
                         &ranking->options);
            if (ranking->ranked[k].outcome == ND_RANK_NO_MEMORY)
                ranking->failed = true;
        }
        nd_known_free(&known);
    }
}

// With measured times or memory, the training is priced as the rows are.
static enum pps_status price_mine(struct nd_ranking *ranking, const struct configuration *c,
                                  struct pps_error *err)
{
    struct nd_maker maker;
    int32_t *room = calloc(6 * (size_t)c->n_parts, sizeof *room);
    if (room == NULL)
        return pps_fail_memory(err, "the training");
    nd_maker_open(&maker, ranking->input);
    const struct nd_rank_source source = {nd_maker_prepare, NULL, &maker, NULL};
    const struct nd_choice choice = nd_choice_of_configuration(c, room);
    nd_rank_given(ranking->base, &c->strategy, &choice, &source, ND_CORRECTED);
    free(room);
    return ranking->base->outcome == ND_RANK_NO_MEMORY ? pps_fail_memory(err, "the training")
                                                       : PPS_OK;
}

enum pps_status nd_ranking_mine(struct nd_ranking *ranking, struct pps_error *err)
{
    const struct plan_mine *mine = &ranking->mine;
    const struct configuration *c = &mine->plan.configuration;
    const struct nd_rank_price price = nd_price_of_step(&mine->step);
    const bool measured = ranking->input->profiles.n > 0 || ranking->input->has_figures;
    struct nd_ranked *base = ranking->base;
    ranking->base_label = "mine";
    ranking->base_fits = plan_mine_fits(mine);
    if (measured && !configuration_is_ordered(c))
        return price_mine(ranking, c, err);
    if (!measured && configuration_is_ordered(c))
        ranking->options.mine = c;
    *base = (struct nd_ranked){.strategy = c->strategy,
                               .given = true,
                               .outcome = measured ? ND_RANK_NOT_PRICED : ND_RANK_PRICED,
                               .cost_ms = HUGE_VAL,
                               .others_ms = HUGE_VAL,
                               .used = {.source = ND_RATIOS_MODEL},
                               .family = configuration_is_ordered(c) ? c->family : NULL};
    base->used.program.chunks = c->strategy.vp;
    if (measured)
        snprintf(base->why, sizeof base->why, "schedule %s has a price by the models only",
                 configuration_family(c)->name);
    else
        nd_ranked_set_price(base, &price);
    return PPS_OK;
}

enum pps_status nd_ranking_base(const struct nd_ranking *ranking,
                                const struct nd_strategy *strategy, struct pps_error *err)
{
    struct nd_maker maker;
    nd_maker_open(&maker, ranking->input);
    const struct nd_rank_source source = {nd_maker_prepare, nd_maker_price, &maker, NULL};
    nd_rank_best(ranking->base, strategy, ranking->picks->n, &source, &ranking->options);
    return ranking->base->outcome == ND_RANK_NO_MEMORY ? pps_fail_memory(err, "the baseline")
                                                       : PPS_OK;
}

enum pps_status nd_ranking_all(struct nd_ranking *ranking, uint64_t threads,
                               struct pps_error *err)
{
    const uint64_t n = (uint64_t)ranking->picks->n;
    const enum pps_status status =
        pps_parallel((int)(threads < n ? threads : n), work, ranking, err);
    if (status != PPS_OK)
        return status;
    if (ranking->failed)
        return pps_fail_memory(err, "the pipeline programs");
    nd_rank_sort(ranking->ranked, ranking->picks->n);
    return PPS_OK;
}
