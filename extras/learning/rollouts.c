// SPDX-License-Identifier: Apache-2.0
// Measures gains in copies of a step.
#include "extras/learning/rollouts.h"

#include "extras/learning/episode_private.h"

#include <string.h>

enum {
    WANTED = 16,
    STAGE = 1 << 21
}; // decisions, if all operations were decisions; of a random number

struct rollouts {
    struct episode *own, *copy;
};

struct rollouts *rollouts_take(struct episode *own, const struct problem_space *space,
                               const struct network_shape *shape, struct room *room)
{
    struct rollouts *taken = room_take(room, 1, sizeof *taken), counted;
    struct rollouts *r = taken != NULL ? taken : &counted;
    r->own = own;
    r->copy = episode_take(space, shape, room);
    return taken;
}

static int32_t choose(struct episode *e, const struct episode_rule *rule,
                      const struct online_decision *decision, const struct episode_view *view)
{
    if (view->n < 2 || rule->parameters == NULL)
        return view->guide;
    episode_score(e, rule->parameters, decision, view);
    return episode_best(e->score, view->n);
}

// Runs a step to the end. Returns false if the poll ended it.
static bool run_on(struct episode *e, const struct episode_rule *rule, struct poll *poll)
{
    struct online_decision decision;
    while (online_next(e->online, &decision)) {
        const struct episode_view view = episode_see(e, &rule->guide, &decision);
        online_act(e->online, choose(e, rule, &decision, &view));
        if (poll_over_after(poll, DECISION_STEPS))
            return false;
    }
    return true;
}

// A step whose decisions are measured.
struct run {
    struct rollouts *rollouts;
    const struct episode_rule *rule;
    uint64_t seed;
    uint32_t replicate, n; // n: decisions so far
    double part;           // of the decisions that are measured
    int32_t first;         // number in the log of the first decision
    struct episode_log *log;
    struct poll *poll;
};

// Sets *makespan to that after another candidate. Returns false if the poll ended it.
static bool run_copy(const struct run *run, int32_t candidate, float *makespan)
{
    struct episode *own = run->rollouts->own, *copy = run->rollouts->copy;
    online_copy(copy->online, own->online);
    memcpy(copy->waits, own->waits, (size_t)own->problem.pipeline.shape.devices);
    online_act(copy->online, candidate);
    if (!run_on(copy, run->rule, run->poll))
        return false;
    *makespan = (float)(online_makespan(copy->online) / own->features.period);
    return true;
}

static bool is_measured(struct run *run)
{
    const struct noise_key key = {.kind = NOISE_OF_POLICY,
                                  .direction = 1,
                                  .stage = STAGE,
                                  .item = run->n++,
                                  .replicate = run->replicate};
    return run->log->n - run->first < ROLLOUTS_OF_STEP &&
           noise_uniform(run->seed, &key, 0) < run->part;
}

// Runs the copies of a decision. Their makespans stay in `gain` until that of the step is known.
static bool measure(struct run *run, const struct online_decision *decision,
                    const struct episode_view *view, int32_t chosen)
{
    struct episode *e = run->rollouts->own;
    features_of(&e->features, decision, e->candidate, e->state);
    struct episode_decision *logged = episode_put(e, view, run->log);
    logged->chosen = (int16_t)chosen;
    for (int32_t i = 0; i < view->n; i++)
        if (i != chosen && !run_copy(run, i, &logged->gain[i]))
            return false;
    return true;
}

static bool run_step(struct run *run)
{
    struct episode *e = run->rollouts->own;
    struct online_decision decision;
    while (online_next(e->online, &decision)) {
        const struct episode_view view = episode_see(e, &run->rule->guide, &decision);
        const int32_t chosen = choose(e, run->rule, &decision, &view);
        if (view.n > 1 && is_measured(run) && !measure(run, &decision, &view, chosen))
            return false;
        online_act(e->online, chosen);
        if (poll_over_after(run->poll, DECISION_STEPS))
            return false;
    }
    return true;
}

static void set_gains(const struct run *run)
{
    const struct episode *e = run->rollouts->own;
    const float makespan = (float)(online_makespan(e->online) / e->features.period);
    for (int32_t k = run->first; k < run->log->n; k++) {
        struct episode_decision *d = &run->log->decision[k];
        for (int32_t i = 0; i < d->n; i++)
            d->gain[i] = i == d->chosen ? 0 : makespan - d->gain[i];
    }
}

bool rollouts_run(struct rollouts *rollouts, const struct problem_space *space, uint64_t seed,
                  uint64_t number, const struct episode_rule *rule, struct poll *poll,
                  struct episode_log *log, struct episode_result *result)
{
    struct episode *e = rollouts->own, *copy = rollouts->copy;
    if (!episode_open(e, space, seed, number, poll))
        return false;
    const struct pipeline_shape *shape = &e->problem.pipeline.shape;
    online_open(copy->online, &e->problem.pipeline, &e->problem.order);
    features_open(&copy->features, copy->online, &e->problem.pipeline, &e->problem.order);
    result->work = e->features.work;
    for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
        struct run run = {.rollouts = rollouts,
                          .rule = rule,
                          .seed = seed,
                          .replicate = episode_replicate(number) + (uint32_t)lane,
                          .part = (double)WANTED / (3 * shape->stages * shape->micro_batches),
                          .first = log->n,
                          .log = log,
                          .poll = poll};
        if (!episode_run_guide(e, rule, lane, poll))
            return false;
        result->guide[lane] = online_makespan(e->online);
        memset(e->waits, 0, (size_t)shape->devices);
        online_start(e->online, &e->times, lane);
        if (!run_step(&run))
            return false;
        result->makespan[lane] = online_makespan(e->online);
        set_gains(&run);
    }
    return true;
}
