// SPDX-License-Identifier: Apache-2.0
// Sets what a judge compares: orders at limits of memory, and rules.
#include "base/text/status.h"
#include "extras/judge/judge_job.h"
#include "kernels/schedule/family_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The families of a placement with one chunk per device, and with two.
static const struct judge_family placed[2][4] = {
    {{FAMILY_NAME_zb_h1, 1},
     {FAMILY_NAME_zb_h2, 1},
     {FAMILY_NAME_zb_auto, 1},
     {FAMILY_NAME_DEFAULT, 1}},
    {{FAMILY_NAME_zbv, 2},
     {FAMILY_NAME_v_half, 2},
     {FAMILY_NAME_v_min, 2},
     {FAMILY_NAME_v_1f1b, 2}},
};

enum { FAMILIES = 4, ENTRIES_MAX = JUDGE_POLICIES_MAX + FAMILIES };

enum pps_status judge_evaluate(const struct judge_job *job, struct judge_limit *limit,
                               const double value[N_PARAMS], const struct judge_family *family,
                               int n, struct pps_error *err)
{
    struct schedule_comparison *comparison = &limit->comparison;
    comparison->list = calloc((size_t)n, sizeof *comparison->list);
    comparison->stop = job->judge.stop;
    if (comparison->list == NULL)
        return pps_fail_memory(err, "the schedules");
    for (int i = 0; i < n; i++) {
        double own[N_PARAMS];
        memcpy(own, value, sizeof own);
        own[P_FAMILY] = family[i].name;
        own[P_V] = family[i].chunks;
        own[P_LIMIT] = isfinite(limit->limit) ? limit->limit : -1;
        const int reason = schedule_check(own, NULL);
        comparison->list[comparison->n++] = (struct schedule_candidate){
            .label = schedule_family_names[family[i].name],
            .point = schedule_point_of(own, NULL),
            .why = reason == 0 ? NULL : schedule_reasons[reason],
        };
    }
    return schedule_compare(comparison, (int)job->threads, err);
}

// Rules follow the best order; the comparison is sorted.
static enum pps_status set_entries(struct judge_job *job, struct judge_limit *limit,
                                   const char *baseline, struct pps_error *err)
{
    const struct schedule_candidate *best = &limit->comparison.list[0];
    if (best->outcome == CANDIDATE_OVER_LIMIT)
        return pps_fail(err, PPS_E_INFEASIBLE,
                        "no schedule fits: --limit %.10g; %s needs the least limit: %.10g",
                        limit->limit, best->label, best->figures.least_limit);
    if (best->outcome != CANDIDATE_FITS)
        return pps_fail(err, PPS_E_INPUT, "no schedule is possible: %s: %s", best->label,
                        best->why != NULL ? best->why : "no order for these times");
    limit->entry = calloc(ENTRIES_MAX, sizeof *limit->entry);
    if (limit->entry == NULL)
        return pps_fail_memory(err, "the schedules");
    limit->reference = best;
    for (int i = 0; i < limit->comparison.n; i++)
        if (limit->comparison.list[i].outcome == CANDIDATE_FITS)
            limit->entry[limit->n_entries++] =
                (struct judge_entry){.label = limit->comparison.list[i].label,
                                     .candidate = &limit->comparison.list[i]};
    for (int i = 0; i < job->policies.n; i++)
        limit->entry[limit->n_entries++] = (struct judge_entry){
            job->policies.list[i].label, best, job->policies.list[i].policy};
    for (int i = 0; baseline != NULL; i++) {
        if (i == limit->n_entries)
            return pps_fail(err, PPS_E_INPUT, "--baseline %s: not in the table at limit %.10g",
                            baseline, limit->limit);
        limit->baseline = i;
        if (strcmp(limit->entry[i].label, baseline) == 0)
            break;
    }
    return PPS_OK;
}

enum pps_status judge_take(struct judge_job *job, int limits, int entries,
                           struct pps_error *err)
{
    struct judge *judge = &job->judge;
    const size_t cells = (size_t)limits * (size_t)job->levels.n * (size_t)job->outliers.n;
    judge->limit = calloc((size_t)limits, sizeof *judge->limit);
    judge->row = calloc(cells * (size_t)entries, sizeof *judge->row);
    if (judge->limit == NULL || judge->row == NULL)
        return pps_fail_memory(err, "the table");
    judge->n_limits = limits;
    return PPS_OK;
}

static void add_cell(struct judge *judge, int limit, double level, double outlier_p)
{
    const struct judge_limit *of = &judge->limit[limit];
    struct judge_row *row = &judge->row[judge->n_rows];
    for (int i = 0; i < of->n_entries; i++)
        row[i] = (struct judge_row){.entry = &of->entry[i],
                                    .limit = limit,
                                    .level = level,
                                    .outlier_p = outlier_p,
                                    .baseline = &row[of->baseline]};
    judge->n_rows += of->n_entries;
}

enum pps_status judge_cells_set(struct judge_job *job, const char *baseline,
                                struct pps_error *err)
{
    struct judge *judge = &job->judge;
    enum pps_status status = judge_take(job, job->limits.n, ENTRIES_MAX, err);
    for (int i = 0; i < judge->n_limits && status == PPS_OK; i++) {
        struct judge_limit *limit = &judge->limit[i];
        limit->limit = job->limits.value[i] < 0 ? HUGE_VAL : job->limits.value[i];
        status =
            judge_evaluate(job, limit, job->value, placed[job->value[P_V] > 1], FAMILIES, err);
        if (status == PPS_OK)
            status = set_entries(job, limit, baseline, err);
        for (int level = 0; level < job->levels.n && status == PPS_OK; level++)
            for (int outlier = 0; outlier < job->outliers.n; outlier++)
                add_cell(judge, i, job->levels.value[level], job->outliers.value[outlier]);
    }
    return status;
}

void judge_job_free(struct judge_job *job)
{
    judge_rows_free(&job->judge);
    judge_policies_free(&job->policies);
    for (int i = 0; i < job->judge.n_limits; i++) {
        schedule_comparison_free(&job->judge.limit[i].comparison);
        free(job->judge.limit[i].entry);
    }
    free(job->judge.limit);
}
