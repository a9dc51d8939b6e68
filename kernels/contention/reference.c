// SPDX-License-Identifier: Apache-2.0
// The contention model straight from its definition: one record a task, and at every event a
// look at each of them.
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE_MIN   1e-9 // a slower task does not set the time of the next event
#define WEIGHT_MIN 1e-9 // a lighter kind counts as weight 0
#define SUM_SLACK  1e-9 // a receiver's sum beyond 1 that is rounding, not congestion
#define N_KINDS    5

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

struct reference {
    const struct contention_point *p;
    struct task *tasks;     // [kind][stage][micro-batch]
    struct list *transfers; // [stage]: active ones, listed anew at every event
    struct task **running;  // [stage]: or NULL
    struct task **members;  // room for one stage's transfers, during the congestion rounds
    int32_t *in_flight;     // [stage]
    double eps_work;
    double time, lost; // Kahan: time + lost
    int64_t left;      // tasks that exist and have not finished
    // sums of the metrics
    double busy, port, exposed;
    double latency[CONTENTION_N_SHARING];
    int64_t latency_count[CONTENTION_N_SHARING];
};

// ---- tasks and what they wait for -----------------------------------------------------------

static struct task *at(const struct reference *s,
                       enum contention_kind kind,
                       int32_t i,
                       int32_t j)
{
    size_t stage = (size_t)kind * (size_t)s->p->gpus + (size_t)j;
    return &s->tasks[stage * (size_t)s->p->n + (size_t)i];
}

static bool finished(const struct reference *s, enum contention_kind kind, int32_t i, int32_t j)
{
    return at(s, kind, i, j)->state == FINISHED;
}

static bool is_transfer(const struct task *t)
{
    return t->kind <= CONTENTION_GRAD_SYNC;
}

static bool exists(const struct contention_point *p,
                   enum contention_kind kind,
                   int32_t i,
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

// ---- an event: (a) and (b), then (c) --------------------------------------------------------

static size_t n_tasks(const struct reference *s)
{
    return (size_t)N_KINDS * (size_t)s->p->gpus * (size_t)s->p->n;
}

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

// (a): finishes what is done; whether there was any.
static bool finish_all(struct reference *s)
{
    bool any = false;
    for (size_t k = 0; k < n_tasks(s); k++)
        if (s->tasks[k].state == ACTIVE && s->tasks[k].left <= s->eps_work) {
            finish(s, &s->tasks[k]);
            any = true;
        }
    return any;
}

// (b): makes ready what waits for nothing any more; whether there was any.
static bool ready_all(struct reference *s)
{
    bool any = false;
    for (size_t k = 0; k < n_tasks(s); k++) {
        struct task *t = &s->tasks[k];
        if (!t->exists || t->state != WAITING || !may_start(s, t))
            continue;
        t->ready = s->time;
        t->state = is_transfer(t) ? ACTIVE : READY;
        any = true;
    }
    return any;
}

static void finish_and_ready(struct reference *s, struct contention_result *result)
{
    bool any;
    do {
        any = finish_all(s);
        any |= ready_all(s);
    } while (any);
    for (int32_t j = 0; j < s->p->gpus; j++)
        if (s->in_flight[j] > result->peak_in_flight)
            result->peak_in_flight = s->in_flight[j];
}

// The first ready task of a kind on stage j; NULL: there is none.
static struct task *first_ready(const struct reference *s, enum contention_kind kind, int32_t j)
{
    for (int32_t i = 0; i < s->p->n; i++)
        if (at(s, kind, i, j)->state == READY)
            return at(s, kind, i, j);
    return NULL;
}

static void pick_compute(struct reference *s)
{
    for (int32_t j = 0; j < s->p->gpus; j++) {
        if (s->running[j] != NULL)
            continue;
        struct task *t = first_ready(s, CONTENTION_FORWARD, j);
        if (t == NULL)
            t = first_ready(s, CONTENTION_BACKWARD, j);
        if (t == NULL)
            continue;
        t->state = ACTIVE;
        s->running[j] = t;
    }
}

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

// ---- (d): shares ----------------------------------------------------------------------------

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

// Rule 1. Others are left alone, or given 0.
static bool hand_exclusive(const struct reference *s,
                           struct task **task,
                           int count,
                           double u,
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
static void hand_out(const struct reference *s,
                     struct task **task,
                     int count,
                     double u,
                     bool zero_others)
{
    if (hand_exclusive(s, task, count, u, zero_others) || hand_weighted(s, task, count, u))
        return;
    for (int k = 0; k < count; k++)
        give(task[k], u / count);
}

// The tasks of stage j whose kind's bit is in `kinds`, into s->members.
static int select_kinds(const struct reference *s, int32_t j, unsigned kinds)
{
    int count = 0;
    for (int k = 0; k < s->transfers[j].count; k++)
        if (kinds >> s->transfers[j].task[k]->kind & 1u)
            s->members[count++] = s->transfers[j].task[k];
    return count;
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

// ---- (d): receiver congestion ---------------------------------------------------------------

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

// Step 1 at receiver r; whether it changed anything.
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
        for (int32_t r = 1; r < gpus - 1; r++)
            if (limit_receiver(s, r))
                changed = true;
        if (!changed) // then step 2 would hand out what it handed out before
            return;
        for (int32_t j = 0; j < gpus; j++)
            hand_out_rest(s, j);
    }
}

static void set_rates(struct reference *s)
{
    const struct contention_point *p = s->p;
    for (int32_t j = 0; j < p->gpus; j++) {
        list_transfers(s, j);
        share_stage(s, j);
    }
    if (p->congestion && p->channels == CONTENTION_SHARED && p->gpus > 2)
        congest(s);
    for (int32_t j = 0; j < p->gpus; j++) {
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

// ---- time -----------------------------------------------------------------------------------

static double finish_in(const struct task *t)
{
    return t->rate > RATE_MIN ? t->left / t->rate : HUGE_VAL;
}

static double next_step(const struct reference *s)
{
    double step = HUGE_VAL;
    for (int32_t j = 0; j < s->p->gpus; j++) {
        if (s->running[j] != NULL)
            step = fmin(step, finish_in(s->running[j]));
        for (int k = 0; k < s->transfers[j].count; k++)
            step = fmin(step, finish_in(s->transfers[j].task[k]));
    }
    return step;
}

static void advance_time(struct reference *s, double step)
{
    double y = step - s->lost;
    double t = s->time + y;
    s->lost = (t - s->time) - y;
    s->time = t;
}

static void progress(struct reference *s,
                     struct task *t,
                     double start,
                     double step,
                     const struct contention_sink *sink)
{
    t->left -= t->rate * step;
    if (sink == NULL || t->rate <= 0 || s->time <= start)
        return;
    sink->piece(sink->self,
                &(struct contention_piece){
                    .kind = t->kind,
                    .micro_batch = t->i,
                    .ordinal = t->kind == CONTENTION_GRAD_SYNC ? t->i / s->p->sync_freq : t->i,
                    .gpu = t->j,
                    .start = start,
                    .end = s->time,
                    .rate = t->rate,
                    .throttled = is_transfer(t) && t->throttled,
                });
}

static bool receives(const struct reference *s, int32_t j)
{
    return (j > 0 && select_kinds(s, j - 1, 1u << CONTENTION_FWD_PROP) > 0) ||
           (j < s->p->gpus - 1 && select_kinds(s, j + 1, 1u << CONTENTION_GRAD_PROP) > 0);
}

static void step_stage(struct reference *s,
                       int32_t j,
                       double start,
                       double step,
                       const struct contention_sink *sink)
{
    const struct list *active = &s->transfers[j];
    for (int k = 0; k < active->count; k++) {
        s->port += active->task[k]->share * step;
        progress(s, active->task[k], start, step, sink);
    }
    if (s->running[j] != NULL) {
        s->busy += step;
        progress(s, s->running[j], start, step, sink);
    } else if (receives(s, j)) {
        s->exposed += step;
    }
}

// ---- the whole ------------------------------------------------------------------------------

static double eps_work(const struct contention_point *p)
{
    int e;
    double longest = fmax(fmax(p->fwd_len, p->bwd_len), fmax(p->prop_len, p->sync_base_len));
    frexp(longest, &e);
    return ldexp(1e-9, e - 1);
}

static void make_tasks(struct reference *s)
{
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int32_t j = 0; j < s->p->gpus; j++)
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

static int64_t count_throttled(const struct reference *s)
{
    int64_t count = 0;
    for (size_t k = 0; k < n_tasks(s); k++)
        count += s->tasks[k].ever_throttled;
    return count;
}

static void summarise(const struct reference *s, struct contention_result *result)
{
    static const double ports[] =
        {[CONTENTION_SHARED] = 1, [CONTENTION_DUPLEX] = 2, [CONTENTION_IDEAL] = 3};
    const struct contention_point *p = s->p;
    double area = p->gpus * s->time;
    result->total_time = s->time;
    result->bubble_ratio = 1 - s->busy / area;
    result->compute_slowdown = s->busy / ((double)p->gpus * p->n * (p->fwd_len + p->bwd_len));
    result->port_utilization = s->port / (ports[p->channels] * area);
    result->exposed_comm = s->exposed / area;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        result->latency[k] =
            s->latency_count[k] > 0 ? s->latency[k] / (double)s->latency_count[k] : 0;
    result->throttled_tasks = count_throttled(s);
}

static enum contention_status simulate(struct reference *s,
                                       const struct contention_sink *sink,
                                       struct contention_result *result)
{
    make_tasks(s);
    for (;;) {
        finish_and_ready(s, result);
        if (s->left == 0)
            break;
        pick_compute(s);
        set_rates(s);
        double step = next_step(s), start = s->time;
        if (!isfinite(step))
            return CONTENTION_STUCK;
        advance_time(s, step);
        for (int32_t j = 0; j < s->p->gpus; j++)
            step_stage(s, j, start, step, sink);
        result->n_events++;
    }
    summarise(s, result);
    return CONTENTION_DONE;
}

// Room for the lists of every stage; false: no memory.
static bool allocate(struct reference *s)
{
    size_t gpus = (size_t)s->p->gpus, n = (size_t)s->p->n;
    s->tasks = calloc(N_KINDS * gpus * n, sizeof *s->tasks);
    s->transfers = calloc(gpus, sizeof *s->transfers);
    s->running = calloc(gpus, sizeof *s->running);
    s->in_flight = calloc(gpus, sizeof *s->in_flight);
    s->members = calloc(3 * n, sizeof *s->members);
    struct task **room = calloc(3 * n * gpus, sizeof *room);
    if (!(s->tasks && s->transfers && s->running && s->in_flight && s->members && room)) {
        free(room);
        return false;
    }
    for (size_t j = 0; j < gpus; j++)
        s->transfers[j].task = room + j * 3 * n;
    return true;
}

static void release(struct reference *s)
{
    if (s->transfers != NULL)
        free(s->transfers[0].task);
    free(s->tasks);
    free(s->transfers);
    free(s->running);
    free(s->in_flight);
    free(s->members);
}

enum contention_status contention_reference(const struct contention_point *point,
                                            bool want_metrics,
                                            const struct contention_sink *sink,
                                            struct contention_result *result)
{
    struct reference s = {.p = point};
    *result = (struct contention_result){0};
    s.eps_work = eps_work(point);
    enum contention_status status =
        allocate(&s) ? simulate(&s, sink, result) : CONTENTION_STUCK;
    release(&s);
    if (status == CONTENTION_DONE && want_metrics) {
        struct contention_point ideal = *point;
        struct contention_result other;
        ideal.channels = CONTENTION_IDEAL;
        status = contention_reference(&ideal, false, NULL, &other);
        result->ideal_time = other.total_time;
    }
    return status;
}
