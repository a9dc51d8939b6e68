// SPDX-License-Identifier: Apache-2.0
// Runs replicates of a step under a policy.
#include "kernels/schedule/policy/policy_run.h"

#include "kernels/schedule/policy/features.h"

#include <string.h>

struct policy_run {
    const struct policy *policy;
    const struct pipeline *pipeline;
    struct online *online;
    struct pull *pull;
    uint8_t *waits; // [devices]
    struct features features;
    // Learned policies.
    struct network_shape shape; // of `network`
    void *memory;               // of `network`
    struct network *network;
    double *candidate, *state, *score;
};

static int32_t candidates_of(int32_t chunks)
{
    return 3 * chunks + 1; // F, B and W of each chunk, and WAIT
}

static size_t network_bytes(const struct network_shape *shape, int n)
{
    struct room room = {NULL, 0};
    (void)network_take(shape, n, &room);
    return room.used;
}

static int candidates_most(const struct pipeline_shape *most)
{
    const int32_t n = candidates_of(most->stages);
    return n < NETWORK_CANDIDATES_MAX ? n : NETWORK_CANDIDATES_MAX;
}

struct policy_run *policy_run_take(const struct pipeline_shape *most, int32_t operations,
                                   const struct network_shape *widest, struct room *room)
{
    struct policy_run *taken = room_take(room, 1, sizeof *taken), counted;
    struct policy_run *run = taken != NULL ? taken : &counted;
    const size_t n = (size_t)candidates_most(most);
    *run = (struct policy_run){.policy = NULL};
    run->online = online_take(most, operations, room);
    run->pull = pull_take(most, operations, room);
    run->waits = room_take(room, (size_t)most->devices, sizeof *run->waits);
    if (widest == NULL)
        return taken;
    run->memory = room_take(room, network_bytes(widest, (int)n), 1);
    run->candidate = room_take(room, n * FEATURES_CANDIDATE, sizeof(double));
    run->state = room_take(room, FEATURES_STATE, sizeof(double));
    run->score = room_take(room, n, sizeof(double));
    return taken;
}

const char *policy_misfit(const struct policy *policy, const struct pipeline *pipeline,
                          const struct order *order)
{
    if (policy->kind != POLICY_LEARNED)
        return pull_misfit(pipeline, order);
    if (candidates_of(pipeline_most_chunks(pipeline)) > NETWORK_CANDIDATES_MAX)
        return "a learned policy takes at most 85 chunks per device";
    return online_misfit(pipeline, order);
}

void policy_run_open(struct policy_run *run, const struct policy *policy,
                     const struct pipeline *pipeline, const struct order *order)
{
    run->policy = policy;
    run->pipeline = pipeline;
    online_open(run->online, pipeline, order);
    online_let_wait(run->online, true);
    if (policy->kind != POLICY_LEARNED) {
        pull_open(run->pull, pipeline, order);
        return;
    }
    struct room room = {run->memory, 0};
    run->network =
        network_take(&policy->shape, candidates_of(pipeline_most_chunks(pipeline)), &room);
    features_open(&run->features, run->online, pipeline, order);
}

// ---- steps --------------------------------------------------------------------------------------

static int32_t best_of(const double *score, int32_t n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++)
        best = score[i] > score[best] ? i : best;
    return best;
}

static int32_t choose(struct policy_run *run, const struct online_decision *decision)
{
    if (run->policy->kind != POLICY_LEARNED)
        return pull_choose(&run->policy->rule, run->online, decision, run->waits);
    const int32_t guide =
        features_guide(&run->features, &run->policy->rule, decision, run->waits);
    const int32_t n = features_candidates(&run->features, decision, guide);
    if (n < 2 || features_quiet(&run->features, decision))
        return guide < n ? guide : 0;
    features_of(&run->features, decision, run->candidate, run->state);
    const struct network_input input = {n, guide, run->candidate, run->state};
    network_scores(run->network, run->policy->parameters, &input, run->score);
    return best_of(run->score, n);
}

// Returns false if the poll ended the step.
static bool run_step(struct policy_run *run, const struct executor_times *times, int lane,
                     struct poll *poll)
{
    enum { DECISION_STEPS = 64 }; // of the poll
    struct online_decision decision;
    memset(run->waits, 0, (size_t)run->pipeline->shape.devices);
    online_start(run->online, times, lane);
    while (online_next(run->online, &decision)) {
        online_act(run->online, choose(run, &decision));
        if (poll_over_after(poll, DECISION_STEPS))
            return false;
    }
    return true;
}

struct online *policy_run_step(struct policy_run *run, const struct executor_times *times,
                               int lane)
{
    (void)run_step(run, times, lane, NULL);
    return run->online;
}

bool policy_run_lanes(struct policy_run *run, const struct executor_times *times,
                      struct poll *poll, double *makespan)
{
    if (run->policy->kind != POLICY_LEARNED) {
        pull_run(run->pull, &run->policy->rule, times, makespan);
        return !poll_over_after(poll, POLL_STEPS);
    }
    for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
        if (!run_step(run, times, lane, poll))
            return false;
        makespan[lane] = online_makespan(run->online);
    }
    return true;
}
