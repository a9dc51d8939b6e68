// SPDX-License-Identifier: Apache-2.0
// Evaluates each survivor once; computes the step time only of survivors that fit.
#include "planner/nd/strategies/search.h"

#include "base/math/units.h"
#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct nd_search *search;
    struct nd_search_result *result;
    size_t cap;
    struct nd_candidate current; // the quickest of the tuple that is being walked
    bool has_current;
    bool failed;
};

// ---- one strategy -------------------------------------------------------------------------------

// Memory of a group that was measured, with full recompute; NAN: it was not.
static double measured_mb(const struct nd_search *search, const struct nd_strategy *s)
{
    const struct nd_epfit_result *fits = search->fits;
    for (size_t k = 0; fits != NULL && k < fits->n_groups; k++) {
        const struct nd_epfit_group *g = &fits->groups[k];
        if (g->dp == s->dp && g->tp == s->tp && g->pp == s->pp && s->cp == 1 &&
            g->note != ND_EPFIT_INCOMPLETE)
            return nd_epfit_peak(&g->fit, s->ep);
    }
    return (double)NAN;
}

static struct nd_candidate evaluate_published(const struct nd_search *search,
                                              const struct nd_strategy *strategy)
{
    return (struct nd_candidate){.strategy = *strategy,
                                 .memory_mb = nd_origmem_estimate(search->origmem, strategy),
                                 .full_mb = (double)NAN,
                                 .none_mb = (double)NAN,
                                 .step_ms = (double)NAN};
}

// The least recompute that fits, or the one of least memory: a layer that is made again needs room,
// so that this need not be the last.
static int choose_recompute(const struct nd_search *search, const double mode[LAYERCOST_MODES])
{
    int least = ND_RECOMPUTE_NONE;
    for (int k = ND_RECOMPUTE_NONE; k <= ND_RECOMPUTE_FULL; k++) {
        if (units_to_mib(mode[k]) <= search->limit_mb)
            return k;
        if (mode[k] < mode[least])
            least = k;
    }
    return least;
}

struct nd_candidate nd_search_evaluate(const struct nd_search *search,
                                       const struct nd_strategy *strategy)
{
    struct nd_point point = {*strategy, search->seq_length, search->space->gbs};
    struct nd_time time;
    double mode[LAYERCOST_MODES];
    int recompute;
    if (search->space->orig)
        return evaluate_published(search, strategy);
    nd_memory_modes(search->estimate, search->cache, &point, mode);
    const double measured = measured_mb(search, strategy);
    if (isnan(measured)) {
        recompute = choose_recompute(search, mode);
    } else {
        recompute = ND_RECOMPUTE_FULL; // as dry runs are made
        mode[ND_RECOMPUTE_FULL] = measured * UNITS_MIB;
    }
    point.strategy.recompute = (enum nd_recompute)recompute;
    nd_estimate(search->estimate, search->cache, &point, NULL, &time);
    return (struct nd_candidate){.strategy = point.strategy,
                                 .memory_mb = units_to_mib(mode[recompute]),
                                 .full_mb = units_to_mib(mode[ND_RECOMPUTE_FULL]),
                                 .none_mb = units_to_mib(mode[ND_RECOMPUTE_NONE]),
                                 .step_ms = units_to_ms(time.step),
                                 .mfu = time.mfu,
                                 .hfu = time.hfu};
}

bool nd_search_can(const struct nd_search *search, const struct nd_strategy *s)
{
    const struct nd_space *space = search->space;
    const double product = (double)s->dp * s->tp * s->cp * s->pp;
    if (s->dp < 1 || s->tp < 1 || s->cp < 1 || s->pp < 1 || s->ep < 1 || s->vp < 1 ||
        s->mbs < 1)
        return false;
    if ((s->op < 1 && s->op != -1) || product != space->devices)
        return false;
    return space->gbs / s->dp / s->mbs >= 1 && (int64_t)s->pp * s->vp <= space->layers &&
           (s->ep == 1 || s->ep <= space->experts);
}

bool nd_search_fits(const struct nd_search *search, const struct nd_candidate *candidate)
{
    const double limit = search->space->orig ? ND_ORIGMEM_LIMIT_MB : search->limit_mb;
    return candidate->memory_mb <= limit;
}

// ---- the walk -----------------------------------------------------------------------------------

static void keep(struct run *run, const struct nd_candidate *candidate)
{
    struct nd_search_result *result = run->result;
    struct nd_candidate *grown =
        pps_grow(result->candidates, &run->cap, result->n + 1, sizeof *grown);
    run->failed = grown == NULL;
    if (run->failed)
        return;
    result->candidates = grown;
    result->candidates[result->n++] = *candidate;
    struct nd_candidate offered = *candidate;
    if (run->search->space->orig)
        offered.step_ms = offered.memory_mb; // there is nothing else to go by
    nd_best_offer(&result->best, &offered);
}

static void flush(struct run *run)
{
    if (run->has_current)
        keep(run, &run->current);
    run->has_current = false;
}

static bool same_tuple(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return a->dp == b->dp && a->tp == b->tp && a->cp == b->cp && a->pp == b->pp &&
           a->ep == b->ep && a->op == b->op;
}

static bool see(void *context, const struct nd_strategy *strategy)
{
    struct run *run = context;
    struct nd_search_result *result = run->result;
    if (!run->search->space->orig && !nd_search_can(run->search, strategy))
        return true; // without pp_mbs there are points without a micro-batch
    const struct nd_candidate candidate = nd_search_evaluate(run->search, strategy);
    if (!result->has_least || candidate.memory_mb < result->least.memory_mb)
        result->least = candidate;
    result->has_least = true;
    if (!nd_search_fits(run->search, &candidate))
        return true;
    result->points_fit++;
    if (run->search->all_points) {
        keep(run, &candidate);
        return !run->failed;
    }
    if (run->has_current && !same_tuple(&run->current.strategy, strategy))
        flush(run);
    if (!run->has_current || candidate.step_ms < run->current.step_ms)
        run->current = candidate;
    run->has_current = true;
    return !run->failed;
}

// As published memory and tuples are all there is: vp, mbs and sp have no say.
bool nd_search_run(const struct nd_search *search, struct nd_search_result *result)
{
    struct run run = {.search = search, .result = result};
    memset(result, 0, sizeof *result);
    if (!nd_best_init(&result->best, search->top))
        return false;
    (search->space->orig && !search->all_points ? nd_tuples : nd_survivors)(
        search->space, search->filters, see, &run);
    flush(&run);
    if (run.failed)
        return false;
    nd_candidates_sort(result->candidates, result->n);
    nd_best_sort(&result->best);
    for (size_t k = 0; k < result->best.n && search->space->orig; k++)
        result->best.heap[k].step_ms = (double)NAN;
    return true;
}

void nd_search_free(struct nd_search_result *result)
{
    free(result->candidates);
    nd_best_free(&result->best);
    memset(result, 0, sizeof *result);
}
