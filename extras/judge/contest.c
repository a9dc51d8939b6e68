// SPDX-License-Identifier: Apache-2.0
// Sets the rows of the contest, and prints it.
#include "extras/judge/contest.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "base/text/status.h"
#include "kernels/schedule/family_names.h"

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

static enum pps_status set_entries(const struct judge_job *job, struct judge_limit *limit,
                                   struct pps_error *err)
{
    limit->reference = &limit->comparison.list[0];
    limit->entry = calloc((size_t)(FAMILIES * rules_of(job)), sizeof *limit->entry);
    if (limit->entry == NULL)
        return pps_fail_memory(err, "the schedules");
    for (int i = 0; i < limit->comparison.n; i++) {
        const struct schedule_candidate *candidate = &limit->comparison.list[i];
        if (candidate->outcome != CANDIDATE_FITS)
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
        status = set_entries(job, limit, err);
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

// The row with the least mean at the limit and level; the first one of equals.
static const struct judge_row *best_of(const struct judge *judge, int limit, double level)
{
    const struct judge_row *best = NULL;
    for (int i = 0; i < judge->n_rows; i++) {
        const struct judge_row *row = &judge->row[i];
        if (row->limit == limit && row->level == level &&
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
               best_of(judge, row->limit, row->level) == row ? '*'
               : row->fell_back                              ? '='
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

// Prints how often each order and rule is the best one at a level.
static void show_best(const struct judge *judge, double level)
{
    bool counted[PIPELINES * LIMITS] = {false};
    const char *comma = "";
    for (int i = 0; i < judge->n_limits; i++) {
        const struct judge_row *best = best_of(judge, i, level);
        int n = 0;
        for (int k = i; k < judge->n_limits && best != NULL && !counted[i]; k++) {
            const struct judge_row *other = best_of(judge, k, level);
            const bool same =
                other != NULL && other->entry->policy == best->entry->policy &&
                strcmp(other->entry->candidate->label, best->entry->candidate->label) == 0;
            counted[k] = counted[k] || (same && k > i);
            n += same;
        }
        if (n > 0) {
            pps_say_part(stdout, "%s%s %s %d", comma, best->entry->candidate->label,
                         best->entry->label, n);
            comma = ", ";
        }
    }
}

// Prints what a policy adds to the mean time of its order at a level: mean, least and most over all orders.
static void show_gain(const struct judge_job *job, double level, int rule)
{
    const struct judge *judge = &job->judge;
    double sum = 0, least = 0, most = 0;
    int n = 0, fell_back = 0;
    for (int i = 0; i < judge->n_rows; i++) {
        const struct judge_row *row = &judge->row[i];
        if (row->level != level || row->entry->policy != job->policies.list[rule].policy)
            continue;
        const double part = 100 * row->pair.difference.mean / row->baseline->mean.mean;
        least = n == 0 || part < least ? part : least;
        most = n == 0 || part > most ? part : most;
        sum += part;
        fell_back += row->fell_back;
        n++;
    }
    pps_say_part(stdout, "; %s %+.1f %% (%+.1f to %+.1f)", job->policies.list[rule].label,
                 n > 0 ? sum / n : 0, least, most);
    if (fell_back > 0)
        printf(", falls back in %d of %d", fell_back, n);
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
    printf("\nAt each level: what takes least, in how many of the %d limits; and what a rule "
           "adds to the time of its order\n",
           judge->n_limits);
    for (int i = 0; i < job->levels.n; i++) {
        printf("%-5g ", job->levels.value[i]);
        show_best(judge, job->levels.value[i]);
        for (int k = 0; k < job->policies.n; k++)
            show_gain(job, job->levels.value[i], k);
        printf("\n");
    }
}
