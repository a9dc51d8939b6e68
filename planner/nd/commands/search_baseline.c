// SPDX-License-Identifier: Apache-2.0
// Reads the baseline of a search and gives it its best number of chunks.
#include "planner/nd/commands/search_baseline.h"

#include "base/math/units.h"
#include "planner/nd/commands/search_replay.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/strategies/filters.h"
#include "planner/shared/plan_configuration.h"

#include <stdio.h>

// Whether a is better than b: fewer filters reject it, then it fits in memory, then it is faster.
static bool is_better(const struct nd_search *search, const struct nd_candidate *a,
                      int a_faults, const struct nd_candidate *b, int b_faults)
{
    const bool a_fits = nd_search_fits(search, a), b_fits = nd_search_fits(search, b);
    if (a_faults != b_faults)
        return a_faults < b_faults;
    return a_fits != b_fits ? a_fits : a->step_ms < b->step_ms;
}

// Gives a baseline without vp its best vp, as the search does for candidates.
static void choose_chunks(const struct nd_search *search, const struct nd_job *job,
                          const struct pps_args *args, struct nd_strategy *baseline)
{
    struct nd_reason reasons[ND_REASONS_MAX];
    struct nd_strategy tried = *baseline;
    struct nd_candidate best;
    int faults = -1;
    for (tried.vp = 1; tried.vp <= job->filters.vp_max; tried.vp++) {
        if (!nd_search_can(search, &tried) ||
            !training_allows_chunks(&job->run.training, tried.pp, tried.vp))
            continue;
        const int n = nd_filters_explain(&job->filters, &job->space, &tried, reasons);
        const struct nd_candidate c = nd_search_evaluate(search, &tried);
        if (faults >= 0 && !is_better(search, &c, n, &best, faults))
            continue;
        best = c;
        faults = n;
        *baseline = tried;
    }
    if (faults >= 0 && baseline->pp > 1 && pps_arg(args, "quiet") == NULL)
        fprintf(stderr, "note      baseline uses vp=%d, the best from 1 to %d\n", baseline->vp,
                job->filters.vp_max);
}

// Reads a strategy that can be evaluated; filters may reject it.
static enum pps_status read_baseline(const struct nd_search *search, const struct nd_job *job,
                                     const struct pps_args *args, const char *text,
                                     struct nd_strategy *baseline, struct pps_error *err)
{
    struct nd_reason reasons[ND_REASONS_MAX];
    const enum pps_status status = nd_strategy_read(job, "baseline", text, baseline, err);
    if (status != PPS_OK)
        return status;
    if (!job->space.orig && !nd_strategy_sets(text, "vp"))
        choose_chunks(search, job, args, baseline);
    if (nd_search_can(search, baseline))
        return nd_strategy_check_chunks(job, "baseline", text, baseline, err);
    const int n = nd_filters_explain(&job->filters, &job->space, baseline, reasons);
    return pps_fail(err, PPS_E_INPUT, "--baseline %s: %s", text,
                    n > 0 ? reasons[0].text : "this strategy cannot run");
}

// Evaluates the training of a document.
static enum pps_status find_mine(struct nd_job *job, bool quiet, struct poll *poll,
                                 struct nd_base *base, struct pps_error *err)
{
    struct plan_mine mine;
    const enum pps_status status = plan_mine_open(&mine, &job->run, quiet, poll, err);
    if (status != PPS_OK)
        return status;
    if (mine.has)
        *base = (struct nd_base){
            .has = true,
            .label = "mine",
            .candidate = {.strategy = mine.plan.configuration.strategy,
                          .memory_mb = units_to_mib(mine.step.peak),
                          .step_ms = units_to_ms(mine.step.seconds),
                          .mfu = mine.step.mfu,
                          .hfu = mine.step.hfu},
            .recompute = plan_mine_recompute(&mine.plan.configuration),
            .fits = plan_mine_fits(&mine),
        };
    plan_mine_close(&mine);
    return PPS_OK;
}

enum pps_status nd_baseline_find(const struct nd_search *search, struct nd_job *job,
                                 const struct pps_args *args, struct poll *poll,
                                 struct nd_base *base, struct pps_error *err)
{
    static const char *const recompute[] = {"none", "select", "full"};
    const char *option = pps_arg(args, "baseline");
    struct nd_strategy strategy;
    *base = (struct nd_base){.has = false};
    if (option == NULL && (job->space.orig || pps_arg(args, "launch") != NULL))
        return PPS_OK;
    if (option == NULL)
        return find_mine(job, pps_arg(args, "quiet") != NULL, poll, base, err);
    enum pps_status status = read_baseline(search, job, args, option, &strategy, err);
    if (status != PPS_OK)
        return status;
    *base = (struct nd_base){.has = true,
                             .label = "base",
                             .candidate = nd_search_evaluate(search, &strategy)};
    base->fits = nd_search_fits(search, &base->candidate);
    base->recompute = recompute[base->candidate.strategy.recompute];
    return job->space.orig ? PPS_OK : nd_replay_one(&base->candidate, job, poll, err);
}
