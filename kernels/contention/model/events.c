// SPDX-License-Identifier: Apache-2.0
// Simulates a point on the fast path of the contention model: events in order of time, each
// touching only the stages at which something changes.
#include "kernels/contention/model/at_event.h"
#include "kernels/contention/model/between_events.h"
#include "kernels/contention/model/gpipe.h"
#include "kernels/contention/model/model.h"

#include <string.h>

// Returns the number of events between two polls of the stop flag: a few milliseconds at most,
// since an event may touch all stages. A shorter point is finished.
static int64_t poll_events(int32_t gpus)
{
    return gpus <= 8 ? 4096 : 32768 / gpus;
}

// Moves the clock to the next event and finishes the tasks that end there; false: no event is
// left.
ALWAYS_INLINE bool next_event(struct sim *s, enum observe observe)
{
    double next = earliest(s->times[s->n_levels - 1]).finish;
    if (next == HUGE_VAL)
        return false;
    s->now = next;
    if (observe == SLOPES)
        contention_slopes_clock(s);
    s->n_due = 0;
    if (s->n_levels == 1)
        list_due_of_few(s);
    else
        list_due(s, s->n_levels - 1, 0);
    for (int32_t k = 0; k < s->n_due; k++)
        finish_stage(s, s->due[k], observe);
    if (s->now >= s->span)
        restart_clock(s);
    return true;
}

static bool all_done(const struct sim *s)
{
    for (int32_t j = 0; j < s->p->gpus; j++) {
        const struct stage *st = &s->stages[j];
        if (st->done[GRAD] < s->p->n || kinds_present(st) != 0)
            return false;
    }
    return true;
}

// Returns the number of the event at which to check the stop flag and the limit again.
ALWAYS_INLINE int64_t next_look(int64_t events, int64_t poll, int64_t most)
{
    return events + poll <= most ? events + poll : most + 1;
}

ALWAYS_INLINE enum contention_status run(struct sim *s, const atomic_bool *stop,
                                         int64_t *n_events, enum observe observe)
{
    // An event of a trace may end a piece on every GPU: it costs as much as thousands.
    const int64_t poll = observe == TRACE ? 1 : poll_events(s->p->gpus);
    const int64_t most = s->p->most_events > 0 ? s->p->most_events : INT64_MAX;
    int64_t events = 0, next_poll = next_look(0, poll, most);
    touch(s, 0);
    for (;;) {
        update_stages(s, observe);
        if (observe == PLAIN && s->stages[0].done[GRAD] >= s->steady.next) {
            if (contention_steady_look(s))
                break;
            update_stages(s, observe);
        }
        if (!next_event(s, observe))
            break;
        if (++events < next_poll)
            continue;
        if (events > most)
            return CONTENTION_LIMITED;
        next_poll = next_look(events, poll, most);
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return CONTENTION_STOPPED;
    }
    *n_events = events;
    return all_done(s) ? CONTENTION_DONE : CONTENTION_STUCK;
}

static enum contention_status run_plain(const struct contention_point *point, bool exact,
                                        void *scratch, const atomic_bool *stop,
                                        struct contention_result *result)
{
    struct sim s;
    contention_setup(&s, point, scratch);
    if (contention_is_gpipe(&s))
        return contention_run_gpipe(&s, stop, result);
    if (exact)
        s.steady.next = INT32_MAX;
    enum contention_status status = run(&s, stop, &result->n_events, PLAIN);
    result->total_time = clock_time(&s);
    return status;
}

enum contention_status contention_simulate_watched(const struct contention_point *point,
                                                   void *scratch, const atomic_bool *stop,
                                                   struct contention_result *result)
{
    struct sim s;
    *result = (struct contention_result){0};
    contention_setup(&s, point, scratch);
    enum contention_status status = run(&s, stop, &result->n_events, METRICS);
    result->total_time = clock_time(&s);
    summarise(&s, result);
    return status;
}

enum contention_status contention_slopes(const struct contention_point *point, void *scratch,
                                         const atomic_bool *stop,
                                         double slope[CONTENTION_N_SLOPES])
{
    struct sim s;
    int64_t n_events;
    struct contention_point scaled = *point;
    const double unit = contention_unit(point);
    for (int k = 0; k < CONTENTION_N_LENGTHS; k++)
        scaled.length[k] /= unit;
    contention_setup(&s, &scaled, scratch);
    s.slopes = s.slopes_room;
    memset(s.slopes, 0, (size_t)point->gpus * sizeof *s.slopes);
    const enum contention_status status = run(&s, stop, &n_events, SLOPES);
    memcpy(slope, s.now_slope.by, sizeof s.now_slope.by);
    return status;
}

static enum contention_status run_metrics(const struct contention_point *point, bool exact,
                                          void *scratch, const atomic_bool *stop,
                                          struct contention_result *result)
{
    struct contention_point ideal = *point;
    struct contention_result other = {0};
    enum contention_status status = contention_simulate_watched(point, scratch, stop, result);
    if (status != CONTENTION_DONE)
        return status;
    ideal.channels = CONTENTION_IDEAL;
    status = run_plain(&ideal, exact, scratch, stop, &other);
    result->ideal_time = other.total_time;
    return status;
}

enum contention_status contention_simulate(const struct contention_point *point,
                                           bool want_metrics, bool exact, void *scratch,
                                           const atomic_bool *stop,
                                           struct contention_result *result)
{
    *result = (struct contention_result){0};
    return want_metrics ? run_metrics(point, exact, scratch, stop, result)
                        : run_plain(point, exact, scratch, stop, result);
}

enum contention_status contention_trace(const struct contention_point *point, void *scratch,
                                        const atomic_bool *stop,
                                        const struct contention_sink *sink,
                                        struct contention_result *result)
{
    struct sim s;
    *result = (struct contention_result){0};
    contention_setup(&s, point, scratch);
    contention_tracer_start(&s, sink);
    enum contention_status status = run(&s, stop, &result->n_events, TRACE);
    contention_tracer_end(&s);
    result->total_time = clock_time(&s);
    return status;
}
