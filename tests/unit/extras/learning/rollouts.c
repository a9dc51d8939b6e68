// SPDX-License-Identifier: Apache-2.0
// Gains of candidates: those of steps that run from the start with another candidate in one decision.
#include "extras/learning/rollouts.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3 };

static const struct pull_rule guide = {0.5, 0, PULL_UNLIMITED};
static const struct network_shape shape = {FEATURES_CANDIDATE, FEATURES_STATE, {8, 8}};

struct bench {
    struct problem problem;
    struct online *online;
    struct features features;
    struct executor_times times;
    uint8_t waits[DEVICES];
    int lane;
    char *memory;
};

static void take(struct bench *b, const struct problem_space *space, struct room *room)
{
    const struct pipeline_shape most = problem_largest(space);
    problem_take(&b->problem, space, room);
    b->online = online_take(&most, 3 * most.stages / most.devices * most.micro_batches, room);
    noise_times_take(&b->times, &most, false, room);
}

static void open_problem(struct bench *b, const struct problem_space *space, uint64_t number)
{
    cr_assert(problem_draw(&b->problem, space, 1, number, NULL));
    online_open(b->online, &b->problem.pipeline, &b->problem.order);
    online_let_wait(b->online, true);
    features_open(&b->features, b->online, &b->problem.pipeline, &b->problem.order);
    noise_draw(&b->problem.noise, &b->problem.pipeline, (uint32_t)number * EXECUTOR_LANES,
               &b->times);
}

// Runs the guide, but takes a candidate in the decision with this number, among those in which networks would
// choose. Sets the features of this decision. Returns the number of decisions.
static int run(struct bench *b, int number, int candidate, struct episode_decision *out,
               double features[EPISODE_CANDIDATES * FEATURES_CANDIDATE])
{
    double state[FEATURES_STATE], ignored[EPISODE_CANDIDATES * FEATURES_CANDIDATE];
    struct online_decision decision;
    int n = 0;
    memset(b->waits, 0, sizeof b->waits);
    online_start(b->online, &b->times, b->lane);
    while (online_next(b->online, &decision)) {
        const int32_t own = features_guide(&b->features, &guide, &decision, b->waits);
        const int32_t candidates =
            decision.n < 2 ? 1 : features_candidates(&b->features, &decision, own);
        int32_t chosen = own < candidates ? own : 0;
        if (candidates > 1 && !features_quiet(&b->features, &decision) && n++ == number) {
            features_of(&b->features, &decision, out != NULL ? features : ignored, state);
            if (out != NULL)
                *out = (struct episode_decision){.n = (int16_t)candidates,
                                                 .chosen = (int16_t)chosen};
            chosen = candidate < 0 ? chosen : candidate;
        }
        online_act(b->online, chosen);
    }
    return n;
}

static bool is_same(const struct episode_log *log, int32_t k,
                    const struct episode_decision *wanted, const double *features)
{
    const struct episode_decision *found = &log->decision[k];
    const float *own = log->candidate + (int64_t)k * EPISODE_CANDIDATES * FEATURES_CANDIDATE;
    for (int i = 0; i < wanted->n * FEATURES_CANDIDATE; i++)
        if ((double)own[i] != features[i])
            return false;
    for (int i = 0; i < wanted->n; i++)
        if (fabsf(found->gain[i] - wanted->gain[i]) > 1e-4f)
            return false;
    return found->n == wanted->n && found->chosen == wanted->chosen;
}

// Returns how many logged decisions are those of a step that runs from the start.
static int count_found(struct bench *b, const struct episode_log *log)
{
    double features[EPISODE_CANDIDATES * FEATURES_CANDIDATE];
    struct episode_decision wanted = {.n = 0};
    int found = 0;
    const int n = run(b, -1, -1, NULL, NULL);
    const double makespan = online_makespan(b->online), period = b->features.period;
    for (int number = 0; number < n; number++) {
        run(b, number, -1, &wanted, features);
        for (int i = 0; i < wanted.n; i++) {
            run(b, number, i, NULL, NULL);
            wanted.gain[i] = (float)((makespan - online_makespan(b->online)) / period);
        }
        for (int32_t k = 0; k < log->n; k++)
            found += is_same(log, k, &wanted, features);
    }
    return found;
}

// Catches copies that lose a part of the state, other times, and gains of the wrong candidate.
Test(rollouts, gains_are_those_of_whole_steps)
{
    struct problem_space space = problem_default();
    space.devices = (struct problem_range){2, DEVICES};
    space.rounds = (struct problem_range){1, 2};
    struct bench b = {.lane = 0};
    struct episode_log log;
    struct rollouts *rollouts = NULL;
    struct room room = {NULL, 0};
    for (int pass = 0; pass < 2; pass++) {
        take(&b, &space, &room);
        struct episode *episode = episode_take(&space, &shape, &room);
        rollouts = rollouts_take(episode, &space, &shape, &room);
        episode_log_take(&log, EXECUTOR_LANES * ROLLOUTS_OF_STEP, &room);
        if (pass == 0)
            room = (struct room){b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
    }
    int logged = 0, gains = 0;
    for (uint64_t number = 0; number < 40; number++) {
        struct episode_result result;
        const struct episode_rule rule = {.guide = guide, .baseline = guide};
        int found = 0;
        log.n = 0;
        cr_assert(rollouts_run(rollouts, &space, 1, number, &rule, NULL, &log, &result));
        open_problem(&b, &space, number);
        for (b.lane = 0; b.lane < EXECUTOR_LANES; b.lane++) {
            cr_assert(result.makespan[b.lane] == result.guide[b.lane]);
            found += count_found(&b, &log);
        }
        cr_assert(found >= log.n, "problem %d: %d of %d", (int)number, found, log.n);
        logged += log.n;
        for (int32_t k = 0; k < log.n; k++)
            for (int i = 0; i < log.decision[k].n; i++)
                gains += log.decision[k].gain[i] > 0;
    }
    cr_assert(logged > 500 && gains > 20, "%d decisions, %d gains", logged, gains);
    free(b.memory);
}
