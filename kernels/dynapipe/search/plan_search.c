// SPDX-License-Identifier: Apache-2.0
// Runs the search of a mode and executes its plan.
#include "kernels/dynapipe/search/plan_search.h"

#include <string.h>

// Parts of the evaluations of a search: for orders of passes, for rules that come close, and for the rest the alternating
// orders of linear assignments.
// Large plans, and a few evaluations, need most of them to find an order at all: 40 draws of 8 to 24 micro-batches on 4
// devices were 1 % longer in mode quick with 5 parts than with 1.
enum {
    QUICK_ORDERS_PARTS = 1,
    ORDERS_PARTS = 5,
    LARGE_ORDERS_PARTS = 2,
    RULES_PARTS = 1,
    ALL_PARTS = 8,
    LARGE = 128
};

#define CLOSE                                                                                  \
    1.03 // a method is worth a search if its simple plans are at most this much longer than the best

struct plan_search {
    struct plan_size size;
    struct rule rule;
    struct linear_search *linear;
    struct pass_search *orders;
    struct rule_search *methods[METHODS];
    struct published_search *published;
    struct rule_plan plan;              // of the answer
    struct rule_plan shortest;          // of the methods, while all kinds of plans are searched
    struct linear_plan shortest_linear; // of the alternating orders
    int32_t *warm_up;                   // [devices]

    // Of the present request.
    const struct plan_request *request;
    struct poll *poll;
    struct plan_answer *answer;
    enum assignment assignment;
};

struct plan_search *plan_search_take(const struct plan_size *size, struct room *room)
{
    struct plan_search *taken = room_take(room, 1, sizeof *taken), counted;
    struct plan_search *s = taken != NULL ? taken : &counted;
    s->size = *size;
    rule_take(&s->rule, size, room);
    s->linear = linear_search_take(size->count, size->stages, room);
    s->orders = pass_search_take(size, room);
    for (int m = 0; m < METHODS; m++)
        s->methods[m] = rule_search_take(size, &s->rule, room);
    s->published = published_search_take(size, &s->rule, room);
    rule_plan_take(&s->plan, size, room);
    rule_plan_take(&s->shortest, size, room);
    linear_plan_take(&s->shortest_linear, size->count, size->stages, room);
    s->warm_up = room_take(room, (size_t)size->devices, sizeof *s->warm_up);
    return taken;
}

// ---- answers --------------------------------------------------------------------------------------

// Counts the forwards of every device before its first backward.
static void count_warm_ups(struct plan_search *s)
{
    const struct lanes *lanes = &s->rule.lanes;
    for (int32_t d = 0; d < s->size.devices; d++) {
        int32_t n = 0;
        while (n < lanes->n[LANE_COMPUTE][d] &&
               !lanes->operations[LANE_COMPUTE][lanes_at(lanes, d, n)].backward)
            n++;
        s->warm_up[d] = n;
    }
}

static void finish(struct plan_search *s, const char *method)
{
    struct plan_answer *a = s->answer;
    count_warm_ups(s);
    a->has_plan = true;
    a->method = method;
    a->order = s->plan.order;
    a->warm_up = s->warm_up;
    a->recompute = s->plan.recompute;
    a->rule = &s->rule;
    a->makespan = s->rule.makespan;
    a->bound = fmin(a->bound, a->makespan); // rounding
    a->fits = s->rule.fits;
    for (int32_t d = 0; !a->fits && d < s->size.devices; d++) {
        const double excess = s->rule.peaks[d] - s->request->task.pipeline->limit[d];
        if (a->device < 0 || excess > a->needs - s->request->task.pipeline->limit[a->device]) {
            a->device = d;
            a->needs = s->rule.peaks[d];
        }
    }
}

// Executes a plan of a rule and makes it the answer.
static void answer_rule(struct plan_search *s, const struct rule_plan *plan)
{
    rule_plan_copy(&s->plan, plan, &s->size);
    rule_evaluate(&s->rule, &s->request->task, &s->plan,
                  s->request->as_published && s->answer->mode >= PLAN_NORMAL, NULL);
    // FIFO counts ends that are close as simultaneous; the times of a plan are exact.
    if (plan->method == METHOD_FIFO && s->rule.makespan < HUGE_VAL) {
        lanes_execute(s->rule.times, s->request->task.pipeline, &s->rule.ordered,
                      &s->rule.lanes);
        s->rule.makespan = lanes_makespan(s->rule.times);
    }
    finish(s, method_names[plan->method]);
}

// Returns the name of the method that has the same warm-ups.
static const char *name_of(const struct plan_search *s, const int32_t *warm_up)
{
    bool is_1f1b = s->size.devices > 1, is_cyclic = true;
    for (int32_t d = 0; d < s->size.devices; d++) {
        const int32_t left = s->size.devices - d, count = s->size.count;
        is_1f1b = is_1f1b && warm_up[d] == (left < count ? left : count);
        is_cyclic = is_cyclic && warm_up[d] == (2 * left - 1 < count ? 2 * left - 1 : count);
    }
    return is_1f1b     ? method_names[METHOD_1F1B]
           : is_cyclic ? method_names[METHOD_WAIT_FREE_CYCLIC]
                       : plan_free_warm_ups;
}

// Executes the lanes of the rule and makes them the answer.
static void answer_lanes(struct plan_search *s, const char *method)
{
    lanes_execute(s->rule.times, s->request->task.pipeline, &s->rule.ordered, &s->rule.lanes);
    s->rule.makespan = lanes_makespan(s->rule.times);
    rule_weigh(&s->rule, &s->request->task);
    finish(s, method);
}

// Writes a plan with alternating orders to the rule.
static void write_linear(struct plan_search *s, const struct linear_plan *plan)
{
    memcpy(s->plan.order, plan->order, (size_t)s->size.count * sizeof *plan->order);
    memcpy(s->plan.recompute, plan->recompute, (size_t)s->size.count * (size_t)s->size.stages);
    linear_write(linear_search_linear(s->linear), plan, &s->rule.ordered, &s->rule.lanes);
}

static void answer_linear(struct plan_search *s, const struct linear_plan *plan)
{
    const int named = s->request->method;
    write_linear(s, plan);
    answer_lanes(s, named == METHOD_1F1B || named == METHOD_WAIT_FREE_CYCLIC
                        ? method_names[named]
                        : name_of(s, plan->warm_up));
}

// ---- best and quick -------------------------------------------------------------------------------

static bool has_memory_limit(const struct plan_search *s)
{
    for (int32_t d = 0; d < s->size.devices; d++)
        if (s->request->task.pipeline->limit[d] < HUGE_VAL)
            return true;
    return false;
}

static int64_t budget_of(const struct plan_search *s)
{
    return s->request->task.budget > 0
               ? s->request->task.budget
               : plan_budget(s->answer->mode, s->size.count, s->size.stages);
}

// Improves the plans of the methods that come close to the best; they share the evaluations.
static void improve_methods(struct plan_search *s, const enum method *methods, int n,
                            int64_t budget, double best)
{
    int close = 0;
    for (int k = 0; k < n; k++)
        best = fmin(best, rule_search_found(s->methods[methods[k]]).makespan);
    for (int k = 0; k < n; k++)
        close += rule_search_found(s->methods[methods[k]]).makespan <= CLOSE * best;
    for (int k = 0; k < n && close > 0; k++)
        if (rule_search_found(s->methods[methods[k]]).makespan <= CLOSE * best)
            rule_search_improve(s->methods[methods[k]], budget / close);
}

// Searches plans of some methods. Returns the best method; -1: none is shorter than a makespan that is known.
static int search_methods(struct plan_search *s, const enum method *methods, int n,
                          int64_t budget, double known)
{
    struct plan_task task = s->request->task;
    int chosen = -1;
    task.budget = budget / n;
    for (int k = 0; k < n; k++) {
        rule_search_open(s->methods[methods[k]], &task, methods[k], s->poll);
        budget -= rule_search_found(s->methods[methods[k]]).evaluations;
    }
    improve_methods(s, methods, n, budget, known);
    for (int k = 0; k < n; k++) {
        const struct rule_found found = rule_search_found(s->methods[methods[k]]);
        if (s->answer->first_fit == 0 && found.first_fit > 0)
            s->answer->first_fit = s->answer->evaluations + found.first_fit;
        s->answer->evaluations += found.evaluations;
        if (found.makespan < known) {
            known = found.makespan;
            chosen = (int)methods[k];
        }
    }
    return chosen;
}

static bool is_stopped(struct plan_search *s)
{
    return poll_has_ended(s->poll);
}

static enum plan_outcome conclude(struct plan_search *s)
{
    const struct plan_answer *a = s->answer;
    if (is_stopped(s))
        return PLAN_STOPPED;
    return a->has_plan && a->fits ? PLAN_FOUND : PLAN_NONE_FITS;
}

// Executes the simple schedule of a method, in the order given; leanest: with the recomputation that keeps the least.
static void run_simple(struct plan_search *s, const struct plan_task *task, enum method method,
                       bool leanest, struct poll *poll)
{
    const int32_t cells = s->size.count * s->size.stages;
    s->plan.method = method;
    s->plan.by_memory = false;
    memset(s->plan.in_flight, 0, (size_t)s->size.devices * sizeof *s->plan.in_flight);
    for (int32_t m = 0; m < s->size.count; m++)
        s->plan.order[m] = m;
    for (int32_t at = 0; at < cells; at++)
        s->plan.recompute[at] = leanest ? (uint8_t)plan_leanest(task, at) : DYNAPIPE_KEEP;
    rule_evaluate(&s->rule, task, &s->plan, false, poll);
}

// A plan that exceeds the limits tells how much the method lacks.
static void answer_lack(struct plan_search *s, enum method method)
{
    run_simple(s, &s->request->task, method, true, NULL);
    if (s->rule.makespan < HUGE_VAL)
        finish(s, method_names[method]);
}

static enum plan_outcome search_rules(struct plan_search *s, const enum method *methods, int n)
{
    const int method = search_methods(s, methods, n, budget_of(s), HUGE_VAL);
    if (method >= 0)
        answer_rule(s, rule_search_found(s->methods[method]).best);
    else if (!is_stopped(s))
        answer_lack(s, methods[0]);
    if (!s->answer->has_plan && !is_stopped(s))
        return PLAN_NO_SCHEDULE;
    return conclude(s);
}

static enum plan_outcome search_linear(struct plan_search *s, enum linear_warm_ups warm_ups)
{
    struct plan_task task = s->request->task;
    struct linear_answer linear;
    task.budget = budget_of(s);
    linear_search_run(s->linear, &task, warm_ups, s->poll, &linear);
    s->answer->evaluations += linear.evaluations;
    s->answer->first_fit = linear.plan != NULL; // the search looks at plans that fit only
    if (linear.plan != NULL)
        answer_linear(s, linear.plan);
    s->answer->is_proven = linear.is_proven;
    return conclude(s);
}

// Which plan is the shortest of those that the search for orders has not made.
struct all_found {
    double makespan;
    enum { FOUND_NONE, FOUND_LINEAR, FOUND_RULE } kind; // shortest_linear or shortest
};

// Offers a plan of a rule to the search for orders, and keeps it if it is the shortest.
static void offer_rule(struct plan_search *s, const struct rule_plan *plan,
                       struct all_found *found)
{
    rule_plan_copy(&s->plan, plan, &s->size);
    rule_evaluate(&s->rule, &s->request->task, &s->plan, false, NULL);
    if (!s->rule.fits)
        return;
    pass_search_offer(s->orders, &s->rule.lanes, s->plan.order, s->plan.recompute);
    if (s->rule.makespan >= found->makespan)
        return;
    rule_plan_copy(&s->shortest, plan, &s->size);
    *found = (struct all_found){s->rule.makespan, FOUND_RULE};
}

static void try_linear(struct plan_search *s, int64_t budget, struct all_found *found)
{
    struct plan_task task = s->request->task;
    struct linear_answer linear;
    task.budget = budget;
    linear_search_run(s->linear, &task, LINEAR_ANY_WARM_UP, s->poll, &linear);
    s->answer->evaluations += linear.evaluations;
    if (linear.plan == NULL)
        return;
    if (s->answer->first_fit == 0)
        s->answer->first_fit = 1; // the search looks at plans that fit only
    write_linear(s, linear.plan);
    pass_search_offer(s->orders, &s->rule.lanes, s->plan.order, s->plan.recompute);
    if (linear.makespan >= found->makespan)
        return;
    linear_plan_copy(&s->shortest_linear, linear.plan, s->size.count, s->size.stages);
    *found = (struct all_found){linear.makespan, FOUND_LINEAR};
}

static void try_rules(struct plan_search *s, int64_t budget, struct all_found *found)
{
    static const enum method all[] = {METHOD_FIFO, METHOD_WAIT_FREE_CYCLIC, METHOD_INTERLEAVED};
    const int n = s->assignment == ASSIGNMENT_LINEAR        ? 1
                  : s->assignment == ASSIGNMENT_INTERLEAVED ? 3
                                                            : 2;
    search_methods(s, all, n, budget, found->makespan);
    for (int k = 0; k < n; k++) {
        const struct rule_found of = rule_search_found(s->methods[all[k]]);
        if (of.makespan < HUGE_VAL)
            offer_rule(s, of.best, found);
    }
}

// Lists the candidates of the published search.
static int list_methods(const struct plan_search *s, enum method *methods)
{
    int n = 0;
    if (s->request->method != PLAN_ANY_METHOD && s->request->method != PLAN_FREE_WARM_UPS) {
        methods[n++] = (enum method)s->request->method;
        return n;
    }
    methods[n++] = METHOD_WAIT_FREE_CYCLIC;
    if (s->answer->mode == PLAN_FAST)
        return n;
    if (s->assignment == ASSIGNMENT_LINEAR && s->size.devices > 1)
        methods[n++] = METHOD_1F1B;
    if (s->assignment == ASSIGNMENT_INTERLEAVED)
        methods[n++] = METHOD_INTERLEAVED;
    return n;
}

// A plan of the published search is never shorter.
static void try_published(struct plan_search *s, struct all_found *found)
{
    enum method methods[METHODS];
    const struct published_task task = {
        .plan = &s->request->task,
        .methods = methods,
        .n_methods = list_methods(s, methods),
        .start = s->request->start,
        .shorter_than = found->makespan < HUGE_VAL
                            ? fmin(found->makespan, pass_search_found(s->orders).makespan)
                            : 0,
    };
    struct published_answer published;
    published_search_run(s->published, &task, s->poll, &published);
    s->answer->evaluations += published.evaluations;
    if (published.plan != NULL && published.fits)
        offer_rule(s, published.plan, found);
}

// Searches all kinds of plans with so many evaluations, of which `parts` of ALL_PARTS are for orders.
static void search_all(struct plan_search *s, int64_t budget, int parts, bool published,
                       struct all_found *found)
{
    const int64_t before = pass_search_found(s->orders).evaluations,
                  rules = budget * RULES_PARTS / ALL_PARTS, orders = budget * parts / ALL_PARTS;
    const bool linear = s->assignment == ASSIGNMENT_LINEAR;
    if (linear)
        try_linear(s, budget - rules - orders, found);
    if (!is_stopped(s))
        try_rules(s, linear ? rules : budget - orders, found);
    if (published && !is_stopped(s))
        try_published(s, found);
    if (!is_stopped(s))
        pass_search_run(s->orders, orders);
    s->answer->evaluations += pass_search_found(s->orders).evaluations - before;
}

// Searches with the budget of mode best. What mode quick finds is among its plans: that search knows of no others.
static void search_long(struct plan_search *s, int64_t budget, int64_t quick,
                        struct all_found *found)
{
    const int parts =
        s->size.count * s->size.stages > LARGE ? LARGE_ORDERS_PARTS : ORDERS_PARTS;
    struct all_found of_quick = *found;
    search_all(s, quick, QUICK_ORDERS_PARTS, false, &of_quick);
    pass_search_again(s->orders);
    search_all(s, quick, parts, false, found);
    search_all(s, budget - quick, parts, true, found);
}

static enum plan_outcome search_any(struct plan_search *s)
{
    struct all_found found = {HUGE_VAL, FOUND_NONE};
    const int64_t budget = budget_of(s),
                  quick = plan_budget(PLAN_QUICK, s->size.count, s->size.stages);
    pass_search_open(s->orders, &s->request->task, s->poll);
    if (budget > quick)
        search_long(s, budget, quick, &found);
    else
        search_all(s, budget, QUICK_ORDERS_PARTS, false, &found);
    const double orders = pass_search_found(s->orders).makespan;
    if (orders < found.makespan * (1 - 1e-12)) {
        pass_search_write(s->orders, s->plan.order, s->plan.recompute, &s->rule);
        answer_lanes(s, plan_free_orders);
    } else if (found.kind == FOUND_LINEAR) {
        answer_linear(s, &s->shortest_linear);
    } else if (found.kind == FOUND_RULE) {
        answer_rule(s, &s->shortest);
    } else if (!is_stopped(s)) {
        answer_lack(s, METHOD_WAIT_FREE_CYCLIC);
    }
    s->answer->is_proven =
        s->answer->fits && s->answer->makespan <= s->answer->bound * (1 + 1e-12);
    return s->answer->has_plan || is_stopped(s) ? conclude(s) : PLAN_NO_SCHEDULE;
}

static enum plan_outcome search_best(struct plan_search *s)
{
    const enum method named = (enum method)s->request->method;
    const bool linear = s->assignment == ASSIGNMENT_LINEAR;
    if (s->request->method == PLAN_ANY_METHOD)
        return search_any(s);
    if (s->request->method == PLAN_FREE_WARM_UPS)
        return search_linear(s, LINEAR_ANY_WARM_UP);
    if (linear && (named == METHOD_1F1B || named == METHOD_WAIT_FREE_CYCLIC)) {
        const enum plan_outcome outcome = search_linear(
            s, named == METHOD_1F1B ? LINEAR_WARM_UP_1F1B : LINEAR_WARM_UP_CYCLIC);
        if (s->answer->has_plan || outcome == PLAN_STOPPED)
            return outcome;
    }
    return search_rules(s, &named, 1);
}

// ---- normal and fast ------------------------------------------------------------------------------

static enum plan_outcome search_published(struct plan_search *s)
{
    enum method methods[METHODS];
    const struct published_task task = {
        .plan = &s->request->task,
        .methods = methods,
        .n_methods = list_methods(s, methods),
        .start = s->request->start,
        .fast = s->answer->mode == PLAN_FAST,
        .as_published = s->request->as_published,
    };
    struct published_answer published;
    const bool goes_on = published_search_run(s->published, &task, s->poll, &published);
    s->answer->evaluations = published.evaluations;
    if (published.plan != NULL)
        answer_rule(s, published.plan);
    s->answer->first_fit = published.first_fit;
    if (!goes_on)
        return PLAN_STOPPED;
    if (published.plan == NULL)
        return PLAN_NO_SCHEDULE;
    return published.fits || s->request->as_published ? PLAN_FOUND : PLAN_NONE_FITS;
}

// ---- all modes ------------------------------------------------------------------------------------

enum plan_outcome plan_search_run(struct plan_search *s, const struct plan_request *request,
                                  struct poll *poll, struct plan_answer *answer)
{
    const bool is_small = s->size.count <= PLAN_AUTO_NORMAL;
    *answer = (struct plan_answer){
        .mode = request->mode != PLAN_AUTO ? request->mode
                : is_small                 ? PLAN_NORMAL
                                           : PLAN_FAST,
        .makespan = HUGE_VAL,
        .bound = method_bound(request->task.pipeline, request->task.of[DYNAPIPE_KEEP]),
        .device = -1,
    };
    s->request = request;
    s->poll = poll;
    s->answer = answer;
    s->assignment = assignment_of(request->task.pipeline);
    const bool published = answer->mode == PLAN_NORMAL || answer->mode == PLAN_FAST;
    if (has_memory_limit(s) && !(published && request->as_published) &&
        !plan_is_feasible(&request->task, &answer->device, &answer->needs))
        return PLAN_INFEASIBLE;
    return published ? search_published(s) : search_best(s);
}

double plan_search_plain(struct plan_search *s, const struct plan_task *task,
                         enum method method, struct poll *poll)
{
    run_simple(s, task, method, false, poll);
    return s->rule.makespan;
}
