// SPDX-License-Identifier: Apache-2.0
// A configuration has one time and one peak, whoever evaluates it: the step of the configuration, its plan executed, the
// replay of balance with the layers of the plan, and dynapipe with equal micro-batches.
#include "base/document/json.h"
#include "kernels/balance/documents/plan_layers_read.h"
#include "kernels/balance/model/replay.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "kernels/dynapipe/search/rule.h"
#include "kernels/dynapipe/training/training_stages.h"
#include "tests/unit/support/kernels/drawn_configuration.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

struct expected {
    int round;
    double time, peak; // s, bytes
};

static void compare(const struct expected *e, const char *who, double time, double peak)
{
    cr_assert(fabs(time - e->time) <= 1e-9 * e->time, "round %d: %s: %.17g s, not %.17g",
              e->round, who, time, e->time);
    cr_assert(fabs(peak - e->peak) <= fmax(1, 1e-12 * e->peak),
              "round %d: %s: %.17g bytes, not %.17g", e->round, who, peak, e->peak);
}

// ---- the plan, read back and executed -----------------------------------------------------------

static struct plan *read_back(const struct plan *plan)
{
    struct text_buffer text = {.text = NULL};
    struct pps_json json;
    struct pps_error err;
    struct pps_fault fault;
    plan_json_write(plan, &text);
    cr_assert_eq(pps_json_parse(&json, "plan", text.text, text.n, &err), PPS_OK);
    struct plan *read = plan_json_read(json.root, &fault);
    cr_assert_not_null(read, "%s", fault.text);
    pps_json_free(&json);
    text_buffer_free(&text);
    return read;
}

static void execute(const struct expected *e, const struct plan *plan)
{
    struct room room = {NULL, 0};
    struct metrics metrics;
    (void)executor_take(&plan->pipeline->shape, plan->order->room, &room);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){memory, 0};
    struct executor *executor = executor_take(&plan->pipeline->shape, plan->order->room, &room);
    cr_assert_eq(executor_run(executor, plan->pipeline, plan->order, NULL, NULL),
                 EXECUTOR_DONE);
    metrics_of(plan->pipeline, plan->order, executor_starts(executor), executor_ends(executor),
               &metrics, NULL, NULL);
    compare(e, "the plan", executor_makespan(executor), metrics.peak_most);
    free(memory);
}

// ---- balance ------------------------------------------------------------------------------------

// Returns whether every stage has a layer.
static bool fills_stages(const struct balance_strategy *strategy)
{
    for (int32_t s = 0; s < strategy->stages; s++) {
        int32_t layers = 0;
        for (int32_t v = 0; v < strategy->chunks; v++)
            layers += balance_chunk_layers(strategy, v, s);
        if (layers == 0)
            return false;
    }
    return true;
}

// Returns whether balance knows the strategy of the plan.
static bool balance(const struct expected *e, const struct plan *plan)
{
    struct balance_planned planned;
    struct pps_fault fault;
    if (!balance_planned_of(plan, &planned, &fault))
        return false;
    const bool known = planned.mine.count != NULL && fills_stages(&planned.mine);
    if (known) {
        struct room room = {NULL, 0};
        double peak_mb[4096];
        struct balance_result result = {.peak_mb = peak_mb};
        planned.shape.transfer = planned.layers.transfer;
        (void)balance_replay_take(&planned.shape, &room);
        char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
        room = (struct room){memory, 0};
        struct balance_replay *replay = balance_replay_take(&planned.shape, &room);
        cr_assert(balance_replay_open(replay, NULL));
        balance_replay_run(replay, &planned.layers, &planned.mine, &result);
        compare(e, "balance", result.makespan / 1e3, peak_mb[result.worst] * MIB);
        free(memory);
    }
    balance_planned_free(&planned);
    return known;
}

// ---- dynapipe -----------------------------------------------------------------------------------

struct evaluator {
    struct rule rule;
    struct rule_plan plan;
    struct micro_batches batches;
    void *memory;
};

static void take(struct evaluator *e, const struct plan_size *size, struct room *room)
{
    rule_take(&e->rule, size, room);
    rule_plan_take(&e->plan, size, room);
    micro_batches_take(&e->batches, size->count, size->stages, room);
}

static void open(struct evaluator *e, const struct plan_size *size)
{
    struct room room = {NULL, 0};
    take(e, size, &room);
    e->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(e->memory, 0, room.used);
    room = (struct room){e->memory, 0};
    take(e, size, &room);
    for (int32_t m = 0; m < size->count; m++)
        e->plan.order[m] = m;
}

// Runs equal micro-batches with the recomputation of the configuration in its 1F1B.
static void schedule(const struct expected *expected, const struct step_setup *setup,
                     const struct configuration *c)
{
    const struct network_shape shape = {c->strategy.mbs, (int32_t)c->model.seq_length, 0};
    const struct plan_size size =
        plan_size_of(&setup->pipeline, configuration_micro_batches(c));
    struct evaluator e;
    double peak = 0;
    open(&e, &size);
    for (int32_t m = 0; m < size.count; m++)
        cr_assert(setup->fill.fill(setup->fill.self, DYNAPIPE_KEEP, &shape, m, &e.batches));
    const struct plan_task task = {.pipeline = &setup->pipeline,
                                   .of = {&e.batches, NULL, NULL}};
    e.plan.method = c->strategy.vp > 1 ? METHOD_INTERLEAVED : METHOD_1F1B;
    rule_evaluate(&e.rule, &task, &e.plan, false, NULL);
    for (int32_t d = 0; d < size.devices; d++)
        peak = fmax(peak, e.rule.peaks[d]);
    compare(expected, "dynapipe", e.rule.makespan / 1e6, peak * 1e6);
    free(e.memory);
}

// Returns whether messages are shorter than all operations: two of one device then never wait for each other, as the
// executor assumes.
static bool has_short_messages(const struct pipeline *pipeline)
{
    double longest = 0, shortest = (double)INFINITY;
    for (int32_t k = 0; k < pipeline->shape.stages; k++) {
        const struct pipeline_stage *stage = &pipeline->stage[k];
        const double *rates = pipeline->links.bandwidths;
        const double more = rates != NULL ? stage->forward_bytes / rates[0] : 0;
        longest = fmax(longest, pipeline->links.latency + more);
        shortest = fmin(shortest, fmin(stage->f, stage->b));
    }
    return longest <= shortest;
}

// Returns whether dynapipe knows the order of the configuration.
static bool dynapipe(const struct expected *e, const struct configuration *c,
                     const struct pipeline *pipeline)
{
    const bool is_1f1b =
        c->family == NULL &&
        (c->strategy.vp == 1 || (c->strategy.pp > 1 && !c->training.low_mem_vpp &&
                                 configuration_micro_batches(c) % c->strategy.pp == 0)) &&
        configuration_run_micro_batches(c) == configuration_micro_batches(c);
    struct training_stages *stages;
    struct step_setup *setup;
    if (!is_1f1b || !has_short_messages(pipeline) || training_stages_misfit(c) != NULL)
        return false;
    stages = malloc(sizeof *stages);
    setup = calloc(1, sizeof *setup);
    cr_assert(training_stages_open(stages, c));
    training_stages_setup(stages, true, setup);
    setup->limit = (double)INFINITY;
    (void)step_setup_open(setup);
    schedule(e, setup, c);
    training_stages_free(stages);
    free(stages);
    free(setup);
    return true;
}

// ---- configurations -----------------------------------------------------------------------------

// Gives every part a layer, some of which are made again, and the order 1F1B.
static void make_plain(struct random *r, struct configuration *c)
{
    int32_t *lists = calloc(3 * (size_t)c->n_parts, sizeof *lists), *full = lists + c->n_parts,
            *select = full + c->n_parts, layers = 0;
    const int mode = (int)random_below(r, 4);
    for (int32_t k = 0; k < c->n_parts; k++)
        layers += configuration_part_layers(&c->parts[k]);
    for (int32_t k = 0; k < layers; k++)
        lists[k < c->n_parts ? k : (int32_t)random_below(r, c->n_parts)]++;
    for (int32_t k = 0; k < c->n_parts; k++) {
        full[k] = mode == 1 ? lists[k] : mode > 1 ? (int32_t)random_below(r, lists[k] + 1) : 0;
        select[k] = mode == 3 ? (int32_t)random_below(r, lists[k] - full[k] + 1) : 0;
    }
    configuration_set_layers(c, lists, full, select);
    c->recompute_group = 1;
    c->family = NULL;
    free(lists);
}

static struct configuration draw(struct random *r)
{
    struct configuration c = drawn_configuration(r), plain;
    char why[256];
    cr_assert(configuration_copy(&plain, &c));
    make_plain(r, &plain);
    if (!random_coin(r) && configuration_has_order(&plain, why, sizeof why)) {
        configuration_free(&c);
        return plain;
    }
    configuration_free(&plain);
    return c;
}

// ---- all of them --------------------------------------------------------------------------------

// Catches any difference between the evaluators: of times, messages, states, or what is kept when.
Test(configuration_one_number, several_ways)
{
    struct random r = {first_point() + 33};
    const int rounds = n_rounds(500);
    int balanced = 0, scheduled = 0;
    for (int round = 0; round < rounds; round++) {
        struct configuration c = draw(&r);
        struct configuration_step step;
        cr_assert_eq(configuration_step_brief(&step, &c, NULL), CONFIGURATION_DONE);
        const struct expected e = {round, step.pipeline, step.peak};
        struct plan *plan = configuration_plan(&c, &step), *read = read_back(plan);
        execute(&e, read);
        balanced += balance(&e, read);
        scheduled += dynapipe(&e, &c, step.work);
        plan_free(plan);
        plan_free(read);
        configuration_step_free(&step);
        configuration_free(&c);
    }
    if (rounds < 200) // too few to say how many of each kind there are
        return;
    cr_expect_gt(balanced, rounds / 8, "%d", balanced);
    cr_expect_gt(scheduled, rounds / 40, "%d", scheduled);
}
