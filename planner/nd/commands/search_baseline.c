// SPDX-License-Identifier: Apache-2.0
// Reads the baseline of a search and gives it its best number of chunks.
#include "planner/nd/commands/search_baseline.h"

#include "base/text/say.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/input/strategy_option.h"
#include "planner/nd/strategies/filters.h"

#include <stdio.h>

// Whether a is better than b: fewer filters reject it, then it fits in memory, then it is faster.
static bool is_better(const struct nd_search *search,
                      const struct nd_candidate *a,
                      int a_faults,
                      const struct nd_candidate *b,
                      int b_faults)
{
    const bool a_fits = nd_search_fits(search, a), b_fits = nd_search_fits(search, b);
    if (a_faults != b_faults)
        return a_faults < b_faults;
    return a_fits != b_fits ? a_fits : a->step_ms < b->step_ms;
}

// Gives a baseline without vp its best vp, as the search does for candidates.
static void choose_chunks(const struct nd_search *search,
                          const struct nd_job *job,
                          const struct pps_args *args,
                          struct nd_strategy *baseline)
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
static enum pps_status read_baseline(const struct nd_search *search,
                                     const struct nd_job *job,
                                     const struct pps_args *args,
                                     const char *text,
                                     struct nd_strategy *baseline,
                                     struct pps_error *err)
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

enum pps_status nd_baseline_find(const struct nd_search *search,
                                 const struct nd_job *job,
                                 const struct pps_args *args,
                                 struct nd_strategy *room,
                                 const struct nd_strategy **base,
                                 struct pps_error *err)
{
    const bool quiet = pps_arg(args, "quiet") != NULL;
    const char *option = pps_arg(args, "baseline");
    char text[ND_BASELINE_BYTES] = "";
    struct pps_error reason = {.code = PPS_OK}; // no error if a document sets the strategy
    enum pps_status status = PPS_OK;
    *base = NULL;
    if (option == NULL && !job->space.orig && pps_arg(args, "launch") == NULL)
        status = nd_baseline_of_document(&job->run, quiet, text, err);
    if (status != PPS_OK || (option == NULL && text[0] == '\0'))
        return status;
    status = read_baseline(search, job, args, option != NULL ? option : text, room, &reason);
    if (status == PPS_OK)
        *base = room;
    else if (option != NULL)
        *err = reason;
    else if (!quiet)
        pps_say(stderr, "note      no baseline: the strategy in %s cannot run: %s",
                job->run.baseline_in->json.name, reason.text);
    return option != NULL ? status : PPS_OK;
}
