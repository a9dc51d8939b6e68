// SPDX-License-Identifier: Apache-2.0
// Evaluates candidates as configurations with even layers.
#include "planner/nd/commands/search_replay.h"

#include "base/math/units.h"
#include "base/system/machine.h"
#include "base/system/threads.h"
#include "kernels/configuration/step.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Of all candidates together: about three seconds of one core; and the candidates that are executed in any case.
#define MOST_OPERATIONS 2e8
enum { LEAST_EXECUTED = 64 };

// ---- one candidate ------------------------------------------------------------------------------

// pipeline: s, in: known from a candidate that differs only in op, or NAN; out: what such candidates may use.
static enum configuration_status replay(struct nd_candidate *candidate,
                                        const struct nd_job *job, double *pipeline,
                                        struct poll *poll)
{
    struct configuration c = {.model = job->run.model,
                              .cluster = job->run.cluster,
                              .training = job->run.training,
                              .strategy = candidate->strategy,
                              .recompute_group = 1};
    struct configuration_step step;
    char why[256];
    c.training.gbs = job->space.gbs;
    configuration_set_schedule(&c);
    if (!configuration_spread(&c)) {
        configuration_free(&c);
        return CONFIGURATION_NO_MEMORY;
    }
    configuration_recompute(&c, candidate->strategy.recompute);
    enum configuration_status status = CONFIGURATION_NO_ORDER;
    if (configuration_has_order(&c, why, sizeof why)) {
        const bool shared = configuration_shares_pipeline(&c);
        status = configuration_step_time(&step, &c, shared ? *pipeline : (double)NAN, poll);
        if (status == CONFIGURATION_DONE) {
            *pipeline = shared ? step.pipeline : (double)NAN;
            candidate->step_ms = units_to_ms(step.seconds);
            candidate->mfu = step.mfu;
            candidate->hfu = step.hfu;
        }
        configuration_step_free(&step);
    }
    configuration_free(&c);
    return status;
}

static enum pps_status status_of(enum configuration_status status, struct pps_error *err)
{
    switch (status) {
    case CONFIGURATION_STOPPED:
        return pps_fail(err, PPS_E_STOPPED, "stopped");
    case CONFIGURATION_NO_MEMORY:
        return pps_fail_memory(err, "the candidates");
    case CONFIGURATION_DONE:
    case CONFIGURATION_NO_ORDER:
        break;
    }
    return PPS_OK;
}

enum pps_status nd_replay_one(struct nd_candidate *candidate, const struct nd_job *job,
                              struct poll *poll, struct pps_error *err)
{
    double pipeline = (double)NAN;
    return status_of(replay(candidate, job, &pipeline, poll), err);
}

// ---- all candidates -----------------------------------------------------------------------------

struct replaying {
    struct nd_candidate **order; // those that differ only in op side by side, the fastest first
    size_t n;
    const struct nd_job *job;
    double limit_ms; // closed form of the slowest that is replayed
    atomic_size_t next;
    atomic_int status; // the first that is not CONFIGURATION_DONE or CONFIGURATION_NO_ORDER
    const struct poll *poll;
};

static int compare_but_op(const struct nd_strategy *a, const struct nd_strategy *b)
{
    const int32_t left[] = {
        a->dp, a->tp, a->cp, a->pp, a->ep, a->vp, a->mbs, a->sp, (int32_t)a->recompute};
    const int32_t right[] = {
        b->dp, b->tp, b->cp, b->pp, b->ep, b->vp, b->mbs, b->sp, (int32_t)b->recompute};
    for (size_t k = 0; k < sizeof left / sizeof *left; k++)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

static int by_pipeline(const void *left, const void *right)
{
    const struct nd_candidate *const *a = left, *const *b = right;
    const int order = compare_but_op(&(*a)->strategy, &(*b)->strategy);
    return order != 0 ? order
                      : ((*a)->step_ms > (*b)->step_ms) - ((*a)->step_ms < (*b)->step_ms);
}

static bool same_pipeline(const struct replaying *r, size_t a, size_t b)
{
    return b < r->n && compare_but_op(&r->order[a]->strategy, &r->order[b]->strategy) == 0;
}

// Replays the candidates from k on that have one pipeline.
static enum configuration_status replay_group(struct replaying *r, size_t k, struct poll *poll)
{
    double pipeline = (double)NAN;
    enum configuration_status status = CONFIGURATION_DONE;
    for (size_t i = k; i == k || same_pipeline(r, k, i); i++) {
        if (r->order[i]->step_ms > r->limit_ms)
            continue;
        status = replay(r->order[i], r->job, &pipeline, poll);
        if (status == CONFIGURATION_STOPPED || status == CONFIGURATION_NO_MEMORY)
            break;
    }
    return status;
}

static void work(void *self, int thread)
{
    struct replaying *r = self;
    struct poll poll = {.over = NULL};
    if (r->poll != NULL)
        poll = *r->poll;
    (void)thread;
    for (;;) {
        const size_t k = atomic_fetch_add(&r->next, 1);
        if (k >= r->n || atomic_load(&r->status) != CONFIGURATION_DONE)
            return;
        if (k > 0 && same_pipeline(r, k - 1, k))
            continue;
        const enum configuration_status status =
            replay_group(r, k, poll.over != NULL ? &poll : NULL);
        if (status == CONFIGURATION_STOPPED || status == CONFIGURATION_NO_MEMORY)
            atomic_store(&r->status, (int)status);
    }
}

// What a candidate takes: its step by the closed form, and the operations that are executed for it: those of its
// pipeline, unless a faster one has the same.
struct cost {
    double step_ms, operations;
};

static int by_step(const void *left, const void *right)
{
    const struct cost *a = left, *b = right;
    return (a->step_ms > b->step_ms) - (a->step_ms < b->step_ms);
}

// Returns the step of the slowest candidate that is executed; NAN: out of memory.
static double limit_of(const struct replaying *r)
{
    struct cost *costs = calloc(r->n + 1, sizeof *costs);
    double limit = HUGE_VAL, operations = 0;
    if (costs == NULL)
        return (double)NAN;
    for (size_t k = 0; k < r->n; k++) {
        const struct nd_strategy *s = &r->order[k]->strategy;
        const double micro_batches = (double)r->job->space.gbs / s->dp / s->mbs;
        const bool first = k == 0 || !same_pipeline(r, k - 1, k);
        costs[k] =
            (struct cost){r->order[k]->step_ms, first ? 2 * micro_batches * s->pp * s->vp : 0};
    }
    qsort(costs, r->n, sizeof *costs, by_step);
    for (size_t k = 0; k < r->n && limit >= HUGE_VAL; k++) {
        operations += costs[k].operations;
        if (k >= LEAST_EXECUTED && operations > MOST_OPERATIONS)
            limit = costs[k].step_ms;
    }
    free(costs);
    return limit;
}

enum pps_status nd_replay(struct nd_search_result *result, const struct nd_job *job,
                          struct poll *poll, struct pps_error *err)
{
    struct replaying r = {.order = calloc(result->n + 1, sizeof *r.order),
                          .n = result->n,
                          .job = job,
                          .status = CONFIGURATION_DONE,
                          .poll = poll};
    const int threads = pps_machine_cpus();
    enum pps_status status = PPS_OK;
    if (r.order == NULL)
        return pps_fail_memory(err, "the candidates");
    for (size_t k = 0; k < r.n; k++)
        r.order[k] = &result->candidates[k];
    qsort(r.order, r.n, sizeof *r.order, by_pipeline);
    r.limit_ms = limit_of(&r);
    if (isnan(r.limit_ms))
        status = pps_fail_memory(err, "the candidates");
    if (status == PPS_OK)
        status = pps_parallel(r.n < (size_t)threads ? (int)r.n : threads, work, &r, err);
    free(r.order);
    if (status == PPS_OK)
        status = status_of((enum configuration_status)atomic_load(&r.status), err);
    return status;
}
