// SPDX-License-Identifier: Apache-2.0
// Declares the state of a point in the reference: one record per task, all in one array.
// Private to the reference; users include reference.h.
#pragma once

#include "kernels/contention/reference/reference.h"

#include <stddef.h>

#define N_KINDS 5

enum state {
    WAITING,
    READY, // compute only: a ready transfer is active at once
    ACTIVE,
    FINISHED,
};

struct task {
    enum contention_kind kind;
    enum state state;
    int32_t i, j; // micro-batch, stage
    bool exists;
    bool given, fixed; // marks of the congestion rounds
    bool throttled;    // in the current interval
    bool ever_throttled;
    double work, left;
    double share, rate;
    double ready; // time
};

struct list {
    struct task **task;
    int count;
};

// How a stage has used its time so far.
struct device {
    double busy;
    double waits[CONTENTION_N_SHARING]; // idle for transfers: see model.md
    double both, both_sync[2]; // of the idle time since its last compute task: while both
    double idle, bubble;       // kinds were on their way, and while nothing was; the latter
                               // is a bubble if another compute task follows
    double last, end;          // when its last compute task, its last task ended
};

struct reference {
    const struct contention_point *p;
    const atomic_bool *stop; // or NULL
    struct task *tasks;      // [kind][stage][micro-batch]
    struct list *transfers;  // [stage]: active transfers, listed again at every event
    struct task **running;   // [stage]: or NULL
    struct task **members;   // room for one stage's transfers, during the congestion rounds
    int32_t *in_flight;      // [stage]
    double eps_work;
    double time, lost;      // Kahan: time + lost
    int64_t left;           // tasks that exist and have not finished
    struct device *devices; // [stage]
    // sums of the metrics
    double busy, port, exposed;
    double latency[CONTENTION_N_SHARING];
    int64_t latency_count[CONTENTION_N_SHARING];
};

static inline struct task *at(const struct reference *s, enum contention_kind kind, int32_t i,
                              int32_t j)
{
    size_t stage = (size_t)kind * (size_t)s->p->gpus + (size_t)j;
    return &s->tasks[stage * (size_t)s->p->n + (size_t)i];
}

static inline bool finished(const struct reference *s, enum contention_kind kind, int32_t i,
                            int32_t j)
{
    return at(s, kind, i, j)->state == FINISHED;
}

// Returns whether the task uses the port; other tasks compute.
static inline bool is_transfer(const struct task *t)
{
    return t->kind <= CONTENTION_GRAD_SYNC;
}

static inline size_t n_tasks(const struct reference *s)
{
    return (size_t)N_KINDS * (size_t)s->p->gpus * (size_t)s->p->n;
}

// Returns whether the stop flag is up. Every loop over all tasks polls it once per stage and
// then leaves the state of the point undefined.
static inline bool is_stopped(const struct reference *s)
{
    return s->stop != NULL && atomic_load_explicit(s->stop, memory_order_relaxed);
}

// Writes the tasks of stage j whose kind's bit is in `kinds` to s->members; returns their
// number.
static inline int select_kinds(const struct reference *s, int32_t j, unsigned kinds)
{
    int count = 0;
    for (int k = 0; k < s->transfers[j].count; k++)
        if (kinds >> s->transfers[j].task[k]->kind & 1u)
            s->members[count++] = s->transfers[j].task[k];
    return count;
}

// tasks.c: makes all tasks, with their work, none of them begun.
void contention_reference_make_tasks(struct reference *s);
// Finishes tasks that are done and makes ready tasks that can start, until there are none.
void contention_reference_finish(struct reference *s, struct contention_result *result);

// time_parts.c: counts what stage j does in a step that ends now; the parts of the
// completion time, when all is done.
void contention_reference_watch(struct reference *s, int32_t j, double step);
void contention_reference_parts(const struct reference *s, struct contention_parts *parts);

// shares.c: lists the active transfers of every stage, and sets the rates of all
// active tasks until the next event.
void contention_reference_set_rates(struct reference *s);
