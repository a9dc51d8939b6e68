// SPDX-License-Identifier: Apache-2.0
// The reference: implements the definition directly, with one record per task. Every event
// examines all records.
#include "kernels/contention/model/sensitivity.h"
#include "kernels/contention/reference/state.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#define RATE_MIN   1e-9 // a slower task does not set the time of the next event
#define LARGE_PAGE ((size_t)2 << 20)

// ---- (c) ------------------------------------------------------------------------------------

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
    for (int32_t j = 0; j < s->p->gpus && !is_stopped(s); j++) {
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

// ---- time -----------------------------------------------------------------------------------

static double finish_in(const struct task *t)
{
    return t->rate > RATE_MIN ? t->left / t->rate : HUGE_VAL;
}

static double next_step(const struct reference *s)
{
    double step = HUGE_VAL;
    for (int32_t j = 0; j < s->p->gpus && !is_stopped(s); j++) {
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

static void progress(struct reference *s, struct task *t, double start, double step,
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

static void step_stage(struct reference *s, int32_t j, double start, double step,
                       const struct contention_sink *sink)
{
    const struct list *active = &s->transfers[j];
    contention_reference_watch(s, j, step);
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

// ---- metrics --------------------------------------------------------------------------------

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
    contention_reference_parts(s, &result->critical);
}

// ---- the whole ------------------------------------------------------------------------------

static double eps_work(const struct contention_point *p)
{
    int e;
    double longest = 0;
    for (int k = 0; k < CONTENTION_N_LENGTHS; k++)
        longest = fmax(longest, p->length[k]);
    frexp(longest, &e);
    return ldexp(1e-9, e - 1);
}

static enum contention_status simulate(struct reference *s, const struct contention_sink *sink,
                                       struct contention_result *result)
{
    contention_reference_make_tasks(s);
    for (;;) {
        contention_reference_finish(s, result);
        if (is_stopped(s)) // before `left` is used: it may be wrong then
            return CONTENTION_STOPPED;
        if (s->left == 0)
            break;
        if (s->p->most_events > 0 && result->n_events == s->p->most_events)
            return CONTENTION_LIMITED;
        pick_compute(s);
        contention_reference_set_rates(s);
        double step = next_step(s), start = s->time;
        if (is_stopped(s))
            return CONTENTION_STOPPED;
        if (!isfinite(step))
            return CONTENTION_STUCK;
        advance_time(s, step);
        for (int32_t j = 0; j < s->p->gpus && !is_stopped(s); j++)
            step_stage(s, j, start, step, sink);
        result->n_events++;
    }
    summarise(s, result);
    return CONTENTION_DONE;
}

// Zeroed, in large pages where the system has them: gigabytes of small ones take a stopped audit
// longer to free than a stop may take.
static void *allocate_tasks(size_t n)
{
    char *tasks = calloc(n, sizeof(struct task));
    const size_t bytes = n * sizeof(struct task);
    const size_t before = (LARGE_PAGE - (uintptr_t)tasks % LARGE_PAGE) % LARGE_PAGE;
    if (tasks != NULL && bytes >= before + LARGE_PAGE)
        (void)madvise(tasks + before, (bytes - before) / LARGE_PAGE * LARGE_PAGE,
                      MADV_HUGEPAGE);
    return tasks;
}

// Allocates the lists of every stage; false: out of memory.
static bool allocate(struct reference *s)
{
    size_t gpus = (size_t)s->p->gpus, n = (size_t)s->p->n;
    s->tasks = allocate_tasks(N_KINDS * gpus * n);
    s->transfers = calloc(gpus, sizeof *s->transfers);
    s->running = calloc(gpus, sizeof *s->running);
    s->in_flight = calloc(gpus, sizeof *s->in_flight);
    s->devices = calloc(gpus, sizeof *s->devices);
    s->members = calloc(3 * n, sizeof *s->members);
    struct task **room = calloc(3 * n * gpus, sizeof *room);
    if (!(s->tasks && s->transfers && s->running && s->in_flight && s->devices && s->members &&
          room)) {
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
    free(s->devices);
    free(s->members);
}

enum contention_status contention_reference(const struct contention_point *point,
                                            bool want_metrics,
                                            const struct contention_sink *sink,
                                            const atomic_bool *stop,
                                            struct contention_result *result)
{
    struct reference s = {.p = point, .stop = stop};
    *result = (struct contention_result){0};
    if (is_stopped(&s))
        return CONTENTION_STOPPED;
    s.eps_work = eps_work(point);
    enum contention_status status =
        allocate(&s) ? simulate(&s, sink, result) : CONTENTION_STUCK;
    release(&s);
    if (status == CONTENTION_DONE && want_metrics) {
        struct contention_point ideal = *point;
        struct contention_result other;
        ideal.channels = CONTENTION_IDEAL;
        status = contention_reference(&ideal, false, NULL, stop, &other);
        result->ideal_time = other.total_time;
    }
    return status;
}

enum contention_status contention_reference_sensitivity(const struct contention_point *point,
                                                        const atomic_bool *stop,
                                                        double *sensitivity)
{
    struct contention_result here, there;
    enum contention_status status = contention_reference(point, false, NULL, stop, &here);
    *sensitivity = 0;
    for (int trial = 0; trial < SENSITIVITY_TRIALS && status == CONTENTION_DONE; trial++) {
        const struct contention_point beside = contention_point_beside(point, trial);
        status = contention_reference(&beside, false, NULL, stop, &there);
        *sensitivity = fmax(*sensitivity, contention_change(here.total_time, there.total_time));
    }
    return status;
}
