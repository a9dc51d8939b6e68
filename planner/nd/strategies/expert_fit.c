// SPDX-License-Identifier: Apache-2.0
// Solves two equations for two unknowns, group by group.
#include "planner/nd/strategies/expert_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- dry runs to make ---------------------------------------------------------------------------

int32_t nd_dryrun_rank(int32_t devices, int32_t pp, int32_t layers, bool v_schedule)
{
    const int64_t stage = pp - layers % pp;
    const int64_t rank = stage * devices / pp;
    return v_schedule || rank == devices ? devices - 1 : (int32_t)rank;
}

int nd_dryruns_of(const struct nd_space *space, const struct nd_quad *group,
                  struct nd_test_degrees degrees, bool v_schedule, struct nd_dryrun runs[2])
{
    const int32_t eps[2] = {degrees.low, degrees.high};
    const bool dense = space->experts == 0 && !(space->orig && space->preset == ND_CLASSIC);
    int n = 0;
    if (v_schedule && 2 * group->pp >= space->layers)
        return 0;
    for (int k = 0; k < (dense ? 1 : 2); k++) {
        if (!dense && (int64_t)group->dp * group->tp % eps[k] != 0)
            continue;
        runs[n++] = (struct nd_dryrun){
            .dp = group->dp,
            .tp = group->tp,
            .cp = group->cp,
            .pp = group->pp,
            .ep = dense ? 0 : eps[k],
            .micro_batches = space->gbs / group->dp,
            .rank = nd_dryrun_rank(space->devices, group->pp, space->layers, v_schedule)};
    }
    return n;
}

// ---- groups -------------------------------------------------------------------------------------

static int compare_int(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

static int compare_groups(const void *a, const void *b)
{
    const struct nd_epfit_group *x = a, *y = b;
    int by = compare_int(x->dp, y->dp);
    if (by == 0)
        by = compare_int(x->tp, y->tp);
    return by != 0 ? by : compare_int(x->pp, y->pp);
}

static void keep_largest(double *mb, double other)
{
    *mb = fmax(*mb, other);
}

// One group for each (dp, tp, pp) that has a peak at a tested degree.
static size_t collect(const struct nd_dryrun_peak *peaks, size_t n,
                      struct nd_test_degrees degrees, struct nd_epfit_group *groups)
{
    size_t found = 0, kept = 0;
    for (size_t k = 0; k < n; k++) {
        const struct nd_dryrun_peak *p = &peaks[k];
        if (p->ep != degrees.low && p->ep != degrees.high)
            continue;
        groups[found++] =
            (struct nd_epfit_group){.dp = p->dp,
                                    .tp = p->tp,
                                    .pp = p->pp,
                                    .low_mb = p->ep == degrees.low ? p->peak_mb : 0,
                                    .high_mb = p->ep == degrees.high ? p->peak_mb : 0};
    }
    if (found > 0)
        qsort(groups, found, sizeof *groups, compare_groups);
    for (size_t k = 0; k < found; k++)
        if (kept > 0 && compare_groups(&groups[kept - 1], &groups[k]) == 0) {
            keep_largest(&groups[kept - 1].low_mb, groups[k].low_mb);
            keep_largest(&groups[kept - 1].high_mb, groups[k].high_mb);
        } else {
            groups[kept++] = groups[k];
        }
    return kept;
}

// ---- fit ----------------------------------------------------------------------------------------

struct nd_epfit nd_epfit_solve(struct nd_test_degrees degrees, double low_mb, double high_mb,
                               bool orig)
{
    const double low = degrees.low, high = degrees.high;
    struct nd_epfit fit;
    fit.experts_mb = (low_mb - high_mb) * (orig ? high : low * high / (high - low));
    fit.base_mb = low_mb - fit.experts_mb / low;
    return fit;
}

static void fit_group(struct nd_epfit_group *group, struct nd_test_degrees degrees, bool orig)
{
    group->note = ND_EPFIT_FITTED;
    if (group->low_mb == 0 || group->high_mb == 0)
        group->note = ND_EPFIT_INCOMPLETE;
    group->fit = nd_epfit_solve(degrees, group->low_mb, group->high_mb, orig);
    if (group->note == ND_EPFIT_FITTED && group->fit.experts_mb < 0) {
        group->note = ND_EPFIT_NEGATIVE;
        if (!orig)
            group->fit = (struct nd_epfit){0, fmax(group->low_mb, group->high_mb)};
    }
}

static bool is_used(const struct nd_epfit_group *group, bool orig)
{
    return orig || group->note != ND_EPFIT_INCOMPLETE;
}

static void evaluate(const struct nd_epfit_group *group, int32_t max_ep, double limit_mb,
                     struct nd_epfit_result *result)
{
    const int64_t within = (int64_t)group->dp * group->tp;
    for (int64_t ep = 1; ep <= max_ep && within % ep == 0; ep *= 2) {
        const double peak = nd_epfit_peak(&group->fit, (int32_t)ep);
        if (peak <= limit_mb)
            result->candidates[result->n_candidates++] =
                (struct nd_epfit_candidate){group->dp, group->tp, group->pp, (int32_t)ep, peak};
    }
}

static void check_others(const struct nd_dryrun_peak *peaks, size_t n,
                         struct nd_test_degrees degrees, bool orig,
                         struct nd_epfit_result *result)
{
    for (size_t k = 0; k < n && result->n_groups > 0; k++) {
        const struct nd_dryrun_peak *p = &peaks[k];
        const struct nd_epfit_group key = {.dp = p->dp, .tp = p->tp, .pp = p->pp};
        const struct nd_epfit_group *group =
            bsearch(&key, result->groups, result->n_groups, sizeof key, compare_groups);
        if (p->ep == degrees.low || p->ep == degrees.high || p->ep < 1 || group == NULL ||
            !is_used(group, orig))
            continue;
        result->checks[result->n_checks++] =
            (struct nd_epfit_check){*p, nd_epfit_peak(&group->fit, p->ep)};
    }
}

enum nd_epfit_status nd_epfit(const struct nd_dryrun_peak *peaks, size_t n,
                              struct nd_test_degrees degrees, int32_t max_ep, double limit_mb,
                              bool orig, struct nd_epfit_result *result)
{
    memset(result, 0, sizeof *result);
    if (degrees.low < 1 || degrees.high <= degrees.low)
        return ND_EPFIT_DEGREES;
    if (max_ep < 1 || (max_ep & (max_ep - 1)) != 0)
        return ND_EPFIT_EP_LIMIT;
    result->groups = calloc(n + 1, sizeof *result->groups);
    result->candidates = calloc(31 * n + 1, sizeof *result->candidates);
    result->checks = calloc(n + 1, sizeof *result->checks);
    if (result->groups == NULL || result->candidates == NULL || result->checks == NULL) {
        nd_epfit_free(result);
        return ND_EPFIT_MEMORY;
    }
    result->n_groups = collect(peaks, n, degrees, result->groups);
    for (size_t k = 0; k < result->n_groups; k++) {
        fit_group(&result->groups[k], degrees, orig);
        if (is_used(&result->groups[k], orig))
            evaluate(&result->groups[k], max_ep, limit_mb, result);
    }
    check_others(peaks, n, degrees, orig, result);
    return ND_EPFIT_OK;
}

void nd_epfit_free(struct nd_epfit_result *result)
{
    free(result->groups);
    free(result->candidates);
    free(result->checks);
    memset(result, 0, sizeof *result);
}
