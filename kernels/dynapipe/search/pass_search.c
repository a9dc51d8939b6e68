// SPDX-License-Identifier: Apache-2.0
// Searches orders of passes by simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983).
#include "kernels/dynapipe/search/pass_search.h"

#include "base/math/detmath.h"
#include "base/math/random.h"
#include "kernels/dynapipe/search/pass_private.h"

#include <math.h>
#include <string.h>

enum {
    PURPOSE = 0x6f726465, // of the random numbers
    CHAINS = 12,          // annealings, one after the other
    ENOUGH = 40,          // evaluations of a chain for each pass
    PROBES = 48,          // moves that measure how much a move changes
};

// Temperatures at the begin of chains, in turn, and at the end, as parts of the mean change for the worse of a move. Measured on
// 40 small tasks with little memory (3 to 7 micro-batches, 2 to 5 devices, 1 and 2 chunks, 40 000 evaluations), as the mean
// distance from the best plan known: all chains hot 0.71 %, all warm 0.73 %, in turn 0.64 %; 6 or 12 chains of 160 000
// evaluations 0.35 % and 0.23 %.
#define HOT  1.0
#define WARM 0.3
#define COLD 0.003

static void take_plans(struct pass_search *s, const struct plan_size *size, struct room *room)
{
    pass_plan_take(&s->best, size->count, size->stages, room);
    pass_plan_take(&s->current, size->count, size->stages, room);
    pass_plan_take(&s->trial, size->count, size->stages, room);
    pass_plan_take(&s->kept, size->count, size->stages, room);
    for (int k = 0; k < PASS_STARTS; k++)
        pass_plan_take(&s->starts[k], size->count, size->stages, room);
}

struct pass_search *pass_search_take(const struct plan_size *size, struct room *room)
{
    struct pass_search *taken = room_take(room, 1, sizeof *taken), counted;
    struct pass_search *s = taken != NULL ? taken : &counted;
    const size_t count = (size_t)size->count;
    s->size = *size;
    s->orders = pass_orders_take(size->devices, size->stages, size->count, room);
    take_plans(s, size, room);
    s->is_changed = room_take(room, (size_t)size->devices, sizeof *s->is_changed);
    s->order = room_take(room, count, sizeof *s->order);
    s->map = room_take(room, count, sizeof *s->map);
    s->critical = room_take(room, 2 * count * (size_t)size->stages, sizeof *s->critical);
    s->moved = room_take(room, 2 * count * (size_t)size->widest, sizeof *s->moved);
    return taken;
}

int32_t pass_draw(struct pass_search *s, int32_t end)
{
    const uint64_t bits = pps_random_bits(s->task->seed, s->draws++, PURPOSE) >> 32;
    return (int32_t)(bits * (uint64_t)end >> 32);
}

static void copy(const struct pass_search *s, struct pass_plan *to,
                 const struct pass_plan *from)
{
    pass_plan_copy(to, from, s->size.count, s->size.stages);
}

// Evaluates the trial plan, which fits, and keeps it if it is better than the best one.
static double try(struct pass_search *s)
{
    const double makespan = pass_orders_evaluate(s->orders, &s->trial);
    s->evaluations++;
    if (makespan < s->makespan) {
        s->makespan = makespan;
        copy(s, &s->best, &s->trial);
    }
    return makespan;
}

// ---- starts ---------------------------------------------------------------------------------------

void pass_search_open(struct pass_search *s, const struct plan_task *task, struct poll *poll)
{
    s->task = task;
    s->poll = poll;
    s->is_limited = false;
    for (int32_t d = 0; d < s->size.devices; d++)
        s->is_limited = s->is_limited || task->pipeline->limit[d] < HUGE_VAL;
    s->bound = method_bound(task->pipeline, task->of[DYNAPIPE_KEEP]);
    s->makespan = s->kept_makespan = HUGE_VAL;
    s->n_starts = 0;
    s->evaluations = 0;
    s->draws = 0;
    s->is_over = false;
    pass_orders_open(s->orders, task->pipeline, task->of);
}

void pass_search_again(struct pass_search *s)
{
    const struct pass_plan best = s->best;
    s->best = s->kept;
    s->kept = best;
    s->kept_makespan = s->makespan;
    s->makespan = HUGE_VAL;
    s->n_starts = 0;
    s->draws = 0;
}

static bool fits(const struct pass_search *s)
{
    for (int32_t d = 0; d < s->size.devices; d++)
        if (!plan_fits(pass_orders_peak(s->orders, &s->trial, d).memory,
                       s->task->pipeline->limit[d]))
            return false;
    return true;
}

void pass_search_offer(struct pass_search *s, const struct lanes *lanes, const int32_t *order,
                       const uint8_t *recompute)
{
    pass_orders_read(s->orders, lanes, order, recompute, &s->trial);
    if (!fits(s))
        return;
    const double makespan = try(s);
    const bool is_full = s->n_starts == PASS_STARTS;
    int k = is_full ? PASS_STARTS - 1 : s->n_starts++;
    if (is_full && makespan >= s->start_makespans[k])
        return;
    const struct pass_plan last = s->starts[k];
    for (; k > 0 && s->start_makespans[k - 1] > makespan; k--) {
        s->starts[k] = s->starts[k - 1];
        s->start_makespans[k] = s->start_makespans[k - 1];
    }
    s->starts[k] = last;
    s->start_makespans[k] = makespan;
    copy(s, &s->starts[k], &s->trial);
}

// ---- annealing ------------------------------------------------------------------------------------

static bool is_over(struct pass_search *s)
{
    const uint64_t steps = POLL_STEPS / 16 + (uint64_t)s->orders->passes;
    s->is_over = s->is_over || poll_over_after(s->poll, steps);
    return s->is_over;
}

static bool must_end(struct pass_search *s)
{
    return is_over(s) || s->makespan <= s->bound * (1 + 1e-12);
}

// Returns whether the trial plan is another one than the present plan.
static bool differs(const struct pass_search *s)
{
    const size_t cells = (size_t)s->size.count * (size_t)s->size.stages;
    return memcmp(s->trial.passes, s->current.passes, 2 * cells * sizeof *s->trial.passes) !=
               0 ||
           memcmp(s->trial.recompute, s->current.recompute, cells) != 0;
}

// Tries a change of the present plan. Returns its makespan; INFINITY: it cannot run, or does not fit.
static double change(struct pass_search *s)
{
    copy(s, &s->trial, &s->current);
    memset(s->is_changed, false, (size_t)s->size.devices * sizeof *s->is_changed);
    return pass_move(s) && differs(s) ? try(s) : HUGE_VAL;
}

// Returns the mean change for the worse of a move of the present plan.
static double measure(struct pass_search *s, double makespan)
{
    double sum = 0;
    int n = 0;
    for (int k = 0; k < PROBES && !must_end(s); k++) {
        const double tried = change(s);
        if (tried > makespan && tried < HUGE_VAL) {
            sum += tried - makespan;
            n++;
        }
    }
    return n > 0 ? sum / n : 0;
}

// Returns whether a plan that is longer takes the place of the present one.
static bool is_accepted(struct pass_search *s, double longer, double temperature)
{
    const uint64_t bits = pps_random_53(s->task->seed, s->draws++, PURPOSE);
    return longer <= -temperature * detmath_log(((double)bits + 1) / 9007199254740993.0);
}

static void anneal(struct pass_search *s, const struct pass_plan *from, double makespan,
                   double hot, int64_t steps)
{
    copy(s, &s->current, from);
    pass_orders_evaluate(s->orders, from);
    s->n_critical = pass_orders_critical(s->orders, from, s->critical);
    const int64_t begin = s->evaluations;
    const double unit = measure(s, makespan), cooling = detmath_log(COLD / hot);
    for (int64_t misses = 0; s->evaluations - begin < steps && misses < 4 * steps; misses++) {
        if (must_end(s))
            return;
        const double done = (double)(s->evaluations - begin) / (double)steps,
                     temperature = hot * unit * detmath_exp(cooling * done);
        const double tried = change(s);
        if (tried == HUGE_VAL ||
            (tried > makespan && !is_accepted(s, tried - makespan, temperature)))
            continue;
        makespan = tried;
        copy(s, &s->current, &s->trial);
        s->n_critical = pass_orders_critical(s->orders, &s->current, s->critical);
    }
}

// Lets the best plan keep what memory allows.
static void polish(struct pass_search *s)
{
    for (int32_t cell = 0; cell < s->size.count * s->size.stages && !is_over(s); cell++) {
        const int32_t device = s->task->pipeline->device_of[cell % s->size.stages];
        if (s->best.recompute[cell] == DYNAPIPE_KEEP)
            continue;
        copy(s, &s->trial, &s->best);
        s->trial.recompute[cell] = DYNAPIPE_KEEP;
        if (!plan_fits(pass_orders_peak(s->orders, &s->trial, device).memory,
                       s->task->pipeline->limit[device]))
            continue;
        const double before = s->makespan;
        if (try(s) == before) // it is not shorter, but computes less
            copy(s, &s->best, &s->trial);
    }
}

// Few evaluations of large plans do not find the way back from a hot start: there are fewer chains then, and colder ones.
bool pass_search_run(struct pass_search *s, int64_t evaluations)
{
    const double enough = (double)evaluations / (ENOUGH * fmax(s->orders->passes, 1));
    const int chains = enough >= CHAINS ? CHAINS : enough > 1 ? (int)enough : 1;
    const double heat = enough < 1 ? enough * enough : 1;
    const int64_t steps = evaluations / chains;
    for (int chain = 0; chain < chains && s->n_starts > 0 && steps > 0 && !must_end(s);
         chain++) {
        const bool begins = chain < s->n_starts && 2 * chain < chains;
        anneal(s, begins ? &s->starts[chain] : &s->best,
               begins ? s->start_makespans[chain] : s->makespan,
               heat * (chain % 2 == 0 ? HOT : WARM), steps);
    }
    if (s->makespan < HUGE_VAL)
        polish(s);
    return !s->is_over;
}

struct pass_found pass_search_found(const struct pass_search *s)
{
    return (struct pass_found){fmin(s->makespan, s->kept_makespan), s->evaluations};
}

void pass_search_write(const struct pass_search *s, int32_t *order, uint8_t *recompute,
                       struct rule *rule)
{
    const struct pass_plan *best = s->kept_makespan < s->makespan ? &s->kept : &s->best;
    memcpy(recompute, best->recompute, (size_t)s->size.count * (size_t)s->size.stages);
    pass_orders_write(s->orders, best, order, &rule->ordered, &rule->lanes);
}
