// SPDX-License-Identifier: Apache-2.0
// Sets the rows of the contest, and prints it.
#include "extras/judge/contest.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "base/text/status.h"
#include "kernels/schedule/family_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 4,
    PIPELINES = 3,
    LIMITS = 2,
    FAMILIES = 5
}; // ROUNDS: micro-batches for each device

static const int devices[PIPELINES] = {4, 8, 16};

static const struct judge_family entrants[FAMILIES] = {{FAMILY_NAME_zb_h1, 1},
                                                       {FAMILY_NAME_zb_h2, 1},
                                                       {FAMILY_NAME_zbv, 2},
                                                       {FAMILY_NAME_v_half, 2},
                                                       {FAMILY_NAME_v_min, 2}};

// ---- rows ---------------------------------------------------------------------------------------

// The rules that run each order: none, and the policies.
static int rules_of(const struct judge_job *job)
{
    return 1 + job->policies.n;
}

// Lists the orders that fit and use more memory than `listed`; the others stand in the table of that limit.
static enum pps_status set_entries(const struct judge_job *job, struct judge_limit *limit,
                                   double listed, struct pps_error *err)
{
    limit->reference = &limit->comparison.list[0];
    limit->entry = calloc((size_t)(FAMILIES * rules_of(job)), sizeof *limit->entry);
    if (limit->entry == NULL)
        return pps_fail_memory(err, "the schedules");
    for (int i = 0; i < limit->comparison.n; i++) {
        const struct schedule_candidate *candidate = &limit->comparison.list[i];
        if (candidate->outcome != CANDIDATE_FITS ||
            candidate->figures.metrics.peak_most <= listed)
            continue;
        limit->entry[limit->n_entries++] = (struct judge_entry){"static", candidate, NULL};
        for (int k = 0; k < job->policies.n; k++)
            limit->entry[limit->n_entries++] = (struct judge_entry){
                job->policies.list[k].label, candidate, job->policies.list[k].policy};
    }
    return PPS_OK;
}

// The rows of an entry follow each other: one for each level. The baseline is the order of the entry as it is.
static void add_entry(struct judge_job *job, int limit, int entry)
{
    struct judge *judge = &job->judge;
    const int of_order = entry % rules_of(job), levels = job->levels.n;
    for (int i = 0; i < levels; i++) {
        struct judge_row *row = &judge->row[judge->n_rows++];
        *row = (struct judge_row){.entry = &judge->limit[limit].entry[entry],
                                  .limit = limit,
                                  .level = job->levels.value[i],
                                  .baseline = row - of_order * levels};
    }
}

static enum pps_status set_limit(struct judge_job *job, int i, struct pps_error *err)
{
    struct judge_limit *limit = &job->judge.limit[i];
    const int p = devices[i / LIMITS];
    double value[N_PARAMS];
    memcpy(value, job->value, sizeof value);
    value[P_P] = p;
    value[P_M] = ROUNDS * p;
    limit->limit = i % LIMITS == 0 ? p : 2 * p - 1;
    enum pps_status status = judge_evaluate(job, limit, value, entrants, FAMILIES, err);
    if (status == PPS_OK)
        status = set_entries(job, limit, i % LIMITS == 0 ? 0 : p, err);
    for (int entry = 0; entry < limit->n_entries && status == PPS_OK; entry++)
        add_entry(job, i, entry);
    return status;
}

enum pps_status contest_set(struct judge_job *job, struct pps_error *err)
{
    enum pps_status status = judge_take(job, PIPELINES * LIMITS, FAMILIES * rules_of(job), err);
    for (int i = 0; i < PIPELINES * LIMITS && status == PPS_OK; i++)
        status = set_limit(job, i, err);
    return status;
}

// ---- the table ----------------------------------------------------------------------------------

// The row with the least mean at the limit and level, with or without learned policies; the first one of equals.
static const struct judge_row *best_of(const struct judge *judge, int limit, double level,
                                       bool learned)
{
    const struct judge_row *best = NULL;
    for (int i = 0; i < judge->n_rows; i++) {
        const struct judge_row *row = &judge->row[i];
        const struct policy *policy = row->entry->policy;
        if (row->limit == limit && row->level == level &&
            (learned || policy == NULL || policy->kind != POLICY_LEARNED) &&
            (best == NULL || row->mean.mean < best->mean.mean))
            best = row;
    }
    return best;
}

static void show_entry(const struct judge_job *job, const struct judge_row *row)
{
    const struct judge *judge = &job->judge;
    const struct schedule_candidate *candidate = row->entry->candidate;
    printf("%3d %6s  %-8s ", candidate->point.shape.devices,
           pps_digits_text(judge->limit[row->limit].limit, 6).text, candidate->label);
    pps_say_part(stdout, "%-10.10s", row->entry->label);
    for (int i = 0; i < job->levels.n; i++, row++)
        printf(" %8s%c", pps_decimals_text(row->mean.mean, 1).text,
               best_of(judge, row->limit, row->level, true) == row ? '*'
               : row->fell_back                                    ? '='
                                                                   : ' ');
    printf("\n");
}

static void show_table(const struct judge_job *job)
{
    const struct judge *judge = &job->judge;
    printf("\n  P  limit  schedule rule     ");
    for (int i = 0; i < job->levels.n; i++)
        printf("%10g", job->levels.value[i]);
    printf("  level\n");
    for (int i = 0; i < judge->n_rows; i += job->levels.n) {
        if (i > 0 && judge->row[i].limit != judge->row[i - 1].limit)
            printf("\n");
        show_entry(job, &judge->row[i]);
    }
    printf("\n* the least mean at this limit and level; = the policy gains nothing in the "
           "validation and falls back to the\nstatic order\n");
}

// ---- what follows -------------------------------------------------------------------------------

static bool is_same_choice(const struct judge_row *a, const struct judge_row *b)
{
    return a->entry->policy == b->entry->policy &&
           strcmp(a->entry->candidate->label, b->entry->candidate->label) == 0;
}

// Returns at how many limits from `first` on the choice is the best; 0: it is also that of an earlier limit.
static int count_choice(const struct judge_row *const best[PIPELINES * LIMITS], int first)
{
    int n = 0;
    for (int i = 0; i < PIPELINES * LIMITS; i++) {
        const bool same = is_same_choice(best[i], best[first]);
        if (same && i < first)
            return 0;
        n += same;
    }
    return n;
}

// Prints what is best at a level, and at how many limits.
static void show_best(const struct judge *judge, double level, bool learned)
{
    const struct judge_row *best[PIPELINES * LIMITS];
    const char *comma = "";
    for (int i = 0; i < judge->n_limits; i++)
        best[i] = best_of(judge, i, level, learned);
    for (int i = 0; i < judge->n_limits; i++) {
        const int n = count_choice(best, i);
        if (n == 0)
            continue;
        pps_say_part(stdout, "%s%s %s (%d)", comma, best[i]->entry->candidate->label,
                     best[i]->entry->label, n);
        comma = ", ";
    }
}

// Prints how much less time the best choice takes than the best one without learning.
static void show_gain(const struct judge *judge, double level)
{
    double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < judge->n_limits; i++) {
        const double without = best_of(judge, i, level, false)->mean.mean,
                     part =
                         100 * (without - best_of(judge, i, level, true)->mean.mean) / without;
        least = fmin(least, part);
        most = fmax(most, part);
        sum += part;
    }
    printf("learning saves %.1f %% (%.1f to %.1f)\n", sum / judge->n_limits, least, most);
}

void contest_show(const struct judge_job *job)
{
    const struct judge *judge = &job->judge;
    const double *value = job->value;
    printf("Mean time of a step; f %g, b %g, w %g, latency %g per device, %d P micro-batches\n",
           value[P_F], value[P_B], value[P_W], value[P_LATENCY], ROUNDS);
    printf("%s replicates of every cell, test seed %llu; limit: memory of a device in forwards "
           "of a micro-batch\n",
           pps_count_text(judge->n).text, (unsigned long long)judge->seed);
    show_table(job);
    printf("\nWhat takes least at each level, and at how many of the %d limits\n",
           judge->n_limits);
    for (int i = 0; i < job->levels.n; i++) {
        const double level = job->levels.value[i];
        printf("%-4g  without learning ", level);
        show_best(judge, level, false);
        printf("; with it ");
        show_best(judge, level, true);
        printf("; ");
        show_gain(judge, level);
    }
}
