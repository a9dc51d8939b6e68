// SPDX-License-Identifier: Apache-2.0
// Searches plans of a method by simulated annealing. Plans that do not fit in memory may be passed through: they pay for
// their excess.
#include "kernels/dynapipe/search/rule_search.h"

#include "base/math/detmath.h"
#include "base/math/random.h"
#include "kernels/dynapipe/search/start_order.h"

#include <string.h>

enum { PURPOSE = 0x72756c65 }; // of the random numbers

// Temperatures at the begin and at the end, as parts of the makespan. Measured on drawn sizes (8 to 32 micro-batches, 4 devices,
// 1 and 2 chunks, spread 0.4 and 1.6, budget 10000), as the change of the mean makespan: HOT 0.001 +0.06 %, 0.003 +0.13 %, 0.03
// -0.12 %, 0.1 +0.10 %, which is the noise of seeds (single cases change by up to 6 %); COLD 0.00003 -0.02 %, 0.003 +0.31 %.
#define HOT  0.01
#define COLD 0.0003
// Of a makespan, for an excess as large as what the state leaves. Measured in the same way where memory is short (8 and 16
// micro-batches): 0.1 +0.5 % (one case 13 %), 10 -0.2 %.
#define PENALTY 1.0

struct rule_search {
    struct plan_size size;
    struct rule *rule;
    struct rule_plan best, current, trial;
    double *key; // [count]

    // Of the present task and method.
    const struct plan_task *task;
    enum method method;
    struct poll *poll;
    double makespan; // of the best plan that fits; INFINITY: none
    int64_t evaluations, first_fit;
    uint64_t draw;
    bool is_over;
};

struct rule_search *rule_search_take(const struct plan_size *size, struct rule *rule,
                                     struct room *room)
{
    struct rule_search *taken = room_take(room, 1, sizeof *taken), counted;
    struct rule_search *s = taken != NULL ? taken : &counted;
    s->size = *size;
    s->rule = rule;
    rule_plan_take(&s->best, size, room);
    rule_plan_take(&s->current, size, room);
    rule_plan_take(&s->trial, size, room);
    s->key = room_take(room, (size_t)size->count, sizeof *s->key);
    return taken;
}

struct rule_found rule_search_found(const struct rule_search *s)
{
    return (struct rule_found){&s->best, s->makespan, s->evaluations, s->first_fit};
}

static int32_t draw(struct rule_search *s, int32_t end)
{
    const uint64_t bits = pps_random_bits(s->task->seed, s->draw++, PURPOSE) >> 32;
    return (int32_t)(bits * (uint64_t)end >> 32);
}

static bool is_cyclic(const struct rule_search *s)
{
    return s->method == METHOD_CYCLIC || s->method == METHOD_WAIT_FREE_CYCLIC;
}

// Evaluates the trial plan, and keeps it if it fits and is better than the best one. Returns what it costs.
static double try(struct rule_search *s)
{
    s->is_over = s->is_over || poll_has_ended(s->poll);
    if (s->is_over)
        return HUGE_VAL;
    rule_evaluate(s->rule, s->task, &s->trial, false, s->poll);
    s->evaluations++;
    if (s->rule->fits && s->first_fit == 0)
        s->first_fit = s->evaluations;
    if (s->rule->fits && s->rule->makespan < s->makespan) {
        s->makespan = s->rule->makespan;
        rule_plan_copy(&s->best, &s->trial, &s->size);
    }
    return s->rule->makespan * (1 + PENALTY * s->rule->excess);
}

// ---- starts ---------------------------------------------------------------------------------------

static void start(struct rule_search *s, int order, int type, int in_flight, bool by_memory)
{
    if (!start_recompute_write(s->task, type, s->trial.recompute))
        return;
    start_order_write(s->task, (enum start_order)order, s->key, s->trial.order);
    for (int32_t d = 0; d < s->size.devices; d++)
        s->trial.in_flight[d] = in_flight;
    s->trial.method = s->method;
    s->trial.by_memory = by_memory;
    try(s);
}

static void starts_of(struct rule_search *s, int order)
{
    for (int type = 0; type < START_TYPES; type++) {
        start(s, order, type, 0, false);
        if (is_cyclic(s)) {
            start(s, order, type, 0, true);
            start(s, order, type, s->size.devices, false);
        }
    }
}

double rule_search_open(struct rule_search *s, const struct plan_task *task, enum method method,
                        struct poll *poll)
{
    s->task = task;
    s->method = method;
    s->poll = poll;
    s->makespan = HUGE_VAL;
    s->evaluations = s->first_fit = 0;
    s->draw = (uint64_t)method << 48;
    s->is_over = false;
    const int orders = task->keeps_order ? 1 : START_ORDERS;
    for (int order = 0; order < orders && (s->evaluations < task->budget || order == 0);
         order++)
        starts_of(s, order);
    if (is_cyclic(s) && s->makespan == HUGE_VAL) // one micro-batch at a time
        start(s, START_GIVEN, START_TYPES - 1, 1, false);
    return s->makespan;
}

// ---- moves ----------------------------------------------------------------------------------------

static void change_order(struct rule_search *s)
{
    int32_t *order = s->trial.order;
    const int32_t a = draw(s, s->size.count), b = draw(s, s->size.count), moved = order[a];
    if (draw(s, 2) == 0) {
        order[a] = order[b];
    } else if (a < b) {
        memmove(order + a, order + a + 1, (size_t)(b - a) * sizeof *order);
    } else {
        memmove(order + b + 1, order + b, (size_t)(a - b) * sizeof *order);
    }
    order[b] = moved;
}

static void change_in_flight(struct rule_search *s)
{
    int32_t *most = &s->trial.in_flight[draw(s, s->size.devices)];
    const int32_t by = draw(s, 2) == 0 ? 1 : -1;
    if (draw(s, 16) == 0)
        s->trial.by_memory = !s->trial.by_memory;
    else if (*most == 0)
        *most = 1 + draw(s, s->size.count);
    else if (*most + by >= 1)
        *most = *most + by > s->size.count ? 0 : *most + by;
}

static void change_recompute(struct rule_search *s)
{
    const int32_t at = draw(s, s->size.count * s->size.stages),
                  type = draw(s, DYNAPIPE_RECOMPUTE_TYPES);
    if (s->task->of[type] != NULL)
        s->trial.recompute[at] = (uint8_t)type;
}

static bool is_limited(const struct rule_search *s)
{
    for (int32_t d = 0; d < s->size.devices; d++)
        if (s->task->pipeline->limit[d] < HUGE_VAL)
            return true;
    return false;
}

// Changes the trial plan. Returns false if there is nothing to change.
static bool move(struct rule_search *s, bool limited)
{
    const bool order = !s->task->keeps_order && s->size.count > 1, in_flight = is_cyclic(s);
    const int32_t which = draw(s, 10);
    if (order && (which < 5 || (!limited && !in_flight)))
        change_order(s);
    else if (in_flight && (which < 7 || !limited))
        change_in_flight(s);
    else if (limited)
        change_recompute(s);
    else
        return false;
    return true;
}

double rule_search_improve(struct rule_search *s, int64_t evaluations)
{
    const bool limited = is_limited(s);
    const int64_t end = s->evaluations + evaluations;
    if (s->makespan == HUGE_VAL || evaluations <= 0 || s->size.count == 0)
        return s->makespan;
    const double cooling = detmath_exp(detmath_log(COLD / HOT) / (double)evaluations);
    double temperature = HOT * s->makespan, cost = s->makespan;
    rule_plan_copy(&s->current, &s->best, &s->size);
    while (s->evaluations < end && !s->is_over) {
        rule_plan_copy(&s->trial, &s->current, &s->size);
        if (!move(s, limited))
            break;
        const uint64_t bits = pps_random_53(s->task->seed, s->draw++, PURPOSE);
        const double slack = -detmath_log(((double)bits + 1) / 9007199254740993.0),
                     tried = try(s);
        temperature *= cooling;
        if (tried > cost + temperature * slack)
            continue;
        cost = tried;
        rule_plan_copy(&s->current, &s->trial, &s->size);
    }
    return s->makespan;
}
