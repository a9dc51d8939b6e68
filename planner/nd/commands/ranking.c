// SPDX-License-Identifier: Apache-2.0
// Solves candidates and a baseline with several threads.
#include "planner/nd/commands/ranking.h"

#include "base/system/threads.h"

// Gives a strategy without a micro-batch size the fastest size. As published there is only one
// size.
static void rank_best(struct nd_ranked *best,
                      const struct nd_ranking *ranking,
                      struct nd_strategy strategy,
                      int64_t i,
                      const struct nd_rank_source *source)
{
    const struct training *training = &ranking->input->job.run.training;
    const bool given = strategy.mbs > 0;
    const int n = given || ranking->input->compat == ND_ORIG ? 1 : training->n_mbs;
    for (int k = 0; k < n; k++) {
        struct nd_ranked next;
        strategy.mbs = given ? strategy.mbs : (int32_t)training->mbs[k];
        if (k > 0 && training->gbs % ((int64_t)strategy.dp * strategy.mbs) != 0)
            continue;
        nd_rank_one(&next, &strategy, i, source, &ranking->options);
        if (k > 0 && next.cost_ms >= best->cost_ms && next.outcome != ND_RANK_NO_MEMORY) {
            nd_ranked_beside(best, &next);
            nd_ranked_free(&next);
            continue;
        }
        if (k > 0) {
            nd_ranked_beside(&next, best);
            nd_ranked_free(best);
        }
        *best = next;
    }
}

// The loop of one thread: takes candidates until none are left.
static void work(void *self, int thread)
{
    (void)thread;
    struct nd_ranking *ranking = self;
    struct nd_maker maker;
    if (!nd_maker_open(&maker, ranking->input)) {
        ranking->failed = true;
        return;
    }
    const struct nd_rank_source source = {nd_maker_prepare, &maker};
    for (;;) {
        const int64_t i = atomic_fetch_add(&ranking->next, 1);
        if (i >= ranking->picks->n || ranking->failed)
            break;
        rank_best(&ranking->ranked[i], ranking, ranking->picks->strategies[i], i, &source);
        if (ranking->ranked[i].outcome == ND_RANK_NO_MEMORY)
            ranking->failed = true;
    }
    nd_maker_close(&maker);
}

enum pps_status nd_ranking_base(const struct nd_ranking *ranking,
                                const struct nd_strategy *strategy,
                                struct pps_error *err)
{
    struct nd_maker maker;
    if (!nd_maker_open(&maker, ranking->input))
        return pps_fail_memory(err, "the baseline");
    const struct nd_rank_source source = {nd_maker_prepare, &maker};
    rank_best(ranking->base, ranking, *strategy, ranking->picks->n, &source);
    nd_maker_close(&maker);
    return ranking->base->outcome == ND_RANK_NO_MEMORY ? pps_fail_memory(err, "the baseline")
                                                       : PPS_OK;
}

enum pps_status nd_ranking_all(struct nd_ranking *ranking,
                               uint64_t threads,
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
