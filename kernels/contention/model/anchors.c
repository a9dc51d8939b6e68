// SPDX-License-Identifier: Apache-2.0
// Records the state of a point at an anchor, and compares two states.
#include "kernels/contention/model/anchors.h"

#include "kernels/contention/model/shares.h"

#define TOLERANCE 1e-12 // of a unit of length, between states that count as equal

// ---- the state at an anchor -----------------------------------------------------------------

static void put(struct steady_anchor *a, double value)
{
    a->values[a->n++] = value;
}

// Work left of the transfers that wait behind the head of a class.
static void put_followers(const struct sim *s, const struct stage *st, int c,
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
}

void contention_take_anchor(struct sim *s, struct steady_anchor *a)
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

double contention_anchor_mark(const struct sim *s)
{
    double mark = 0;
    for (int32_t j = 0; j < s->p->gpus; j++) {
        const struct stage *st = &s->stages[j];
        const double left = st->rem[COMPUTE] - st->rate[COMPUTE] * (s->now - st->since);
        mark += st->computing != 0 ? left * s->per_unit * (j + 1) : 0;
    }
    return mark;
}

// ---- equal states ---------------------------------------------------------------------------

static bool equal(double a, double b)
{
    return a == b || fabs(a - b) <= TOLERANCE;
}

// Returns the largest difference between the numbers; HUGE_VAL: the states are not equal.
static double values_differ(const struct steady_anchor *a, const struct steady_anchor *b)
{
    double most = 0;
    if (a->n != b->n)
        return HUGE_VAL;
    for (size_t k = 0; k < a->n; k++) {
        if (!equal(a->values[k], b->values[k]))
            return HUGE_VAL;
        if (a->values[k] != b->values[k])
            most = fmax(most, fabs(a->values[k] - b->values[k]));
    }
    return most;
}

// Returns whether grad_sync competes with another kind by micro-batch, so that its lag matters.
static bool sync_tier_shared(const struct sim *s)
{
    for (int c = 0; c < 2; c++) {
        const unsigned pair = KIND_BIT(c) | KIND_BIT(CONTENTION_GRAD_SYNC);
        if (s->together >> pair & 1 && s->rules[pair].winners == pair)
            return true;
    }
    return false;
}

double contention_backlog(const struct sim *s, const struct steady_sync *sync)
{
    return sync->left + sync->pending * (s->sync_work * s->per_unit);
}

// Returns whether more synchronisations become due than a period can finish (each anchor makes
// one due per stage), so that one is always active. Its number and its progress then affect
// nothing else: the next one starts when it ends, at the same rate.
static bool piles_up(const struct sim *s, const struct steady_sync *old,
                     const struct steady_sync *new, int32_t period)
{
    return old->pending > period && new->pending > period && !sync_tier_shared(s) &&
           contention_backlog(s, new) >= contention_backlog(s, old) - TOLERANCE;
}

bool contention_same_syncs(const struct steady_sync *old, const struct steady_sync *new)
{
    return old->pending == new->pending &&equal(old->left, new->left);
}

double contention_anchors_differ(const struct sim *s, const struct steady_anchor *old,
                                 const struct steady_anchor *new, int32_t period)
{
    double most = values_differ(old, new);
    for (int32_t j = 0; j < s->p->gpus && most < HUGE_VAL; j++) {
        const struct steady_sync *a = &old->sync[j], *b = &new->sync[j];
        if (!contention_same_syncs(a, b))
            most = piles_up(s, a, b, period) ? most : HUGE_VAL;
        else if (a->left != b->left)
            most = fmax(most, fabs(a->left - b->left));
    }
    return most;
}
