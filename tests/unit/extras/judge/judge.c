// SPDX-License-Identifier: Apache-2.0
// Learned policies fall back to their static order where a validation shows no gain.
#include "extras/judge/contest.h"
#include "extras/judge/judge_job.h"

#include <criterion/criterion.h>
#include <string.h>

static const atomic_bool go_on = false;

static const struct network_shape shape = {.candidate = 22, .state = 29, .width = {8, 8}};

// A pipeline of 4 devices at the levels 0 and 0.3, and a policy that follows its guide with this strength: at 4 it
// is PULL, at -4 it never does what PULL does if there is a choice.
static void job_open(struct judge_job *job, double strength)
{
    *job =
        (struct judge_job){.limits = {{4}, 1}, .levels = {{0, 0.3}, 2}, .outliers = {{0}, 1}};
    for (int p = 0; p < N_PARAMS; p++)
        job->value[p] = schedule_params[p].fallback;
    job->value[P_P] = 4;
    job->value[P_M] = 16;
    job->value[P_LATENCY] = 1;
    job->value[P_F] = 12;
    job->value[P_B] = 13;
    job->value[P_W] = 7;
    job->threads = 1;
    struct policy *policy = policy_new(POLICY_LEARNED, &shape);
    network_start(&shape, 1, strength, policy->parameters);
    job->policies.list[0] = (struct judge_policy){"learned", policy};
    job->policies.n = 1;
    job->judge = (struct judge){.validation = JUDGE_VALIDATION_SEED,
                                .seed = JUDGE_FIRST_SEED,
                                .n = 40,
                                .widest = shape,
                                .stop = &go_on};
}

// Runs the job; returns how many learned rows fall back. Such a row has the bits of its order; the others differ
// from it, or are equal in the validation, too.
static int run(struct judge_job *job)
{
    struct pps_error err;
    int fell_back = 0;
    cr_assert_eq(judge_cells_set(job, NULL, &err), PPS_OK);
    cr_assert_eq(judge_run(&job->judge, 2, &err), PPS_OK);
    for (int i = 0; i < job->judge.n_rows; i++) {
        const struct judge_row *row = &job->judge.row[i];
        const struct statistics_mean *gain = &row->validation.difference;
        if (row->entry->policy == NULL) {
            cr_assert_not(row->fell_back);
            continue;
        }
        const bool same = memcmp(row->makespan, row->baseline->makespan,
                                 job->judge.n * sizeof *row->makespan) == 0;
        cr_assert_eq(same, row->fell_back || gain->mean == 0);
        cr_assert(!row->fell_back || gain->mean + gain->half >= 0);
        cr_assert(row->pair.difference.mean <= 0);
        fell_back += row->fell_back;
    }
    return fell_back;
}

// At level 0 every policy keeps this order. Catches policies that run although they lose, and a validation that changes the test.
Test(judge, bad_policies_fall_back)
{
    struct judge_job job;
    job_open(&job, -4);
    cr_assert_eq(run(&job), 1);
    judge_job_free(&job);
}

// Catches a validation that refuses a gain.
Test(judge, pull_as_a_policy_runs)
{
    struct judge_job job;
    job_open(&job, 4);
    cr_assert_eq(run(&job), 0);
    judge_job_free(&job);
}

// Every learned row of the contest has its own order as the baseline, and no static order stands at two limits of
// a pipeline unless it uses the larger one.
Test(judge, contest_lists_orders_by_memory)
{
    struct judge_job job;
    struct pps_error err;
    job_open(&job, 4);
    cr_assert_eq(contest_set(&job, &err), PPS_OK);
    for (int i = 0; i < job.judge.n_rows; i++) {
        const struct judge_row *row = &job.judge.row[i];
        const double peak = row->entry->candidate->figures.metrics.peak_most;
        cr_assert_eq(row->baseline->entry->candidate, row->entry->candidate);
        cr_assert_eq(row->baseline->level, row->level);
        cr_assert_null(row->baseline->entry->policy);
        cr_assert_leq(peak, job.judge.limit[row->limit].limit);
        if (row->limit % 2 == 1)
            cr_assert_gt(peak, job.judge.limit[row->limit - 1].limit);
    }
    judge_job_free(&job);
}
