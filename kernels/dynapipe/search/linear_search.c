// SPDX-License-Identifier: Apache-2.0
// Searches linear plans by simulated annealing.
#include "kernels/dynapipe/search/linear_private.h"

#include "base/math/detmath.h"
#include "base/math/random.h"
#include "kernels/dynapipe/methods/methods.h"

#include <string.h>

enum {
    PURPOSE = 0x64796e61, // of the random numbers
    CHAINS = 2,           // annealings, one after the other; each begins at the best plan
};

// The temperature at the begin of a chain, as a part of the makespan, and what remains of it at the end. Many micro-batches
// need a cold start: the budget does not suffice to find the way back. Measured on drawn sizes (8 to 64 micro-batches, 4 and 8
// devices, spread 0.4 and 1.6, mode best), as the change of the mean makespan: HOT, which matters below 15 micro-batches, 0.001
// +0.08 % (one case 2.4 %), 0.003 -0.03 %, 0.03 and 0.1 no change; HOT_OF_MANY 0.5 -0.03 %, 8 +0.09 %, no limit +0.33 % (one case
// 2.1 %); COOLING 0.005 -0.03 %, 0.5 +0.17 %. So the three are where the curve is flat.
#define HOT         0.01
#define HOT_OF_MANY 2.0 // divided by the square of the micro-batches
#define COOLING     0.05

struct linear_search *linear_search_take(int32_t count, int32_t stages, struct room *room)
{
    struct linear_search *taken = room_take(room, 1, sizeof *taken), counted;
    struct linear_search *s = taken != NULL ? taken : &counted;
    s->count = count;
    s->stages = stages;
    s->linear = linear_take(count, stages, room);
    linear_plan_take(&s->best, count, stages, room);
    linear_plan_take(&s->current, count, stages, room);
    linear_plan_take(&s->trial, count, stages, room);
    s->key = room_take(room, (size_t)count, sizeof *s->key);
    s->decided = room_take(room, (size_t)count * (size_t)stages, sizeof *s->decided);
    return taken;
}

struct linear *linear_search_linear(struct linear_search *search)
{
    return search->linear;
}

// Returns a random number in 0 to end - 1.
static int32_t linear_draw(struct linear_search *s, int32_t end)
{
    const uint64_t bits = pps_random_bits(s->task->seed, s->draw++, PURPOSE) >> 32;
    return (int32_t)(bits * (uint64_t)end >> 32);
}

double linear_try(struct linear_search *s, double at_most)
{
    const double makespan = linear_evaluate(s->linear, &s->trial, at_most);
    s->evaluations++;
    if (makespan < s->makespan) {
        s->makespan = makespan;
        linear_plan_copy(&s->best, &s->trial, s->count, s->stages);
    }
    return makespan;
}

int32_t linear_warm_up(const struct linear_search *s, enum linear_warm_ups which, int32_t stage)
{
    const int32_t left = s->stages - stage, w = which == LINEAR_ANY_WARM_UP    ? s->count
                                                : which == LINEAR_WARM_UP_1F1B ? left
                                                                               : 2 * left - 1;
    return w < s->count ? w : s->count;
}

// ---- memory ---------------------------------------------------------------------------------------

// Lets a random micro-batch that is in flight at the peak keep less, or the one that runs need less. Returns its position;
// -1: none can.
static int32_t keep_less(struct linear_search *s, int32_t stage, const struct linear_peak *peak)
{
    const int32_t n = peak->end - peak->first, shift = n > 0 ? linear_draw(s, n) : 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t position = peak->first + (shift + i) % n;
        const bool runs = position == peak->running;
        const int64_t at = (int64_t)s->trial.order[position] * s->stages + stage;
        const struct micro_batches *present = s->task->of[s->trial.recompute[at]];
        const int from = linear_draw(s, DYNAPIPE_RECOMPUTE_TYPES);
        for (int k = 0; k < DYNAPIPE_RECOMPUTE_TYPES; k++) {
            const int type = (from + k) % DYNAPIPE_RECOMPUTE_TYPES;
            const struct micro_batches *b = s->task->of[type];
            if (b != NULL && (runs ? plan_needs(b, at) < plan_needs(present, at)
                                   : b->stored[at] < present->stored[at])) {
                s->trial.recompute[at] = (uint8_t)type;
                return position;
            }
        }
    }
    return -1;
}

static bool fit_stage(struct linear_search *s, int32_t stage, bool prefers_fewer)
{
    const double limit = s->task->pipeline->limit[stage];
    int32_t *warm_up = &s->trial.warm_up[stage];
    const bool is_free = s->warm_ups == LINEAR_ANY_WARM_UP;
    // What a micro-batch keeps and what it needs while it runs may ask for different types in turn.
    for (int32_t steps = 4 * s->count + 4, changed = -1; steps > 0;) {
        const struct linear_peak peak = linear_peak_of(s->linear, &s->trial, stage, changed);
        if (plan_fits(peak.memory, limit))
            return true;
        if ((s->is_over = s->is_over || poll_over_after(s->poll, (uint64_t)s->count / 8)))
            return false;
        const bool fewer = is_free && prefers_fewer && *warm_up > 1;
        if (!fewer && (changed = keep_less(s, stage, &peak)) >= 0) {
            steps--;
            continue;
        }
        if (!is_free || *warm_up == 1)
            return false;
        --*warm_up;
        changed = -1;
    }
    return false;
}

bool linear_fit(struct linear_search *s, bool prefers_fewer)
{
    for (int32_t stage = 0; stage < s->stages; stage++) {
        int32_t *w = s->trial.warm_up;
        if (stage > 0 && w[stage] > w[stage - 1])
            w[stage] = w[stage - 1];
        const bool is_same = !s->changes_order && stage != s->changes_recompute &&
                             w[stage] == s->current.warm_up[stage];
        if (!is_same && s->task->pipeline->limit[stage] < HUGE_VAL &&
            !fit_stage(s, stage, prefers_fewer))
            return false;
    }
    return true;
}

// ---- moves ----------------------------------------------------------------------------------------

static void swap(int32_t *a, int32_t *b)
{
    const int32_t other = *a;
    *a = *b;
    *b = other;
}

static void move_to(int32_t *order, int32_t from, int32_t to)
{
    const int32_t moved = order[from];
    if (from < to)
        memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof *order);
    else
        memmove(order + to + 1, order + to, (size_t)(from - to) * sizeof *order);
    order[to] = moved;
}

static void change_order(struct linear_search *s)
{
    int32_t *order = s->trial.order;
    s->changes_order = true;
    int32_t a = linear_draw(s, s->count), b = linear_draw(s, s->count - 1);
    b += b >= a;
    switch (linear_draw(s, 5)) {
    case 0:
    case 1:
        swap(&order[a], &order[b]);
        break;
    case 2:
    case 3:
        move_to(order, a, b);
        break;
    default:
        for (; a < b; a++, b--)
            swap(&order[a], &order[b]);
    }
}

static void change_warm_up(struct linear_search *s)
{
    int32_t *w = s->trial.warm_up;
    const int32_t stage = linear_draw(s, s->stages), by = linear_draw(s, 2) == 0 ? 1 : -1,
                  to = w[stage] + by;
    if (to < 1 || to > s->count)
        return;
    w[stage] = to;
    for (int32_t k = stage - 1; k >= 0 && w[k] < to; k--)
        w[k] = to;
    for (int32_t k = stage + 1; k < s->stages && w[k] > to; k++)
        w[k] = to;
}

// Lets a stage keep everything of some micro-batches that it recomputes; linear_fit chooses others then.
static void keep_more(struct linear_search *s)
{
    const int32_t stage = linear_draw(s, s->stages), part = 1 + linear_draw(s, 4);
    s->changes_recompute = stage;
    for (int32_t m = 0; m < s->count; m++) {
        uint8_t *type = &s->trial.recompute[(int64_t)m * s->stages + stage];
        if (*type != DYNAPIPE_KEEP && linear_draw(s, 4) < part)
            *type = DYNAPIPE_KEEP;
    }
}

static void change_recompute(struct linear_search *s)
{
    const int32_t at = linear_draw(s, s->count * s->stages),
                  type = linear_draw(s, DYNAPIPE_RECOMPUTE_TYPES);
    if (s->task->of[type] != NULL)
        s->trial.recompute[at] = (uint8_t)type;
    s->changes_recompute = at % s->stages;
}

static bool is_limited(const struct linear_search *s)
{
    for (int32_t stage = 0; stage < s->stages; stage++)
        if (s->task->pipeline->limit[stage] < HUGE_VAL)
            return true;
    return false;
}

// Changes the trial plan. Returns false if the change does not fit.
static bool move(struct linear_search *s, bool limited)
{
    const int32_t which = linear_draw(s, 16);
    const bool order = !s->task->keeps_order && s->count > 1,
               warm_up = s->warm_ups == LINEAR_ANY_WARM_UP;
    s->changes_order = false;
    s->changes_recompute = -1;
    if (order && which < (limited ? 7 : 11))
        change_order(s);
    else if (warm_up && (which < 11 || !limited))
        change_warm_up(s);
    else if (limited && which < 14)
        keep_more(s);
    else if (limited)
        change_recompute(s);
    else if (order)
        change_order(s);
    else
        return false;
    return linear_fit(s, linear_draw(s, 4) == 0);
}

// ---- annealing ------------------------------------------------------------------------------------

// Returns a makespan up to which a plan takes the place of the present one.
static double acceptable(struct linear_search *s, double makespan, double temperature)
{
    const uint64_t bits = pps_random_53(s->task->seed, s->draw++, PURPOSE);
    return makespan - temperature * detmath_log(((double)bits + 1) / 9007199254740993.0);
}

// Returns whether no plan can be shorter than the best one.
static bool is_met(const struct linear_search *s)
{
    return s->makespan <= s->bound * (1 + 1e-12);
}

static void anneal(struct linear_search *s, int64_t steps)
{
    const bool limited = is_limited(s);
    const double cooling = detmath_exp(detmath_log(COOLING) / (double)steps);
    double temperature = fmin(HOT, HOT_OF_MANY / ((double)s->count * s->count)) * s->makespan,
           makespan = s->makespan;
    linear_plan_copy(&s->current, &s->best, s->count, s->stages);
    for (int64_t step = 0; step < steps; step++, temperature *= cooling) {
        if ((s->is_over = s->is_over || poll_over_after(s->poll, linear_steps(s))) || is_met(s))
            return;
        linear_plan_copy(&s->trial, &s->current, s->count, s->stages);
        if (!move(s, limited))
            continue;
        const double at_most = acceptable(s, makespan, temperature),
                     tried = linear_try(s, at_most);
        if (tried > at_most)
            continue;
        makespan = tried;
        linear_plan_copy(&s->current, &s->trial, s->count, s->stages);
    }
}

// ---- polishing ------------------------------------------------------------------------------------

// Lets the best plan keep what memory allows, as long as it becomes shorter, with at most half as many evaluations again.
static void polish(struct linear_search *s)
{
    const int64_t end = s->evaluations + s->task->budget / 2;
    for (bool better = true; better && !s->is_over;) {
        better = false;
        for (int32_t at = 0; at < s->count * s->stages && !s->is_over && s->evaluations < end;
             at++) {
            const int32_t stage = at % s->stages;
            if (s->best.recompute[at] == DYNAPIPE_KEEP)
                continue;
            const double before = s->makespan;
            linear_plan_copy(&s->trial, &s->best, s->count, s->stages);
            s->trial.recompute[at] = DYNAPIPE_KEEP;
            s->is_over = poll_over_after(s->poll, linear_steps(s));
            if (!plan_fits(linear_peak_of(s->linear, &s->trial, stage, -1).memory,
                           s->task->pipeline->limit[stage]))
                continue;
            if (linear_try(s, before) == before) // it is not shorter, but computes less
                linear_plan_copy(&s->best, &s->trial, s->count, s->stages);
            better = better || s->makespan < before;
        }
    }
}

bool linear_search_run(struct linear_search *s, const struct plan_task *task,
                       enum linear_warm_ups warm_ups, struct poll *poll,
                       struct linear_answer *answer)
{
    s->task = task;
    s->poll = poll;
    s->warm_ups = warm_ups;
    s->makespan = HUGE_VAL;
    s->evaluations = 0;
    s->draw = 0;
    s->is_over = false;
    s->bound = method_bound(task->pipeline, task->of[DYNAPIPE_KEEP]);
    linear_open(s->linear, task->pipeline, task->of);
    s->changes_order = true; // there is no present plan
    linear_starts(s);
    const bool is_proven = is_met(s) || linear_enumerate(s);
    const int64_t left = task->budget - s->evaluations;
    for (int chain = 0; chain < CHAINS && !is_proven && left > 0 && s->makespan < HUGE_VAL;
         chain++)
        anneal(s, left / CHAINS);
    if (s->makespan < HUGE_VAL)
        polish(s);
    *answer = (struct linear_answer){
        .plan = s->makespan < HUGE_VAL ? &s->best : NULL,
        .makespan = s->makespan,
        .evaluations = s->evaluations,
        .is_proven = is_proven && !s->is_over,
    };
    return !s->is_over;
}
