// SPDX-License-Identifier: Apache-2.0
// Runs the episodes of a batch on all threads, and the generations of evolution.
#include "extras/learning/trainer_private.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static bool is_over(void *self)
{
    struct trainer_job *job = self;
    return stop_asked(&job->stop);
}

static int next_of(struct trainer_job *job)
{
    return atomic_fetch_add(&job->next, 1);
}

// Returns false if the poll ended it.
static bool run_problem(struct trainer_job *job, int k, const struct episode_rule *rule,
                        struct poll *poll)
{
    struct trainer *t = job->trainer;
    const struct trainer_options *o = &t->options;
    const int thread = omp_get_thread_num();
    const uint64_t number = job->first + (uint64_t)(k % job->n);
    struct episode_log *log = rule->explore || job->measure ? &t->logs[k] : NULL;
    if (log != NULL)
        log->n = 0;
    if (job->measure)
        return rollouts_run(t->rollouts[thread], &o->space, o->seed, number, rule, poll, log,
                            &t->result[k]);
    return episode_run(t->episode[thread], &o->space, o->seed, number, rule, poll, log,
                       &t->result[k]);
}

static void run_problems(struct trainer_job *job)
{
    struct poll poll = {.over = is_over, .self = job};
    const int n = job->member != NULL ? job->members * job->n : job->n;
    for (int k = next_of(job); k < n && !is_over(job); k = next_of(job)) {
        const struct episode_rule *rule =
            job->member != NULL ? &job->member[k / job->n] : &job->rule;
        if (!run_problem(job, k, rule, &poll))
            return;
    }
}

bool trainer_run_job(struct trainer_job *job)
{
#pragma omp parallel num_threads(job->trainer->threads)
    run_problems(job);
    return !atomic_load(&job->stop.over);
}

double trainer_difference(const struct episode_result *result)
{
    double sum = 0;
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        sum += result->makespan[lane] - result->guide[lane];
    return 100 * sum / EXECUTOR_LANES / result->work;
}

// ---- evolution ----------------------------------------------------------------------------------

static void set_members(const struct trainer *t, struct episode_rule *rules)
{
    const struct network_shape *shape = &t->options.shape;
    for (int m = 0; m < EVOLUTION_MEMBERS; m++) {
        double *numbers = t->members[0] + (int64_t)m * t->state.n,
               *parameters = t->members[1] + (int64_t)m * t->state.n;
        memcpy(parameters, t->state.parameter, (size_t)t->state.n * sizeof *parameters);
        rules[m] = (struct episode_rule){.parameters = parameters,
                                         .guide = t->options.guide,
                                         .baseline = t->options.guide};
        evolution_draw(shape, t->options.seed, t->done, m, t->state.first, t->state.second,
                       numbers);
        evolution_apply(shape, numbers, parameters, &rules[m].guide);
    }
}

// The mean over the problems, where each counts at most TRAINER_LIMIT.
static double score_of(const struct trainer *t, int member)
{
    const int32_t n = t->options.problems;
    double sum = 0;
    for (int32_t k = 0; k < n; k++) {
        const double difference = trainer_difference(&t->result[member * n + k]);
        sum += fmax(-TRAINER_LIMIT, fmin(TRAINER_LIMIT, difference));
    }
    return sum / n;
}

bool trainer_evolve(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    struct episode_rule rules[EVOLUTION_MEMBERS];
    double score[EVOLUTION_MEMBERS];
    struct trainer_job job = {.trainer = t,
                              .member = rules,
                              .members = EVOLUTION_MEMBERS,
                              .first = (uint64_t)t->done * (uint64_t)t->options.problems,
                              .n = t->options.problems,
                              .stop = {.poll = poll}};
    set_members(t, rules);
    if (!trainer_run_job(&job))
        return false;
    for (int m = 0; m < EVOLUTION_MEMBERS; m++) {
        score[m] = score_of(t, m);
        batch->mean += score[m] / EVOLUTION_MEMBERS;
    }
    evolution_update(&t->options.shape, t->members[0], t->state.n, score, t->state.first,
                     t->state.second);
    evolution_apply(&t->options.shape, t->state.first, t->state.parameter, &t->guide);
    return true;
}
