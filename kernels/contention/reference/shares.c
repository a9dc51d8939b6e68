// SPDX-License-Identifier: Apache-2.0
// The reference: rates, (d) of the definition. Shares of ports by rules 1 to 3, congestion of
// receivers, and rates of compute tasks.
#include "kernels/contention/reference/state.h"

#define WEIGHT_MIN 1e-9 // a lighter kind counts as weight 0
#define SUM_SLACK  1e-9 // a receiver's sum beyond 1 that is rounding, not congestion

// ---- rules 1 to 3 ---------------------------------------------------------------------------

static double priority(const struct reference *s, const struct task *t)
{
    return s->p->priority[t->kind];
}

// Whether exclusive task a goes before exclusive task b.
static bool outranks(const struct reference *s, const struct task *a, const struct task *b)
{
    double pa = priority(s, a), pb = priority(s, b);
    if (pa != pb)
        return pa > pb; // tier a is -1, b is -2
    return a->i != b->i ? a->i < b->i : a->kind < b->kind;
}

static void give(struct task *t, double share)
{
    t->share = share;
    t->given = true;
}

// Rule 1. Other tasks keep their share or get 0.
static bool hand_exclusive(const struct reference *s, struct task **task, int count, double u,
                           bool zero_others)
{
    struct task *best = NULL;
    for (int k = 0; k < count; k++)
        if (priority(s, task[k]) < 0 && (best == NULL || outranks(s, task[k], best)))
            best = task[k];
    if (best == NULL)
        return false;
    for (int k = 0; k < count && zero_others; k++)
        give(task[k], 0);
    give(best, u);
    return true;
}

// Rule 2. Tasks of weight 0 keep what they have.
static bool hand_weighted(const struct reference *s, struct task **task, int count, double u)
{
    double of_kind[CONTENTION_N_SHARING] = {0}, sum = 0;
    for (int k = 0; k < count; k++)
        of_kind[task[k]->kind]++;
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        if (of_kind[kind] > 0 && s->p->priority[kind] > WEIGHT_MIN)
            sum += s->p->priority[kind];
    if (sum == 0)
        return false;
    for (int k = 0; k < count; k++)
        if (priority(s, task[k]) > WEIGHT_MIN)
            give(task[k], u * (priority(s, task[k]) / sum) / of_kind[task[k]->kind]);
    return true;
}

// Hands bandwidth u out among the tasks by rules 1 to 3.
static void hand_out(const struct reference *s, struct task **task, int count, double u,
                     bool zero_others)
{
    if (hand_exclusive(s, task, count, u, zero_others) || hand_weighted(s, task, count, u))
        return;
    for (int k = 0; k < count; k++)
        give(task[k], u / count);
}

static void share_stage(struct reference *s, int32_t j)
{
    const struct list *active = &s->transfers[j];
    for (int k = 0; k < active->count; k++) {
        active->task[k]->share = s->p->channels == CONTENTION_IDEAL ? 1 : 0;
        active->task[k]->given = active->task[k]->fixed = active->task[k]->throttled = false;
    }
    if (s->p->channels == CONTENTION_SHARED) {
        hand_out(s, active->task, active->count, 1, false);
    } else if (s->p->channels == CONTENTION_DUPLEX) {
        const unsigned downstream = 1u << CONTENTION_FWD_PROP;
        hand_out(s, s->members, select_kinds(s, j, downstream), 1, false);
        hand_out(s, s->members, select_kinds(s, j, ~downstream), 1, false);
    }
}

// ---- receiver congestion --------------------------------------------------------------------

static double sum_of(const struct reference *s, int32_t j, enum contention_kind kind)
{
    double sum = 0;
    int count = select_kinds(s, j, 1u << kind);
    for (int k = 0; k < count; k++)
        sum += s->members[k]->share;
    return sum;
}

static void scale(struct reference *s, int32_t j, enum contention_kind kind, double factor)
{
    int count = select_kinds(s, j, 1u << kind);
    for (int k = 0; k < count; k++) {
        struct task *t = s->members[k];
        if (!t->given)
            continue;
        t->share *= factor;
        t->fixed = t->throttled = t->ever_throttled = true;
    }
}

// Step 1 at receiver r. Returns whether it changed a share.
static bool limit_receiver(struct reference *s, int32_t r)
{
    double sum = sum_of(s, r - 1, CONTENTION_FWD_PROP) + sum_of(s, r + 1, CONTENTION_GRAD_PROP);
    if (sum <= 1 + SUM_SLACK)
        return false;
    scale(s, r - 1, CONTENTION_FWD_PROP, 1 / sum);
    scale(s, r + 1, CONTENTION_GRAD_PROP, 1 / sum);
    return true;
}

// Step 2 at sender j.
static void hand_out_rest(struct reference *s, int32_t j)
{
    double u = 1;
    int count = 0;
    for (int k = 0; k < s->transfers[j].count; k++) {
        struct task *t = s->transfers[j].task[k];
        if (t->fixed)
            u -= t->share;
        else
            s->members[count++] = t;
    }
    if (count > 0 && u >= 1e-9)
        hand_out(s, s->members, count, u, true);
}

static void congest(struct reference *s)
{
    int32_t gpus = s->p->gpus;
    for (int32_t round = 0; round < 2 * gpus; round++) {
        bool changed = false;
        for (int32_t r = 1; r < gpus - 1 && !is_stopped(s); r++)
            if (limit_receiver(s, r))
                changed = true;
        if (!changed) // step 2 would give the same shares again
            return;
        for (int32_t j = 0; j < gpus && !is_stopped(s); j++)
            hand_out_rest(s, j);
    }
}

// ---- all rates ------------------------------------------------------------------------------

static void list_transfers(struct reference *s, int32_t j)
{
    struct list *list = &s->transfers[j];
    list->count = 0;
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        for (int32_t i = 0; i < s->p->n; i++) {
            struct task *t = at(s, (enum contention_kind)kind, i, j);
            if (t->state == ACTIVE)
                list->task[list->count++] = t;
        }
}

void contention_reference_set_rates(struct reference *s)
{
    const struct contention_point *p = s->p;
    for (int32_t j = 0; j < p->gpus && !is_stopped(s); j++) {
        list_transfers(s, j);
        share_stage(s, j);
    }
    if (p->congestion && p->channels == CONTENTION_SHARED && p->gpus > 2)
        congest(s);
    for (int32_t j = 0; j < p->gpus && !is_stopped(s); j++) {
        double sync = 0;
        for (int k = 0; k < s->transfers[j].count; k++) {
            struct task *t = s->transfers[j].task[k];
            t->rate = t->share;
            if (t->kind == CONTENTION_GRAD_SYNC && p->channels != CONTENTION_IDEAL)
                sync += t->share;
        }
        struct task *t = s->running[j];
        if (t != NULL)
            t->rate =
                1 - sync * (t->kind == CONTENTION_FORWARD ? p->fwd_impact : p->bwd_impact);
    }
}
