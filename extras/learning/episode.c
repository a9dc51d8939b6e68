// SPDX-License-Identifier: Apache-2.0
// Runs episodes.
#include "extras/learning/episode_private.h"

#include "base/math/detmath.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void episode_log_take(struct episode_log *log, int32_t decisions, struct room *room)
{
    const size_t n = (size_t)decisions;
    log->n = 0;
    log->room = decisions;
    log->decision = room_take(room, n, sizeof *log->decision);
    log->candidate =
        room_take(room, n * EPISODE_CANDIDATES * FEATURES_CANDIDATE, sizeof *log->candidate);
    log->state = room_take(room, n * FEATURES_STATE, sizeof *log->state);
}

struct episode *episode_take(const struct problem_space *space,
                             const struct network_shape *shape, struct room *room)
{
    const struct pipeline_shape most = problem_largest(space);
    const size_t operations = 3 * (size_t)most.stages * (size_t)most.micro_batches;
    struct episode *taken = room_take(room, 1, sizeof *taken), counted;
    struct episode *e = taken != NULL ? taken : &counted;
    *e = (struct episode){.n_curve = 0};
    problem_take(&e->problem, space, room);
    e->online = online_take(&most, 3 * most.stages / most.devices * most.micro_batches, room);
    e->network = network_take(shape, EPISODE_CANDIDATES, room);
    noise_times_take(&e->times, &most, false, room);
    e->waits = room_take(room, (size_t)most.devices, sizeof *e->waits);
    e->candidate = room_take(room, EPISODE_CANDIDATES * FEATURES_CANDIDATE, sizeof(double));
    e->state = room_take(room, FEATURES_STATE, sizeof(double));
    e->score = room_take(room, EPISODE_CANDIDATES, sizeof(double));
    e->curve = room_take(room, operations + 1, sizeof *e->curve);
    e->moment = room_take(room, 2 * operations, sizeof *e->moment);
    return taken;
}

// ---- the guide ----------------------------------------------------------------------------------

static int by_time(const void *left, const void *right)
{
    const struct progress *a = left, *b = right;
    return (a->time > b->time) - (a->time < b->time);
}

// Sets the curve G to the step that the environment has run.
static void set_curve(struct episode *e)
{
    const struct order *order = online_order(e->online);
    const double *starts = online_starts(e->online);
    double work = 0;
    e->n_curve = 0;
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t k = 0; k < order->n[d]; k++) {
            const int64_t at = order_at(order, d, k);
            const struct operation *op = &order->operations[at];
            e->curve[e->n_curve++] = (struct progress){
                operation_time(&e->problem.pipeline.stage[op->stage], op->type), starts[at]};
        }
    qsort(e->curve, (size_t)e->n_curve, sizeof *e->curve, by_time);
    for (int32_t k = 0; k < e->n_curve; k++) {
        const double own = e->curve[k].work;
        e->curve[k].work = work;
        work += own;
    }
    e->curve[e->n_curve++] = (struct progress){work, online_makespan(e->online)};
}

// G(work), between the points of the curve. *from: a point before it, which moves on.
static double guide_time(const struct episode *e, double work, int32_t *from)
{
    while (*from + 2 < e->n_curve && e->curve[*from + 1].work <= work)
        ++*from;
    const struct progress *a = &e->curve[*from], *b = a + 1;
    if (!(b->work > a->work) || work >= b->work)
        return b->time;
    return a->time + (b->time - a->time) * (work - a->work) / (b->work - a->work);
}

// Returns false if the poll ended the step.
bool episode_run_guide(struct episode *e, const struct episode_rule *rule, int lane,
                       struct poll *poll)
{
    struct online_decision decision;
    memset(e->waits, 0, (size_t)e->problem.pipeline.shape.devices);
    online_start(e->online, &e->times, lane);
    while (online_next(e->online, &decision)) {
        online_act(e->online, pull_choose(&rule->baseline, e->online, &decision, e->waits));
        if (poll_over_after(poll, DECISION_STEPS))
            return false;
    }
    return true;
}

// ---- the policy ---------------------------------------------------------------------------------

// Replaces scores by the logarithms of the probabilities.
static void normalise(int n, double *score)
{
    double most = score[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = fmax(most, score[i]);
    for (int i = 0; i < n; i++)
        sum += detmath_exp(score[i] - most);
    for (int i = 0; i < n; i++)
        score[i] -= most + detmath_log(sum);
}

static int32_t draw(const double *log_p, int n, double uniform)
{
    for (int32_t i = 0; i < n - 1; i++) {
        uniform -= detmath_exp(log_p[i]);
        if (uniform < 0)
            return i;
    }
    return n - 1;
}

int32_t episode_best(const double *log_p, int n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++)
        best = log_p[i] > log_p[best] ? i : best;
    return best;
}

static double work_left(const struct episode *e)
{
    double left = 0;
    for (int32_t d = 0; d < e->problem.pipeline.shape.devices; d++) {
        const struct online_device *device = online_device(e->online, d);
        left += device->work_left[0] + device->work_left[1] + device->work_left[2];
    }
    return left;
}

struct episode_decision *episode_put(const struct episode *e, const struct episode_view *view,
                                     struct episode_log *log)
{
    const int32_t k = log->n++;
    float *candidate = log->candidate + (int64_t)k * EPISODE_CANDIDATES * FEATURES_CANDIDATE,
          *state = log->state + (int64_t)k * FEATURES_STATE;
    assert(k < log->room);
    for (int i = 0; i < view->n * FEATURES_CANDIDATE; i++)
        candidate[i] = (float)e->candidate[i];
    for (int i = 0; i < FEATURES_STATE; i++)
        state[i] = (float)e->state[i];
    log->decision[k] =
        (struct episode_decision){.n = (int16_t)view->n, .guide = (int16_t)view->guide};
    return &log->decision[k];
}

// What stays the same during an episode.
struct run {
    const struct episode_rule *rule;
    uint64_t seed;
    uint32_t replicate;
    int32_t stride; // between decisions that are logged
    double whole;   // work of the step
    struct episode_log *log;
};

struct episode_view episode_see(struct episode *e, const struct pull_rule *rule,
                                const struct online_decision *decision)
{
    const int32_t guide = features_guide(&e->features, rule, decision, e->waits);
    if (decision->n < 2)
        return (struct episode_view){1, 0};
    const int n = features_candidates(&e->features, decision, guide);
    if (n < 2 || features_quiet(&e->features, decision))
        return (struct episode_view){1, guide < n ? guide : 0};
    return (struct episode_view){n, guide};
}

void episode_score(struct episode *e, const double *parameters,
                   const struct online_decision *decision, const struct episode_view *view)
{
    const struct network_input input = {view->n, view->guide, e->candidate, e->state};
    features_of(&e->features, decision, e->candidate, e->state);
    network_scores(e->network, parameters, &input, e->score);
}

// Draws a candidate and remembers the decision. Replaces the scores by the logarithms of the probabilities.
static int32_t explore(struct episode *e, const struct run *run,
                       const struct online_decision *decision, const struct episode_view *view)
{
    const struct network_input input = {view->n, view->guide, e->candidate, e->state};
    const struct noise_key key = {.kind = NOISE_OF_POLICY,
                                  .item = (uint32_t)e->n_moments,
                                  .replicate = run->replicate};
    normalise(view->n, e->score);
    const int32_t chosen = draw(e->score, view->n, noise_uniform(run->seed, &key, 0));
    struct moment *moment = &e->moment[e->n_moments];
    *moment = (struct moment){.time = decision->now,
                              .work = run->whole - work_left(e),
                              .value = network_value(e->network, run->rule->parameters, &input),
                              .logged = -1};
    if (e->n_moments++ % run->stride == 0) {
        moment->logged = run->log->n;
        struct episode_decision *logged = episode_put(e, view, run->log);
        logged->chosen = (int16_t)chosen;
        logged->log_p = (float)e->score[chosen];
        logged->value = (float)moment->value;
    }
    return chosen;
}

static int32_t decide(struct episode *e, const struct run *run,
                      const struct online_decision *decision)
{
    const struct episode_view view = episode_see(e, &run->rule->guide, decision);
    if (view.n < 2)
        return view.guide;
    episode_score(e, run->rule->parameters, decision, &view);
    return run->rule->explore ? explore(e, run, decision, &view)
                              : episode_best(e->score, view.n);
}

// Returns false if the poll ended the step.
static bool run_policy(struct episode *e, const struct run *run, int lane, struct poll *poll)
{
    struct online_decision decision;
    memset(e->waits, 0, (size_t)e->problem.pipeline.shape.devices);
    e->n_moments = 0;
    online_start(e->online, &e->times, lane);
    while (online_next(e->online, &decision)) {
        online_act(e->online, decide(e, run, &decision));
        if (poll_over_after(poll, DECISION_STEPS))
            return false;
    }
    return true;
}

// Sets advantages and targets from the last decision back to the first.
static void set_advantages(struct episode *e, const struct run *run)
{
    const double percent = 100 / e->features.work;
    double next_time = online_makespan(e->online), next_guide = e->curve[e->n_curve - 1].time,
           next_value = 0, sum = 0;
    int32_t from = 0;
    for (int32_t k = 0; k < e->n_moments; k++) // the curve is read forwards
        e->moment[k].work = guide_time(e, e->moment[k].work, &from);
    for (int32_t k = e->n_moments - 1; k >= 0; k--) {
        const struct moment *m = &e->moment[k];
        const double reward = -percent * ((next_time - m->time) - (next_guide - m->work));
        sum = reward + next_value - m->value + run->rule->lambda * sum;
        if (m->logged >= 0) {
            struct episode_decision *d = &run->log->decision[m->logged];
            d->advantage = (float)sum;
            d->target = (float)(sum + m->value);
        }
        next_time = m->time;
        next_guide = m->work;
        next_value = m->value;
    }
}

bool episode_open(struct episode *e, const struct problem_space *space, uint64_t seed,
                  uint64_t number, struct poll *poll)
{
    if (!problem_draw(&e->problem, space, seed, number, poll))
        return false;
    online_open(e->online, &e->problem.pipeline, &e->problem.order);
    online_let_wait(e->online, true);
    features_open(&e->features, e->online, &e->problem.pipeline, &e->problem.order);
    noise_draw(&e->problem.noise, &e->problem.pipeline, episode_replicate(number), &e->times);
    return true;
}

bool episode_run(struct episode *e, const struct problem_space *space, uint64_t seed,
                 uint64_t number, const struct episode_rule *rule, struct poll *poll,
                 struct episode_log *log, struct episode_result *result)
{
    const uint32_t first = episode_replicate(number);
    if (!episode_open(e, space, seed, number, poll))
        return false;
    const struct pipeline_shape *shape = &e->problem.pipeline.shape;
    result->work = e->features.work;
    const int32_t operations = 3 * shape->stages * shape->micro_batches;
    for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
        if (!episode_run_guide(e, rule, lane, poll))
            return false;
        result->guide[lane] = online_makespan(e->online);
        set_curve(e);
        online_start(e->online, &e->times, lane);
        const struct run run = {.rule = rule,
                                .seed = seed,
                                .replicate = first + (uint32_t)lane,
                                .stride = 1 + (2 * operations - 1) / EPISODE_DECISIONS,
                                .whole = work_left(e),
                                .log = log};
        if (!run_policy(e, &run, lane, poll))
            return false;
        result->makespan[lane] = online_makespan(e->online);
        if (rule->explore)
            set_advantages(e, &run);
    }
    return true;
}
