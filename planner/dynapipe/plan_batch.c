// SPDX-License-Identifier: Apache-2.0
// Plans batches: division, replicas, instructions, checks.
#include "planner/dynapipe/plan_batch.h"

#include "base/system/machine.h"
#include "kernels/dynapipe/instructions/instructions_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A batch that is planned.
struct batch_task {
    const struct dynaplan_request *request;
    const struct step_setup *setup;   // of the request
    const struct step_choice *choice; // of the request, or of a simple rule
    const struct batch *batch;
    struct plan_batch_room *room;
    struct planned *planned;
    struct split_samples samples;
    struct step_division *division;
    struct poll poll;
    double lacks; // MB that any plan of a replica lacks; 0: none
    bool ranks;   // divisions, by short plans: no instructions, and no stricter division
};

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
    t->samples =
        (struct split_samples){t->batch->count, t->batch->input,
                               decoder ? t->batch->target : NULL, t->request->choice.offset};
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

static bool divide(struct batch_task *t, struct step_caution caution)
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

static bool plan_replicas(struct batch_task *t)
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
        if (!divide(t, caution))
            return false;
        if (plan_replicas(t))
            return true;
        again = t->lacks > 0 && !t->choice->as_published && !t->ranks &&
                step_caution_grow(&caution, t->lacks);
    }
    return false;
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
        .batch_bound = batch_bound_of(&t->request->bound, &t->samples, t->choice->pack)};
    p->figures = step_figures_of(&p->step);
    p->method = t->room->replicas[p->figures.slowest].answer.method;
    p->mode = plan_mode_names[t->room->replicas[0].answer.mode];
    p->outcome = PLANNED;
}

// ---- divisions ------------------------------------------------------------------------------------

enum {
    DIVISIONS_MOST = 32,
    RANK_WORK =
        150000,      // of a division in the first round: evaluations x micro-batches x stages
    RANK_LEAST = 60, // evaluations
    RANK_ALL = 500,  // with fewer, alternating orders alone are tried, which are found soonest
    FINALISTS = 2,   // divisions that best plans again, as quick does
};

static double slowest_of(const struct batch_task *t)
{
    double makespan = 0;
    for (int32_t k = 0; k < t->setup->replicas; k++)
        makespan = fmax(makespan, t->room->replicas[k].answer.makespan);
    return makespan;
}

// A way to divide, and the step that it gives.
struct division {
    struct step_choice choice;
    double makespan; // INFINITY: no plan
    // Of its micro-batches: equal figures are the same division.
    int32_t count;
    double longest, sum;
};

struct divisions {
    struct division list[DIVISIONS_MOST];
    int n;
};

static struct step_choice *add_division(struct divisions *d, const struct step_choice *from)
{
    struct division *added = &d->list[d->n < DIVISIONS_MOST ? d->n++ : DIVISIONS_MOST - 1];
    *added = (struct division){.choice = *from, .makespan = HUGE_VAL};
    return &added->choice;
}

// Micro-batches of equal tokens, from the longest sample to one for each device.
static void add_tokens(const struct batch_task *t, struct divisions *d)
{
    int64_t longest = 8, sum = 0;
    for (int32_t i = 0; i < t->samples.count; i++) {
        const int64_t length = split_input_of(&t->samples, i) + split_target_of(&t->samples, i);
        longest = length > longest ? length : longest;
        sum += length;
    }
    for (int64_t size = longest; size <= sum && d->n < DIVISIONS_MOST; size *= 2) {
        struct step_choice *choice = add_division(d, &t->request->choice);
        choice->rule = STEP_TOKENS;
        choice->rule_size = size;
    }
}

// Lists the ways: parts of the memory for a micro-batch, the usual one first; micro-batches that all recompute; and equal
// tokens. quick tries the usual one and all of the memory.
static void list_divisions(const struct batch_task *t, struct divisions *d)
{
    static const double parts[] = {2, 4, 0.5};
    const struct step_choice *choice = &t->request->choice;
    const double devices = t->setup->pipeline.devices;
    const bool is_quick = choice->mode == PLAN_QUICK, limited = t->setup->limit < HUGE_VAL;
    d->n = 0;
    add_division(d, choice);
    for (int k = 0; k < 3 && limited && !is_quick; k++)
        if (parts[k] < devices)
            add_division(d, choice)->fraction = parts[k] / devices;
    if (limited && devices > 1)
        add_division(d, choice)->fraction = 1;
    if (is_quick)
        return;
    if (limited)
        add_division(d, choice)->recomputes = true;
    add_tokens(t, d);
}

// Returns the evaluations of a division in the first round.
static int64_t rank_budget(const struct batch_task *t, int32_t count)
{
    const int64_t cells = (int64_t)count * t->setup->pipeline.stages,
                  n = RANK_WORK / (cells + 1);
    return n > RANK_LEAST ? n : RANK_LEAST;
}

// Plans a division that no earlier one is equal to: quickly, or again as quick does.
static void rank(struct batch_task *t, struct divisions *d, int k, bool again)
{
    struct division *of = &d->list[k];
    const int64_t usual = of->choice.budget;
    const enum plan_mode mode = of->choice.mode;
    const int method = of->choice.method;
    of->choice.mode = PLAN_QUICK;
    t->choice = &of->choice;
    if (divide(t, (struct step_caution){.round = 0})) {
        const struct step_divided divided = step_divided(t->division);
        of->count = divided.split->count;
        of->longest = divided.split->longest;
        of->sum = divided.split->sum;
        of->choice.budget = again ? 0 : rank_budget(t, of->count / t->setup->replicas);
        if (method == PLAN_ANY_METHOD && !again && of->choice.budget < RANK_ALL &&
            assignment_of(&t->setup->pipeline) == ASSIGNMENT_LINEAR)
            of->choice.method = PLAN_FREE_WARM_UPS;
        bool is_new = true;
        for (int i = 0; i < k; i++)
            is_new = is_new && !(d->list[i].count == of->count && d->list[i].sum == of->sum &&
                                 d->list[i].longest == of->longest);
        of->makespan = is_new && plan_replicas(t) ? slowest_of(t) : HUGE_VAL;
    }
    of->choice.mode = mode;
    of->choice.method = method;
    of->choice.budget = usual;
}

static int shortest(const struct divisions *d)
{
    int best = 0;
    for (int k = 1; k < d->n; k++)
        if (d->list[k].makespan < d->list[best].makespan)
            best = k;
    return best;
}

// Chooses how the batch is divided: all ways are ranked by short plans, and in best the shortest again by longer ones.
static struct step_choice choose_division(struct batch_task *t)
{
    const struct step_choice *choice = &t->request->choice;
    struct divisions d, last = {.n = 0};
    if (choice->fraction > 0 || choice->as_published || choice->mode > PLAN_QUICK ||
        t->samples.count < 2)
        return *choice;
    list_divisions(t, &d);
    t->ranks = true;
    for (int k = 0; k < d.n && !poll_has_ended(&t->poll); k++)
        rank(t, &d, k, false);
    for (int k = 0; k < FINALISTS && choice->mode == PLAN_BEST; k++) {
        const int best = shortest(&d);
        last.list[last.n++] = d.list[best];
        d.list[best].makespan = HUGE_VAL;
        rank(t, &last, last.n - 1, true);
    }
    t->ranks = false;
    t->choice = choice;
    return last.n > 0 ? last.list[shortest(&last)].choice : d.list[shortest(&d)].choice;
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
        if (divide_and_plan(t) && slowest_of(t) < best) {
            best = slowest_of(t);
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
    t->planned->baselines.mine = divide_and_plan(t) ? slowest_of(t) : HUGE_VAL;
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
    if (taken && with_baselines && batch->count > 0)
        plan_baselines(&t);
    if (taken && request->has_mine && batch->count > 0)
        plan_mine(&t);
    const double begin = pps_wall_seconds();
    planned->outcome = taken ? PLANNED : PLANNED_REFUSED;
    const struct step_choice divided = taken ? choose_division(&t) : request->choice;
    t.choice = &divided;
    if (taken && divide_and_plan(&t))
        conclude(&t);
    planned->seconds = pps_wall_seconds() - begin;
}
