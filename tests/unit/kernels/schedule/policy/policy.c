// SPDX-License-Identifier: Apache-2.0
// Policies: documents that read back as the same policy, faults with a place and a remedy, and steps that
// always end within the limits of memory.
#include "base/document/json.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/policy/features.h"
#include "kernels/schedule/policy/policy_run.h"
#include "tests/unit/support/kernels/online_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct network_shape shape = {FEATURES_CANDIDATE, FEATURES_STATE, {16, 8}};

static struct policy *read_text(const char *text, struct pps_json *json,
                                struct pps_fault *fault)
{
    struct pps_error err;
    cr_assert(pps_json_parse(json, "policy", text, strlen(text), &err) == PPS_OK, "%s: %s",
              text, err.text);
    return policy_read(json->root, fault);
}

static struct policy *learned_drawn(struct random *r, double size)
{
    struct policy *policy = policy_new(POLICY_LEARNED, &shape);
    for (int k = 0; k < network_parameters(&shape); k++)
        policy->parameters[k] = size * (2 * random_unit(r) - 1);
    return policy;
}

static struct policy *policy_drawn(struct random *r, enum policy_kind kind)
{
    static const int32_t counts[] = {0, 1, 7, PULL_UNLIMITED - 1, PULL_UNLIMITED};
    struct policy *policy = kind == POLICY_LEARNED
                                ? learned_drawn(r, ldexp(1, (int)random_below(r, 200) - 100))
                                : policy_new(kind, NULL);
    if (kind == POLICY_STATIC)
        return policy;
    if (kind == POLICY_ROBUST) {
        policy->replicates = 2 + (int32_t)random_below(r, 1000);
        policy->budget = random_below(r, 1000000);
        return policy;
    }
    if (kind != POLICY_W_FLOATS)
        policy->rule.threshold = random_coin(r) ? random_unit(r) : (double)INFINITY;
    policy->rule.lag = counts[random_below(r, 5)];
    policy->rule.ahead = counts[random_below(r, 5)];
    return policy;
}

static bool policy_equal(const struct policy *a, const struct policy *b)
{
    if (a->kind != b->kind ||
        memcmp(&a->rule.threshold, &b->rule.threshold, sizeof(double)) != 0 ||
        a->rule.lag != b->rule.lag || a->rule.ahead != b->rule.ahead ||
        a->replicates != b->replicates || a->budget != b->budget)
        return false;
    if (a->kind != POLICY_LEARNED)
        return true;
    return memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           memcmp(a->parameters, b->parameters,
                  (size_t)network_parameters(&a->shape) * sizeof(double)) == 0;
}

// Catches weights printed with too few digits, and parameters that the writer leaves out.
Test(policy, documents_read_back_as_the_same_policy)
{
    struct random r = {31};
    for (int k = 0; k < 100; k++) {
        struct policy *policy = policy_drawn(&r, (enum policy_kind)(k % POLICY_KINDS));
        struct text_buffer text = {.text = NULL}, again = {.text = NULL};
        struct pps_json json, training;
        struct pps_fault fault;
        struct pps_error err;
        static const char record[] =
            "{\"seed\": 7, \"curve\": [[1, -0.1], [2, 1e-300]], "
            "\"command\": \"a \\\"b\\\"\", \"none\": null, \"t\": true}";
        cr_assert(pps_json_parse(&training, "t", record, strlen(record), &err) == PPS_OK);
        if (random_coin(&r))
            policy->training = cJSON_Duplicate(training.root, true);
        policy_write(policy, &text);
        struct policy *read = read_text(text.text, &json, &fault);
        cr_assert_not_null(read, "%s", fault.text);
        cr_assert(policy_equal(policy, read), "%s", text.text);
        policy_write(read, &again);
        cr_assert_str_eq(text.text, again.text);
        text_buffer_free(&text);
        text_buffer_free(&again);
        policy_free(policy);
        policy_free(read);
        pps_json_free(&json);
        pps_json_free(&training);
    }
}

Test(policy, faults_have_a_place_and_a_remedy)
{
#define NETWORK "{\"ppsweep_policy\": 1, \"kind\": \"learned\", "
    static const struct {
        const char *text, *key, *fault;
    } cases[] = {
        {"[]", NULL, "expected an object with the key \"ppsweep_policy\""},
        {"{\"kind\": \"pull\"}", NULL, "expected an object with the key \"ppsweep_policy\""},
        {"{\"ppsweep_policy\": 2, \"kind\": \"pull\"}", "ppsweep_policy", "version 2 is newer"},
        {"{\"ppsweep_policy\": 1.5}", "ppsweep_policy", "whole number"},
        {"{\"ppsweep_policy\": 1}", NULL, "kind: expected"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"lerned\"}", "kind", "did you mean learned?"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"static\", \"lag\": 1}", "lag", "no such key"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"w_floats\", \"threshold\": 1}", "threshold",
         "no such key"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"pull\", \"lag\": -1}", "lag",
         "whole number from 0"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"pull\", \"treshold\": 1}", "treshold",
         "threshold"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"pull\", \"threshold\": -1}", "threshold",
         "from 0"},
        {"{\"ppsweep_policy\": 1, \"kind\": \"robust\", \"replicates\": 1}", "replicates", "2"},
        {NETWORK "\"weights\": []}", NULL, "needs the key \"shape\""},
        {NETWORK "\"weights\": [], \"shape\": {\"state\": 29}}", "shape",
         "needs the key \"candidate\""},
        {NETWORK
         "\"weights\": [], \"shape\": {\"candidate\": 9, \"state\": 29, \"widths\": [8, "
         "8]}}",
         "candidate", "trained with 9 features of a candidate"},
        {NETWORK
         "\"weights\": [], \"shape\": {\"candidate\": 22, \"state\": 1, \"widths\": [8, "
         "8]}}",
         "state", "train the policy again"},
        {NETWORK
         "\"weights\": [], \"shape\": {\"candidate\": 22, \"state\": 29, \"widths\": 8}}",
         "widths", "two layers"},
        {NETWORK
         "\"weights\": [1, 2], \"shape\": {\"candidate\": 22, \"state\": 29, \"widths\": "
         "[8, 8]}}",
         "weights", "2 numbers, but networks of widths 8 and 8 have"},
        {NETWORK "\"shape\": {\"candidate\": 22, \"state\": 29, \"widths\": [8, 8]}}", NULL,
         "needs the key \"weights\""},
        {"{\"ppsweep_policy\": 1, \"kind\": \"static\", \"training\": 3}", "training",
         "expected an object"},
    };
#undef NETWORK
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pps_json json;
        struct pps_fault fault;
        cr_assert_null(read_text(cases[k].text, &json, &fault), "%s", cases[k].text);
        cr_assert_not_null(strstr(fault.text, cases[k].fault), "%s: %s", cases[k].text,
                           fault.text);
        if (cases[k].key != NULL)
            cr_assert_str_eq(fault.item->string, cases[k].key, "%s: %s", cases[k].text,
                             fault.text);
        pps_json_free(&json);
    }
}

// ---- steps --------------------------------------------------------------------------------------

// A problem whose reference order comes from random decisions, and a policy run for it.
struct bench {
    struct online_bench *b;
    struct policy_run *run;
    void *memory;
};

static void refer_to_a_drawn_order(struct random *r, struct online_bench *b)
{
    struct online_decision decision;
    online_bench_sequential(b);
    online_open(b->online, b->pipeline, b->reference);
    online_start(b->online, NULL, 0);
    while (online_next(b->online, &decision)) {
        const int32_t n = decision.n - (decision.candidate[decision.n - 1].type == ONLINE_WAIT);
        online_act(b->online, (int32_t)random_below(r, n > 0 ? n : 1));
    }
    order_copy(b->reference, online_order(b->online));
}

static struct bench bench_of(struct random *r, int32_t devices, int32_t micro_batches)
{
    struct bench bench = {.b = online_bench_new(online_bench_draw(r, devices, micro_batches))};
    const struct pipeline *pipeline = bench.b->pipeline;
    const int32_t operations = order_room(pipeline, false);
    struct room room = {NULL, 0};
    (void)policy_run_take(&pipeline->shape, operations, &shape, &room);
    bench.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(bench.memory, 0xA5, room.used);
    room = (struct room){bench.memory, 0};
    bench.run = policy_run_take(&pipeline->shape, operations, &shape, &room);
    refer_to_a_drawn_order(r, bench.b);
    online_bench_times(r, bench.b, random_coin(r) ? 0 : 0.5);
    return bench;
}

static void bench_free(struct bench *bench)
{
    online_bench_free(bench->b);
    free(bench->memory);
}

// Runs all lanes; the order of a lane runs in the executor, stays within the limits and takes no longer there.
static void check_steps(const struct bench *bench, const struct policy *policy, int k)
{
    double makespan[EXECUTOR_LANES];
    struct online_bench *b = bench->b;
    cr_assert_null(policy_misfit(policy, b->pipeline, b->reference));
    policy_run_open(bench->run, policy, b->pipeline, b->reference);
    cr_assert(policy_run_lanes(bench->run, &b->times, NULL, makespan));
    for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
        struct online *online = policy_run_step(bench->run, &b->times, lane);
        struct metrics_excess excess;
        struct executor_lanes_result result = {.starts = NULL};
        cr_assert(online_makespan(online) == makespan[lane], "problem %d, lane %d", k, lane);
        const struct order *order = online_order(online);
        cr_assert(executor_run(b->executor, b->pipeline, order, NULL, NULL) == EXECUTOR_DONE,
                  "problem %d: the order does not run", k);
        cr_assert_not(metrics_over_limit(b->pipeline, order, &excess), "problem %d: %g > %g", k,
                      excess.value, excess.limit);
        executor_lanes_run(b->executor, b->lanes, &b->times, &result);
        cr_assert(result.makespan[lane] <= makespan[lane]);
    }
}

// Networks with random parameters choose badly, and for pipelines that no training has seen. Catches
// deadlocks and memory above the limits.
Test(policy, every_policy_ends_every_step_within_the_limits)
{
    struct random r = {32};
    for (int k = 0; k < 250; k++) {
        struct bench bench = bench_of(&r, 7, 9);
        for (int kind = 0; kind < POLICY_KINDS; kind++) {
            struct policy *policy = kind == POLICY_LEARNED
                                        ? learned_drawn(&r, k % 2 + 0.1)
                                        : policy_drawn(&r, (enum policy_kind)kind);
            check_steps(&bench, policy, k);
            policy_free(policy);
        }
        bench_free(&bench);
    }
}

// Networks whose last layers are 0 choose what the guide would choose. A guide never waits for memory, so it may differ
// from the rule only by being faster to act.
Test(policy, networks_that_know_nothing_follow_the_guide)
{
    struct random r = {33};
    struct policy *pull = policy_new(POLICY_PULL, NULL),
                  *learned = policy_new(POLICY_LEARNED, &shape);
    network_start(&shape, 1, 4, learned->parameters);
    for (int k = 0; k < 250; k++) {
        struct bench bench = bench_of(&r, 5, 7);
        double rule[EXECUTOR_LANES], guided[EXECUTOR_LANES];
        policy_run_open(bench.run, pull, bench.b->pipeline, bench.b->reference);
        policy_run_lanes(bench.run, &bench.b->times, NULL, rule);
        policy_run_open(bench.run, learned, bench.b->pipeline, bench.b->reference);
        policy_run_lanes(bench.run, &bench.b->times, NULL, guided);
        cr_assert(memcmp(rule, guided, sizeof rule) == 0, "problem %d", k);
        bench_free(&bench);
    }
    policy_free(pull);
    policy_free(learned);
}
