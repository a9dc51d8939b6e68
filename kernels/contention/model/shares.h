// SPDX-License-Identifier: Apache-2.0
// Computes the shares of a port by rules 1 to 3 of model.md. Private to the model.
#pragma once

#include "kernels/contention/model/state.h"

#define KIND_BIT(kind) (1u << (kind))

ALWAYS_INLINE bool slot_active(const struct stage *st, enum slot slot)
{
    return st->rem[slot] < HUGE_VAL;
}

// The kinds that have active tasks.
ALWAYS_INLINE unsigned kinds_present(const struct stage *st)
{
    unsigned fwd = class_count(st, FWD) > 0, grad = class_count(st, GRAD) > 0;
    unsigned sync = slot_active(st, SYNC) || slot_active(st, LEFT);
    return fwd | grad << 1 | sync << 2;
}

// Micro-batch of the first task of a kind that has no fixed share.
ALWAYS_INLINE int32_t first_free(const struct sim *s, const struct stage *st, int kind)
{
    if (kind == CONTENTION_GRAD_SYNC)
        return slot_active(st, SYNC) ? st->sync_at : s->p->n - 1;
    return st->sent[kind] + (st->fixed[kind] == HEAD);
}

// The kind among `kinds` whose first task has the lowest micro-batch.
ALWAYS_INLINE int lowest(const struct sim *s, const struct stage *st, unsigned kinds)
{
    int best = __builtin_ctz(kinds);
    for (kinds &= kinds - 1; kinds != 0; kinds &= kinds - 1) {
        int kind = __builtin_ctz(kinds);
        if (first_free(s, st, kind) < first_free(s, st, best))
            best = kind;
    }
    return best;
}

// Rule 1: all of u to one task of the kinds.
ALWAYS_INLINE void give_one(const struct sim *s, struct stage *st, unsigned kinds, double u)
{
    int kind = lowest(s, st, kinds);
    if (kind == CONTENTION_GRAD_SYNC)
        st->rate[slot_active(st, SYNC) ? SYNC : LEFT] = u;
    else if (st->fixed[kind] == HEAD)
        st->second[kind] = u;
    else
        st->rate[kind] = u;
}

// Every task of a kind present its share of the kind's part.
ALWAYS_INLINE void give_each(struct stage *st, unsigned kinds, const double *part)
{
    for (int c = 0; c < 2; c++)
        if (kinds & KIND_BIT(c))
            st->rate[c] = part[c] / class_count(st, c);
    if (kinds & KIND_BIT(CONTENTION_GRAD_SYNC)) {
        bool sync = slot_active(st, SYNC), left = slot_active(st, LEFT);
        double each = sync && left ? part[2] * 0.5 : part[2];
        st->rate[SYNC] = sync ? each : 0;
        st->rate[LEFT] = left ? each : 0;
    }
}

ALWAYS_INLINE int32_t kind_count(const struct stage *st, int kind)
{
    if (kind == CONTENTION_GRAD_SYNC)
        return slot_active(st, SYNC) + slot_active(st, LEFT);
    return class_count(st, kind);
}

// Rule 3: every task one part of u.
ALWAYS_INLINE void give_equal(struct stage *st, unsigned kinds, double u)
{
    double part[CONTENTION_N_SHARING];
    int32_t count = 0;
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        count += kinds & KIND_BIT(kind) ? kind_count(st, kind) : 0;
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        part[kind] = u / count * kind_count(st, kind);
    give_each(st, kinds, part);
}

// Hands u out among the tasks without a fixed share of the kinds present; others keep theirs.
ALWAYS_INLINE void hand_out(const struct sim *s, struct stage *st, unsigned kinds, double u)
{
    const struct rule *rule = &s->rules[kinds];
    if (kinds == 0)
        return;
    if (rule->winners != 0) {
        give_one(s, st, rule->winners, u);
    } else if (rule->weighted) {
        double part[CONTENTION_N_SHARING];
        for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
            part[kind] = u * rule->part[kind];
        give_each(st, kinds, part);
    } else {
        give_equal(st, kinds, u);
    }
}

ALWAYS_INLINE void clear_shares(struct stage *st)
{
    for (int k = 0; k < COMPUTE; k++)
        st->rate[k] = 0;
    for (int c = 0; c < 2; c++) {
        st->second[c] = 0;
        st->throttled[c] = 0;
        st->fixed[c] = NONE;
    }
}

// Shares of a stage as if no receiver held anything back.
ALWAYS_INLINE void share_port(const struct sim *s, struct stage *st)
{
    const unsigned downstream = KIND_BIT(CONTENTION_FWD_PROP);
    unsigned kinds = kinds_present(st);
    clear_shares(st);
    if (s->p->channels == CONTENTION_SHARED) {
        hand_out(s, st, kinds, 1);
    } else if (s->p->channels == CONTENTION_DUPLEX) {
        hand_out(s, st, kinds & downstream, 1);
        hand_out(s, st, kinds & ~downstream, 1);
    } else {
        for (int k = 0; k < COMPUTE; k++)
            st->rate[k] = 1;
    }
}
