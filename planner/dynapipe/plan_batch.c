// SPDX-License-Identifier: Apache-2.0
// Plans batches: division, replicas, instructions, checks.
#include "base/system/machine.h"
#include "kernels/dynapipe/instructions/instructions_check.h"
#include "planner/dynapipe/batch_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_replicas(struct plan_batch_room *room)
{
    for (int32_t k = 0; k < room->n; k++)
        free(room->replica[k]);
    free(room->replica);
    free(room->replica_bytes);
    free(room->replicas);
    free(room->instructions);
    room->n = 0;
}

void plan_batch_room_free(struct plan_batch_room *room)
{
    free_replicas(room);
    free(room->division);
    *room = (struct plan_batch_room){.n = 0};
}

__attribute__((format(printf, 3, 4))) static bool end(struct batch_task *t,
                                                      enum planned_outcome outcome,
                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->planned->reason, sizeof t->planned->reason, format, args);
    va_end(args);
    t->planned->outcome = outcome;
    return false;
}

// Makes a block at least so large. Its content is lost.
static bool grow(void **block, size_t *has, size_t bytes)
{
    if (bytes == SIZE_MAX)
        return false;
    if (bytes <= *has)
        return true;
    free(*block);
    *has = 0;
    *block = aligned_alloc(ROOM_ALIGNMENT, bytes);
    if (*block == NULL)
        return false;
    *has = bytes;
    return true;
}

static bool grow_replicas(struct plan_batch_room *room, int32_t n)
{
    if (room->n >= n)
        return true;
    free_replicas(room);
    room->replica = calloc((size_t)n, sizeof *room->replica);
    room->replica_bytes = calloc((size_t)n, sizeof *room->replica_bytes);
    room->replicas = calloc((size_t)n, sizeof *room->replicas);
    room->instructions = calloc((size_t)n, sizeof *room->instructions);
    if (room->replica == NULL || room->replica_bytes == NULL || room->replicas == NULL ||
        room->instructions == NULL)
        return false; // they are freed with the room, or before the next try
    room->n = n;
    return true;
}

// ---- samples --------------------------------------------------------------------------------------

// Every sample has a target length if and only if the network has a decoder.
static bool take_samples(struct batch_task *t)
{
    const bool decoder = t->request->network.decoders > 0;
    for (int32_t i = 0; i < t->batch->count; i++)
        if ((t->batch->target[i] >= 0) != decoder) {
            t->planned->sample = i;
            return end(t, PLANNED_REFUSED,
                       decoder
                           ? "sample %d has no target length; write two lengths as in 512,128"
                           : "sample %d has a target length, but the network has no decoder; "
                             "write one length",
                       (int)i);
        }
    if (t->batch->count > SPLIT_SAMPLES_MAX)
        return end(t, PLANNED_REFUSED, "%d samples; at most %d", (int)t->batch->count,
                   SPLIT_SAMPLES_MAX);
    t->samples = batch_samples(t->batch, decoder, t->request->choice.offset);
    return true;
}

static double last_length(const struct batch_task *t)
{
    const struct cost_tables *tables = t->setup->tables;
    return tables->axis[COST_INPUT][tables->nodes[COST_INPUT] - 1];
}

static bool explain_division(struct batch_task *t)
{
    const struct split_lack *lack = &step_divided(t->division).split->lack;
    if (lack->sample < 0)
        return end(t, PLANNED_INFEASIBLE,
                   "each sample fits alone with some recomputation, but not all of them with "
                   "the same one");
    t->planned->sample = lack->sample;
    if (lack->is_outside)
        return end(
            t, PLANNED_REFUSED,
            "sample %d (length %d) is outside the cost tables, which end at %g tokens; measure "
            "longer ones, or write modelled tables with dynaplan tables --longest N",
            (int)lack->sample, (int)t->samples.input[lack->sample], last_length(t));
    return end(
        t, PLANNED_INFEASIBLE,
        "sample %d (length %d) alone needs %.1f MB, device 0 has %.1f MB left beside the "
        "state; use more memory, devices or tensor parallelism",
        (int)lack->sample, (int)t->samples.input[lack->sample], lack->needed, lack->available);
}

bool batch_divide(struct batch_task *t, struct step_caution caution)
{
    const struct step_setup *setup = t->setup;
    const bool packs = t->choice->pack || t->choice->rule != STEP_OPTIMAL;
    struct room room = {NULL, 0};
    step_division_take(setup, t->samples.count, packs, &room);
    if (!grow(&t->room->division, &t->room->division_bytes, room.used))
        return end(t, PLANNED_NO_MEMORY, "out of memory");
    room = (struct room){t->room->division, 0};
    t->division = step_division_take(setup, t->samples.count, packs, &room);
    switch (step_divide(t->division, setup, t->choice, &t->samples, caution, &t->poll)) {
    case SPLIT_FOUND:
        t->planned->objective = step_divided(t->division).split->objective;
        return true;
    case SPLIT_STOPPED:
        return end(t, PLANNED_STOPPED, "stopped");
    case SPLIT_INFEASIBLE:
        break;
    }
    return explain_division(t);
}

// ---- replicas -------------------------------------------------------------------------------------

static bool explain_plan(struct batch_task *t, const struct step_replica *r)
{
    const struct plan_answer *a = &r->answer;
    const int32_t d = a->device;
    if (r->outcome == PLAN_STOPPED)
        return end(t, PLANNED_STOPPED, "stopped");
    if (r->outcome == PLAN_NO_SCHEDULE)
        return end(t, PLANNED_INFEASIBLE,
                   "the method has no schedule for these micro-batches; try --mode best "
                   "without --method");
    if (r->outcome == PLAN_INFEASIBLE)
        t->lacks = a->needs - t->setup->limits[d];
    if (r->outcome == PLAN_INFEASIBLE)
        return end(t, PLANNED_INFEASIBLE, "needs %.1f MB, has %.1f MB (device %d)", a->needs,
                   t->setup->limits[d], (int)d);
    return end(t, PLANNED_INFEASIBLE,
               "mode %s found no plan that fits: its plan needs %.1f MB, has %.1f MB (device "
               "%d); %s",
               plan_mode_names[a->mode], a->needs, d >= 0 ? t->setup->limits[d] : 0, (int)d,
               t->choice->method != PLAN_ANY_METHOD
                   ? "leave out --method"
                   : "--mode quick finds a plan in about the same time");
}

// The memory of a replica: its plan, its instructions and their check.
struct replica_room {
    struct instruction_room *made;
    struct instruction_check *check;
    double *peaks;
};

static void take_replica(const struct batch_task *t, int32_t k, int32_t count,
                         struct replica_room *out, struct room *room)
{
    const struct step_setup *s = t->setup;
    struct instructions *in = &t->room->instructions[k];
    const struct plan_size size = plan_size_of(&s->pipeline, count);
    step_replica_take(&t->room->replicas[k], &size, room);
    instructions_take(in, size.devices, size.stages, size.widest, count, room);
    out->made = instruction_room_take(in, room);
    out->check = instruction_check_take(in, size.widest, room);
    out->peaks = room_take(room, (size_t)size.devices, sizeof *out->peaks);
}

static bool instruct(struct batch_task *t, int32_t k, const struct replica_room *room)
{
    const struct step_setup *s = t->setup;
    const struct rule *rule = t->room->replicas[k].answer.rule;
    char text[256];
    double makespan;
    instructions_make(&t->room->instructions[k], &s->pipeline, &rule->lanes, rule->times,
                      s->tensors, !t->choice->as_published, room->made);
    if (instructions_check(&t->room->instructions[k], &s->pipeline, &rule->ordered, s->tensors,
                           t->room->replicas[k].answer.fits, room->check, &makespan,
                           room->peaks, text, sizeof text))
        return true;
    return end(t, PLANNED_INFEASIBLE,
               "the plan of replica %d is not valid: %s; please report this", (int)k, text);
}

static bool plan_replica(struct batch_task *t, int32_t k)
{
    struct step_replica *r = &t->room->replicas[k];
    const int32_t count = step_count_of(t->division, k);
    struct replica_room taken;
    struct room room = {NULL, 0};
    take_replica(t, k, count, &taken, &room);
    if (!grow(&t->room->replica[k], &t->room->replica_bytes[k], room.used))
        return end(t, PLANNED_NO_MEMORY, "out of memory");
    room = (struct room){t->room->replica[k], 0};
    take_replica(t, k, count, &taken, &room);
    if (step_plan(r, t->setup, t->choice, t->division, k, &t->poll) != PLAN_FOUND)
        return explain_plan(t, r);
    return t->ranks || instruct(t, k, &taken);
}

bool batch_plan_replicas(struct batch_task *t)
{
    const struct step_setup *s = t->setup;
    t->lacks = 0;
    if (!grow_replicas(t->room, s->replicas))
        return end(t, PLANNED_NO_MEMORY, "out of memory");
    for (int32_t k = 0; k < s->replicas; k++)
        if (!plan_replica(t, k))
            return false;
    return true;
}

// Divides and plans. Micro-batches that are too large for a plan are made smaller.
static bool divide_and_plan(struct batch_task *t)
{
    struct step_caution caution = {.round = 0};
    for (bool again = true; again;) {
        if (!batch_divide(t, caution))
            return false;
        if (batch_plan_replicas(t))
            return true;
        again = t->lacks > 0 && t->samples.rows == NULL && !t->choice->as_published &&
                !t->ranks && step_caution_grow(&caution, t->lacks);
    }
    return false;
}

double batch_slowest(const struct batch_task *t)
{
    double makespan = 0;
    for (int32_t k = 0; k < t->setup->replicas; k++)
        makespan = fmax(makespan, t->room->replicas[k].answer.makespan);
    return makespan;
}

static void conclude(struct batch_task *t)
{
    struct planned *p = t->planned;
    p->samples = t->samples;
    p->step = (struct planned_step){
        .batch = t->batch->name,
        .setup = t->setup,
        .choice = &t->request->choice,
        .samples = &p->samples,
        .division = t->division,
        .replicas = t->room->replicas,
        .instructions = t->room->instructions,
        .n = t->setup->replicas,
        .batch_bound = t->samples.rows != NULL
                           ? 0
                           : batch_bound_of(&t->request->bound, &t->samples, t->choice->pack)};
    p->figures = step_figures_of(&p->step);
    p->method = t->room->replicas[p->figures.slowest].answer.method;
    p->mode = plan_mode_names[t->room->replicas[0].answer.mode];
    p->outcome = PLANNED;
}

// ---- baselines ------------------------------------------------------------------------------------

enum { BASELINE_BUDGET = 200 }; // evaluations: recomputation where memory needs it

// Returns the choice of a simple rule: 1F1B, in the order of the division.
static struct step_choice rule_of(const struct batch_task *t, enum step_rule rule)
{
    const enum assignment a = assignment_of(&t->setup->pipeline);
    struct step_choice choice = t->request->choice;
    choice.rule = rule;
    choice.keeps_order = true;
    choice.mode = PLAN_QUICK;
    choice.budget = BASELINE_BUDGET;
    choice.method = a == ASSIGNMENT_LINEAR        ? METHOD_1F1B
                    : a == ASSIGNMENT_INTERLEAVED ? METHOD_INTERLEAVED
                                                  : METHOD_WAIT_FREE_CYCLIC;
    return choice;
}

// Tries the powers of two from `least` to `most` as sizes of a rule. *size: the best.
static double best_of_rule(struct batch_task *t, enum step_rule rule, int64_t least,
                           int64_t most, int64_t *size)
{
    struct step_choice choice = rule_of(t, rule);
    double best = HUGE_VAL;
    t->choice = &choice;
    for (choice.rule_size = least; choice.rule_size <= most; choice.rule_size *= 2)
        if (divide_and_plan(t) && batch_slowest(t) < best) {
            best = batch_slowest(t);
            *size = choice.rule_size;
        }
    t->choice = &t->request->choice;
    return best;
}

static void plan_baselines(struct batch_task *t)
{
    int64_t longest = 8, sum = 0, rows = 1;
    for (int32_t i = 0; i < t->samples.count; i++) {
        const int64_t length = split_input_of(&t->samples, i) + split_target_of(&t->samples, i);
        longest = length > longest ? length : longest;
        sum += length;
    }
    while (2 * rows <= t->samples.count)
        rows *= 2;
    struct baselines *b = &t->planned->baselines;
    b->tokens =
        best_of_rule(t, STEP_TOKENS, longest, sum > longest ? sum : longest, &b->tokens_size);
    b->uniform = best_of_rule(t, STEP_UNIFORM, 1, rows, &b->uniform_size);
}

// Plans the batch as the training runs: its micro-batches, its order, its recomputation.
static void plan_mine(struct batch_task *t)
{
    struct step_choice choice = rule_of(t, STEP_UNIFORM);
    choice.rule_size = t->request->rows;
    t->choice = &choice;
    t->setup = &t->request->mine;
    t->planned->baselines.mine = divide_and_plan(t) ? batch_slowest(t) : HUGE_VAL;
    t->setup = &t->request->setup;
    t->choice = &t->request->choice;
}

void plan_batch(const struct dynaplan_request *request, const struct batch *batch,
                bool with_baselines, struct plan_batch_room *room, const atomic_bool *stop,
                struct planned *planned)
{
    struct batch_task t = {.request = request,
                           .setup = &request->setup,
                           .choice = &request->choice,
                           .batch = batch,
                           .room = room,
                           .planned = planned,
                           .poll = {.over = poll_flag, .self = (void *)(uintptr_t)stop}};
    memset(planned, 0, sizeof *planned);
    planned->sample = -1;
    const bool taken = take_samples(&t);
    const bool divides = taken && batch->count > 0 && t.samples.rows == NULL;
    if (divides && with_baselines)
        plan_baselines(&t);
    if (divides && request->has_mine)
        plan_mine(&t);
    const double begin = pps_wall_seconds();
    planned->outcome = taken ? PLANNED : PLANNED_REFUSED;
    const struct step_choice divided = taken ? batch_choose_division(&t) : request->choice;
    t.choice = &divided;
    if (taken && divide_and_plan(&t))
        conclude(&t);
    planned->seconds = pps_wall_seconds() - begin;
}
