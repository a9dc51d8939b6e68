// SPDX-License-Identifier: Apache-2.0
// The reference: the use of time of each stage, and the parts of the completion time on the
// critical GPU.
#include "kernels/contention/reference/state.h"

#include <math.h>

// Where transfers of a kind come from.
static int32_t sender_to(int32_t j, enum contention_kind kind)
{
    return kind == CONTENTION_FWD_PROP ? j - 1 : j + 1;
}

// The next transfer of a kind on its way to stage j; NULL: there is none.
static const struct task *coming_to(const struct reference *s, int32_t j,
                                    enum contention_kind kind)
{
    const int32_t from = sender_to(j, kind);
    if (from < 0 || from >= s->p->gpus || select_kinds(s, from, 1u << kind) == 0)
        return NULL;
    return s->members[0];
}

// The share of synchronisations in the port of that transfer, unless its receiver holds it
// back.
static double sync_beside(const struct reference *s, const struct task *t)
{
    double share = 0;
    if (t == NULL || t->throttled || s->p->channels == CONTENTION_IDEAL ||
        (s->p->channels == CONTENTION_DUPLEX && t->kind == CONTENTION_FWD_PROP))
        return 0;
    const int count = select_kinds(s, t->j, 1u << CONTENTION_GRAD_SYNC);
    for (int k = 0; k < count; k++)
        share += s->members[k]->share;
    return share;
}

static void add_wait(struct device *d, enum contention_kind kind, double time, double sync)
{
    d->waits[kind] += time - sync;
    d->waits[CONTENTION_GRAD_SYNC] += sync;
}

static void watch_idle(struct reference *s, int32_t j, double step)
{
    struct device *d = &s->devices[j];
    const struct task *fwd = coming_to(s, j, CONTENTION_FWD_PROP);
    const struct task *grad = coming_to(s, j, CONTENTION_GRAD_PROP);
    const double fwd_sync = step * sync_beside(s, fwd), grad_sync = step * sync_beside(s, grad);
    if (fwd != NULL && grad != NULL) {
        d->both += step;
        d->both_sync[0] += fwd_sync;
        d->both_sync[1] += grad_sync;
    } else if (fwd != NULL) {
        add_wait(d, CONTENTION_FWD_PROP, step, fwd_sync);
    } else if (grad != NULL) {
        add_wait(d, CONTENTION_GRAD_PROP, step, grad_sync);
    } else {
        d->idle += step;
    }
}

static void watch_compute(struct reference *s, int32_t j, double step)
{
    struct device *d = &s->devices[j];
    const bool forward = s->running[j]->kind == CONTENTION_FORWARD;
    add_wait(d, forward ? CONTENTION_FWD_PROP : CONTENTION_GRAD_PROP, d->both,
             d->both_sync[forward ? 0 : 1]);
    d->both = d->both_sync[0] = d->both_sync[1] = 0;
    d->bubble += d->idle;
    d->idle = 0;
    d->busy += step;
    d->last = s->time;
}

void contention_reference_watch(struct reference *s, int32_t j, double step)
{
    if (s->running[j] != NULL)
        watch_compute(s, j, step);
    else
        watch_idle(s, j, step);
    if (s->running[j] != NULL || s->transfers[j].count > 0)
        s->devices[j].end = s->time;
}

void contention_reference_parts(const struct reference *s, struct contention_parts *parts)
{
    int32_t j = 0;
    while (s->devices[j].end < s->time * (1 - 1e-9))
        j++;
    const struct device *d = &s->devices[j];
    parts->gpu = j;
    parts->slowdown = fmax(d->busy - s->p->n * (s->p->fwd_len + s->p->bwd_len), 0);
    parts->compute = d->busy - parts->slowdown;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        parts->waits[k] = fmax(d->waits[k], 0);
    parts->bubble = d->bubble;
    parts->final_sync = s->time - d->last;
}
