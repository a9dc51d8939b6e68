// SPDX-License-Identifier: Apache-2.0
// The reference: all tasks with their work and dependencies, and the steps of an event, (a) and
// (b) of the definition.
#include "kernels/contention/reference/state.h"

// ---- all tasks ------------------------------------------------------------------------------

static bool exists(const struct contention_point *p, enum contention_kind kind, int32_t i,
                   int32_t j)
{
    switch (kind) {
    case CONTENTION_FWD_PROP:
        return j < p->gpus - 1;
    case CONTENTION_GRAD_PROP:
        return j > 0;
    case CONTENTION_GRAD_SYNC:
        return (i + 1) % p->sync_freq == 0 || i == p->n - 1;
    case CONTENTION_FORWARD:
    case CONTENTION_BACKWARD:
        break;
    }
    return true;
}

static double work(const struct contention_point *p, enum contention_kind kind, int32_t i)
{
    switch (kind) {
    case CONTENTION_FORWARD:
        return p->fwd_len;
    case CONTENTION_BACKWARD:
        return p->bwd_len;
    case CONTENTION_FWD_PROP:
    case CONTENTION_GRAD_PROP:
        return p->prop_len;
    case CONTENTION_GRAD_SYNC:
        break;
    }
    int32_t rest = (i + 1) % p->sync_freq;
    return p->sync_base_len * (rest == 0 ? p->sync_freq : rest);
}

void contention_reference_make_tasks(struct reference *s)
{
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int32_t j = 0; j < s->p->gpus && !is_stopped(s); j++)
            for (int32_t i = 0; i < s->p->n; i++) {
                struct task *t = at(s, (enum contention_kind)kind, i, j);
                t->kind = (enum contention_kind)kind;
                t->i = i;
                t->j = j;
                t->exists = exists(s->p, t->kind, i, j);
                t->work = t->left = work(s->p, t->kind, i);
                s->left += t->exists;
            }
}

// ---- dependencies ---------------------------------------------------------------------------

static bool forward_may_start(const struct reference *s, int32_t i, int32_t j)
{
    const struct contention_point *p = s->p;
    bool one_f_one_b = p->pipeline == CONTENTION_1F1B;
    if (j > 0 && !finished(s, CONTENTION_FWD_PROP, i, j - 1))
        return false;
    if (j > 0)
        return !(one_f_one_b && j == p->gpus - 1 && i > 0) ||
               finished(s, CONTENTION_BACKWARD, i - 1, j);
    if (one_f_one_b && i >= p->gpus)
        return finished(s, CONTENTION_BACKWARD, i - p->gpus, 0);
    return i == 0 || finished(s, CONTENTION_FORWARD, i - 1, 0);
}

static bool backward_may_start(const struct reference *s, int32_t i, int32_t j)
{
    const struct contention_point *p = s->p;
    return finished(s, CONTENTION_FORWARD, i, j) &&
           (j == p->gpus - 1 || finished(s, CONTENTION_GRAD_PROP, i, j + 1)) &&
           (p->pipeline == CONTENTION_1F1B ||
            finished(s, CONTENTION_FORWARD, p->n - 1, p->gpus - 1));
}

static bool may_start(const struct reference *s, const struct task *t)
{
    switch (t->kind) {
    case CONTENTION_FWD_PROP:
        return finished(s, CONTENTION_FORWARD, t->i, t->j);
    case CONTENTION_GRAD_PROP:
        return finished(s, CONTENTION_BACKWARD, t->i, t->j);
    case CONTENTION_GRAD_SYNC: {
        int32_t before = t->i - s->p->sync_freq;
        return finished(s, CONTENTION_BACKWARD, t->i, t->j) &&
               (before < 0 || !at(s, CONTENTION_GRAD_SYNC, before, t->j)->exists ||
                finished(s, CONTENTION_GRAD_SYNC, before, t->j));
    }
    case CONTENTION_FORWARD:
        return forward_may_start(s, t->i, t->j);
    case CONTENTION_BACKWARD:
        break;
    }
    return backward_may_start(s, t->i, t->j);
}

// ---- (a) and (b) ----------------------------------------------------------------------------

static void finish(struct reference *s, struct task *t)
{
    t->state = FINISHED;
    s->left--;
    if (is_transfer(t)) {
        s->latency[t->kind] += s->time - t->ready;
        s->latency_count[t->kind]++;
    } else {
        s->running[t->j] = NULL;
        s->in_flight[t->j] += t->kind == CONTENTION_FORWARD ? 1 : -1;
    }
}

// (a): finishes the tasks of n that are done; returns whether there was any.
static bool finish_some(struct reference *s, struct task *first, int32_t n)
{
    bool any = false;
    for (struct task *t = first; t < first + n; t++)
        if (t->state == ACTIVE && t->left <= s->eps_work) {
            finish(s, t);
            any = true;
        }
    return any;
}

// (b): makes ready the tasks of n whose dependencies are met; returns whether there was any.
static bool ready_some(struct reference *s, struct task *first, int32_t n)
{
    bool any = false;
    for (struct task *t = first; t < first + n; t++) {
        if (!t->exists || t->state != WAITING || !may_start(s, t))
            continue;
        t->ready = s->time;
        t->state = is_transfer(t) ? ACTIVE : READY;
        any = true;
    }
    return any;
}

// Runs (a) or (b) on all tasks; returns whether there was any.
static bool of_all(struct reference *s,
                   bool (*some)(struct reference *, struct task *, int32_t))
{
    bool any = false;
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int32_t j = 0; j < s->p->gpus && !is_stopped(s); j++)
            any |= some(s, at(s, (enum contention_kind)kind, 0, j), s->p->n);
    return any;
}

void contention_reference_finish(struct reference *s, struct contention_result *result)
{
    bool any;
    do {
        any = of_all(s, finish_some);
        any |= of_all(s, ready_some);
    } while (any && !is_stopped(s));
    for (int32_t j = 0; j < s->p->gpus; j++)
        if (s->in_flight[j] > result->peak_in_flight)
            result->peak_in_flight = s->in_flight[j];
}
