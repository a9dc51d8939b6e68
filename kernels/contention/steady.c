// SPDX-License-Identifier: Apache-2.0
// Finding the period of a point and jumping over whole periods.
#include "shares.h"
#include "state.h"

#include <string.h>

#define TOLERANCE      1e-12 // of a unit of length, between states that count as equal
#define MARK_TOLERANCE 1e-8  // between their marks, which add up all stages

int32_t contention_steady_streak(int32_t period, int32_t m)
{
    int32_t least = m / 64 < 29 ? 3 + m / 64 : 32;
    return least > period ? least : period;
}

// ---- the state at an anchor ---------------------------------------------------------------------

static struct steady_anchor *anchor_at(struct sim *s, uint64_t k)
{
    return &s->steady.window[k % s->steady.n_window];
}

static void put(struct steady_anchor *a, double value)
{
    a->values[a->n++] = value;
}

// Work left of the transfers that wait behind the head of a class.
static void put_followers(const struct sim *s,
                          const struct stage *st,
                          int c,
                          struct steady_anchor *a)
{
    const double step = s->now - st->since;
    const double served = st->served[c] + s->even[c] * (st->rate[c] * step);
    for (int32_t i = st->sent[c] + 1; i < st->done[c]; i++) {
        double left = s->target[(uint32_t)i & s->ring] - served;
        if (i == st->sent[c] + 1)
            left -= st->second[c] * step;
        put(a, left * s->per_unit);
    }
}

static void put_stage(struct sim *s, int32_t j, struct steady_anchor *a)
{
    const struct stage *st = &s->stages[j];
    const double step = s->now - st->since;
    const bool last = j == s->p->gpus - 1;
    double rem[N_SLOTS];
    for (int k = 0; k <= COMPUTE; k++)
        rem[k] = (st->rem[k] - st->rate[k] * step) * s->per_unit;
    put(a, rem[COMPUTE]);
    put(a, rem[FWD]);
    put(a, rem[GRAD]);
    put(a, rem[LEFT]);
    put(a, st->computing);
    for (int c = 0; c < 2; c++) {
        put(a, st->done[c] - a->base);
        put(a, st->sent[c] - a->base);
        put(a, st->rate[c]);
    }
    put(a, j > 0 ? st->in[FWD] - a->base : 0);
    put(a, last ? 0 : st->in[GRAD] - a->base);
    put(a, st->next_sync - a->base);
    put(a, st->sync_at + st->sync_pending * s->p->sync_freq - a->base);
    for (int c = 0; c < 2; c++)
        put_followers(s, st, c, a);
    a->sync[j] = (struct steady_sync){st->sync_pending, rem[SYNC]};
    a->mark += st->computing != 0 ? rem[COMPUTE] * (j + 1) : 0;
}

static void take_anchor(struct sim *s, struct steady_anchor *a)
{
    const size_t slot = (size_t)(a - s->steady.window);
    *a = (struct steady_anchor){
        .epoch = s->epoch,
        .now = s->now,
        .base = s->stages[0].done[GRAD],
        .values = s->steady.values + slot * s->steady.room,
        .sync = s->steady.sync + slot * (size_t)s->p->gpus,
    };
    for (int32_t j = 0; j < s->p->gpus; j++)
        put_stage(s, j, a);
}

// ---- equal states -------------------------------------------------------------------------------

static bool equal(double a, double b)
{
    return a == b || fabs(a - b) <= TOLERANCE;
}

static bool equal_values(const struct steady_anchor *a, const struct steady_anchor *b)
{
    if (a->n != b->n)
        return false;
    for (size_t k = 0; k < a->n; k++)
        if (!equal(a->values[k], b->values[k]))
            return false;
    return true;
}

// Whether grad_sync competes with another kind by micro-batch, so that its lag matters.
static bool sync_tier_shared(const struct sim *s)
{
    for (int c = 0; c < 2; c++) {
        const unsigned pair = KIND_BIT(c) | KIND_BIT(CONTENTION_GRAD_SYNC);
        if (s->together >> pair & 1 && s->rules[pair].winners == pair)
            return true;
    }
    return false;
}

// Work that the synchronisations of a stage still have.
static double backlog(const struct sim *s, const struct steady_sync *sync)
{
    return sync->left + sync->pending * (s->sync_work * s->per_unit);
}

// Where more synchronisations are due than a period can end (an anchor makes one due a stage),
// one is active all the time. Which one, and how far it is, then matters to nothing else: the
// end of one is the start of the next, with the same rate.
static bool piles_up(const struct sim *s,
                     const struct steady_sync *old,
                     const struct steady_sync *new,
                     int32_t period)
{
    return old->pending > period && new->pending > period && !sync_tier_shared(s) &&
           backlog(s, new) >= backlog(s, old) - TOLERANCE;
}

static bool equal_syncs(const struct sim *s,
                        const struct steady_anchor *old,
                        const struct steady_anchor *new,
                        int32_t period)
{
    for (int32_t j = 0; j < s->p->gpus; j++) {
        const struct steady_sync *a = &old->sync[j], *b = &new->sync[j];
        if (!(a->pending == b->pending && equal(a->left, b->left)) &&
            !piles_up(s, a, b, period))
            return false;
    }
    return true;
}

static bool repeats(struct sim *s, uint64_t k, int32_t period)
{
    const struct steady_anchor *old = anchor_at(s, k - (uint64_t)period);
    const struct steady_anchor *new = anchor_at(s, k);
    return fabs(old->mark - new->mark) <= MARK_TOLERANCE * s->p->gpus &&
           equal_values(old, new) && equal_syncs(s, old, new, period);
}

static int32_t find_period(struct sim *s, uint64_t k)
{
    for (int32_t period = 1; (uint64_t)period < s->steady.n_window && (uint64_t)period <= k;
         period++)
        if (repeats(s, k, period))
            return period;
    return 0;
}

// ---- the jump -----------------------------------------------------------------------------------

static void move_targets(struct sim *s, int32_t ahead)
{
    const size_t size = (size_t)s->ring + 1;
    memcpy(s->steady.moved, s->target, size * sizeof *s->target);
    for (uint32_t i = 0; i <= s->ring; i++)
        s->target[(i + (uint32_t)ahead) & s->ring] = s->steady.moved[i];
}

static void move_stage(struct sim *s, int32_t j, int32_t ahead)
{
    struct stage *st = &s->stages[j];
    for (int c = 0; c < 2; c++) {
        st->done[c] += ahead;
        st->sent[c] += ahead;
    }
    if (j > 0)
        st->in[FWD] += ahead;
    if (j < s->p->gpus - 1)
        st->in[GRAD] += ahead;
    st->next_sync += ahead;
    st->sync_at += ahead;
}

// Adds `more` work (in units) to the synchronisations of a stage that has enough of them.
static void move_backlog(struct sim *s, int32_t j, double more)
{
    struct stage *st = &s->stages[j];
    touch(s, j);
    advance(s, st);
    st->changed = true;
    const double total = st->rem[SYNC] + more / s->per_unit;
    const int32_t whole = (int32_t)(total / s->sync_work);
    st->rem[SYNC] = total - whole * s->sync_work;
    st->sync_pending += whole;
    st->sync_at -= whole * s->p->sync_freq;
}

// Moves the point ahead by `times` periods, of which the last ended at anchor k; whether
// synchronisations pile up.
static bool jump(struct sim *s, uint64_t k, int32_t period, int32_t times)
{
    const struct steady_anchor *old = anchor_at(s, k - (uint64_t)period);
    const struct steady_anchor *new = anchor_at(s, k);
    const int32_t ahead = times * (new->base - old->base);
    bool piled = false;
    for (int32_t j = 0; j < s->p->gpus; j++) {
        const struct steady_sync *a = &old->sync[j], *b = &new->sync[j];
        move_stage(s, j, ahead);
        if (a->pending == b->pending && equal(a->left, b->left))
            continue;
        move_backlog(s, j, times * fmax(0, backlog(s, b) - backlog(s, a)));
        piled = true;
    }
    move_targets(s, ahead);
    s->epoch += times * ((new->epoch - old->epoch) + (new->now - old->now));
    return piled;
}

// ---- the end ------------------------------------------------------------------------------------

// Time until a stage's synchronisations are over: the port is theirs alone, all of it; with
// ideal channels the two kinds go side by side.
static double drain_time(const struct sim *s, struct stage *st)
{
    const double step = s->now - st->since;
    double sync = 0, left = 0;
    if (slot_active(st, SYNC))
        sync = st->rem[SYNC] - st->rate[SYNC] * step + st->sync_pending * s->sync_work;
    if (slot_active(st, LEFT))
        left = st->rem[LEFT] - st->rate[LEFT] * step;
    return s->p->channels == CONTENTION_IDEAL ? fmax(sync, left) : sync + left;
}

// All compute is done, so every stage has at most synchronisations left: ends the point.
static void drain(struct sim *s)
{
    double longest = 0;
    for (int32_t j = 0; j < s->p->gpus; j++) {
        struct stage *st = &s->stages[j];
        longest = fmax(longest, drain_time(s, st));
        st->rem[SYNC] = st->rem[LEFT] = HUGE_VAL;
        st->sync_pending = 0;
    }
    s->now += longest;
}

// ---- looking ------------------------------------------------------------------------------------

// Forwards that a point must have for a period to be worth looking for: it has to fill the
// pipeline, repeat, and empty it.
static bool long_enough(const struct contention_point *p)
{
    return p->pipeline == CONTENTION_1F1B && p->n >= 2 * p->gpus + 120;
}

void contention_steady_start(struct sim *s)
{
    s->steady.next = long_enough(s->p) ? s->p->sync_freq : INT32_MAX;
}

static void look_at_anchor(struct sim *s)
{
    struct steady *steady = &s->steady;
    const uint64_t k = steady->n_anchors++;
    struct steady_anchor *a = anchor_at(s, k);
    take_anchor(s, a);
    steady->next = a->base + s->p->sync_freq;
    if (steady->streak > 0 && repeats(s, k, steady->period)) {
        steady->streak++;
    } else {
        steady->period = find_period(s, k);
        steady->streak = steady->period > 0;
    }
    // Stage 0 must find a forward to take all the way, as it did in the period that repeats.
    const int32_t left = s->p->n - 2 - s->stages[0].done[FWD];
    const int32_t length = steady->period * s->p->sync_freq;
    if (left < 1 || k > STEADY_PATIENCE) {
        steady->next = INT32_MAX;
    } else if (steady->streak > 0 && left >= length &&
               steady->streak >= contention_steady_streak(steady->period, left)) {
        const bool piled = jump(s, k, steady->period, left / length);
        steady->next = piled ? s->p->n : INT32_MAX;
    }
}

bool contention_steady_look(struct sim *s)
{
    if (s->stages[0].done[GRAD] == s->p->n) {
        drain(s);
        return true;
    }
    look_at_anchor(s);
    return false;
}
