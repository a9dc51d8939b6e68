// SPDX-License-Identifier: Apache-2.0
// Evaluates batches: recalls known points and simulates alone the points that lanes cannot
// simulate; then simulates all other points together in lanes.
#include "kernels/contention/batch.h"

#include "kernels/contention/model/state.h"

#include <string.h>

#define SHORT_BATCH 20000 // micro-batches times stages: about 10 ms

size_t contention_batch_scratch_bytes(const struct contention_point *largest)
{
    const size_t alone = contention_scratch_bytes(largest);
    const size_t lanes = contention_lanes_room_bytes(largest->gpus);
    return alone > lanes ? alone : lanes;
}

// The state of a call.
struct work {
    struct contention_batch *batch;
    const struct contention_point *points;
    struct contention_outcome *outcomes;
    struct contention_wish wish;
    bool exact;
    void *scratch;
    const atomic_bool *stop;
    struct sim constants; // of the present point; other fields are not set
    double simulated;     // micro-batches times stages of the points so far: an upper bound
    size_t n_jobs;
    uint64_t job_gpus; // bit gpus - 1: there are jobs with this number of stages
};

#define NO_JOB UINT32_MAX

// Returns which metrics are watched while events go by.
static unsigned watched(const struct work *w)
{
    return w->wish.metrics & CONTENTION_WATCHED;
}

// Sets the results of a simulation without metrics. total_time never depends on metrics, which
// have been measured before.
static void set_time(const struct work *w, size_t i, double total_time, int64_t n_events)
{
    struct contention_result *result = &w->outcomes[i].result;
    result->total_time = total_time;
    result->n_events = n_events;
    if (w->wish.metrics & CONTENTION_PARTS)
        contention_fit_parts(&result->critical, total_time);
    if (w->wish.metrics & CONTENTION_PORT)
        result->port_utilization = contention_port_utilization(&w->points[i], total_time);
}

// Measures the metrics of a point by a simulation of its own.
static void measure_alone(struct work *w, size_t i)
{
    struct contention_outcome *o = &w->outcomes[i];
    const struct contention_result before = o->result;
    if (watched(w))
        o->status = contention_simulate_watched(&w->points[i], w->scratch, w->stop, &o->result);
    o->result.sensitivity = before.sensitivity;
    memcpy(o->result.slope, before.slope, sizeof before.slope);
}

static void simulate_alone(struct work *w, size_t i)
{
    struct contention_outcome *o = &w->outcomes[i];
    struct contention_result plain;
    o->status =
        contention_simulate(&w->points[i], false, w->exact, w->scratch, w->stop, &plain);
    set_time(w, i, plain.total_time, plain.n_events);
}

static void measure_and_simulate_alone(struct work *w, size_t i)
{
    measure_alone(w, i);
    if (w->outcomes[i].status == CONTENTION_DONE)
        simulate_alone(w, i);
}

static void add_sensitivity(struct work *w, size_t i)
{
    struct contention_outcome *o = &w->outcomes[i];
    o->status = contention_sensitivity(&w->points[i], w->exact, w->scratch, w->stop,
                                       &o->result.sensitivity);
}

static void add_slopes(struct work *w, size_t i)
{
    struct contention_outcome *o = &w->outcomes[i];
    if (o->status == CONTENTION_DONE)
        o->status = contention_slopes(&w->points[i], w->scratch, w->stop, o->result.slope);
}

static void know(const struct work *w, struct contention_memo_place *place,
                 const struct contention_result *result, double unit)
{
    place->state = MEMO_KNOWN;
    contention_copy_result(&place->result, result, 1 / unit, w->wish.metrics);
}

// Returns whether lanes measure the metrics of a point.
static bool is_watched_in_lanes(const struct work *w, const struct contention_lane_point *lane)
{
    return watched(w) && lane->gpus <= LANE_GPUS_FEW;
}

// Makes point i the next job. The point of the job has been written before.
static void add_job(struct work *w, size_t i, double unit, struct contention_memo_place *place)
{
    struct contention_batch *b = w->batch;
    const uint32_t job = (uint32_t)w->n_jobs++;
    w->job_gpus |= UINT64_C(1) << (b->job[job].point.gpus - 1);
    b->job[job].watch = is_watched_in_lanes(w, &b->job[job].point) ? watched(w) : 0;
    b->unit[job] = unit;
    b->point_of[job] = (uint32_t)i;
    b->job_of[i] = job;
    b->awaits[job] = place;
    if (place != NULL) {
        place->state = MEMO_AWAITED;
        place->job = job;
    }
}

// Returns whether the stop flag is up and the batch has run for more than a few milliseconds. A
// shorter batch is finished.
static bool is_stopped(const struct work *w)
{
    return w->simulated > SHORT_BATCH && w->stop != NULL &&
           atomic_load_explicit(w->stop, memory_order_relaxed);
}

// Prepares the outcome of a point. The fields of metrics stay undefined if they are not wanted.
static void start_outcome(const struct work *w, struct contention_outcome *o)
{
    if (w->wish.metrics)
        o->result = (struct contention_result){0};
    o->result.total_time = 0;
    o->result.n_events = 0;
    o->result.sensitivity = 0;
    memset(o->result.slope, 0, sizeof o->result.slope);
    o->recalled = false;
    o->status = is_stopped(w) ? CONTENTION_STOPPED : CONTENTION_DONE;
}

// Recalls the point, adds the point to the jobs, or simulates the point.
static void take_point(struct work *w, size_t i)
{
    const struct contention_point *p = &w->points[i];
    struct contention_outcome *o = &w->outcomes[i];
    struct contention_memo_place *place = NULL;
    struct sim *s = &w->constants;
    s->p = p;
    contention_constants(s, p);
    const double unit = 1 / s->per_unit;
    w->batch->job_of[i] = NO_JOB;
    start_outcome(w, o);
    if (o->status == CONTENTION_STOPPED)
        return;
    w->simulated += (double)p->n * p->gpus;
    if (!w->exact) {
        struct contention_key key;
        contention_key(s, (int)w->wish.metrics * 4 + w->wish.slopes * 2 + w->wish.sensitivity,
                       &key);
        place = contention_memo_find(&w->batch->memo, &key);
        o->recalled = place->state != MEMO_EMPTY;
    }
    if (o->recalled && place->state == MEMO_AWAITED) {
        w->batch->job_of[i] = place->job;
        return;
    }
    if (o->recalled) {
        contention_copy_result(&o->result, &place->result, unit, w->wish.metrics);
        return;
    }
    if (w->wish.sensitivity)
        add_sensitivity(w, i);
    if (w->wish.slopes)
        add_slopes(w, i);
    struct contention_lane_point *lane = &w->batch->job[w->n_jobs].point;
    const bool fit = contention_lanes_fit(s, w->exact, lane);
    if (o->status == CONTENTION_DONE && fit && !is_watched_in_lanes(w, lane))
        measure_alone(w, i);
    if (o->status == CONTENTION_DONE && fit) {
        add_job(w, i, unit, place);
        return;
    }
    if (o->status == CONTENTION_DONE)
        measure_and_simulate_alone(w, i);
    if (place != NULL && o->status == CONTENTION_DONE)
        know(w, place, &o->result, unit);
}

// ---- lanes ----------------------------------------------------------------------------------

// Runs the jobs with this number of stages; false: stopped.
static bool run_lanes_of(struct work *w, int32_t gpus)
{
    struct contention_lane_job *jobs[BATCH_POINTS];
    size_t n = 0;
    for (size_t k = 0; k < w->n_jobs; k++)
        if (w->batch->job[k].point.gpus == gpus)
            jobs[n++] = &w->batch->job[k];
    return n == 0 || contention_lanes_of(w->batch->set, gpus)(jobs, n, w->scratch, w->stop);
}

// Returns whether a point exceeds its limit. Lanes do not check the limit themselves: the
// number of events that they simulate is bounded.
static bool is_beyond(const struct contention_point *p, int64_t n_events)
{
    return p->most_events > 0 && n_events > p->most_events;
}

// Sets the results of a job that lanes have simulated.
static void set_job(const struct work *w, const struct contention_lane_job *job, size_t i)
{
    struct contention_result *result = &w->outcomes[i].result;
    result->total_time = job->total_time;
    if (job->watch != 0)
        contention_summarise(&w->points[i], &job->watched, result);
    set_time(w, i, job->total_time, job->n_events);
}

static void end_job(struct work *w, uint32_t job, bool stopped)
{
    struct contention_batch *b = w->batch;
    struct contention_memo_place *place = b->awaits[job];
    struct contention_outcome *o = &w->outcomes[b->point_of[job]];
    if (stopped)
        o->status = CONTENTION_STOPPED;
    else if (b->job[job].status == LANE_LEFT && b->job[job].watch != 0)
        measure_and_simulate_alone(w, b->point_of[job]);
    else if (b->job[job].status == LANE_LEFT)
        simulate_alone(w, b->point_of[job]);
    else if (is_beyond(&w->points[b->point_of[job]], b->job[job].n_events))
        o->status = CONTENTION_LIMITED;
    else
        set_job(w, &b->job[job], b->point_of[job]);
    if (place == NULL || place->state != MEMO_AWAITED || place->job != job)
        return; // the place now belongs to another key
    place->state = MEMO_EMPTY;
    if (o->status == CONTENTION_DONE)
        know(w, place, &o->result, b->unit[job]);
}

// Copies the outcome of a job that has ended to a point that is equal to its point.
static void copy_outcome(struct work *w, size_t i)
{
    const struct contention_batch *b = w->batch;
    const uint32_t job = b->job_of[i];
    struct contention_outcome *o = &w->outcomes[i];
    if (job == NO_JOB || b->point_of[job] == i)
        return;
    const struct contention_outcome *same = &w->outcomes[b->point_of[job]];
    o->status = same->status;
    o->recalled = true;
    contention_copy_result(&o->result, &same->result,
                           contention_unit(&w->points[i]) / b->unit[job], w->wish.metrics);
}

// Simulates the points and what is wanted of them, but for the time with ideal channels.
static void simulate_all(struct work *w, size_t n)
{
    bool going = true;
    for (size_t i = 0; i < n; i++)
        take_point(w, i);
    for (; w->job_gpus != 0 && going; w->job_gpus &= w->job_gpus - 1)
        going = run_lanes_of(w, __builtin_ctzll(w->job_gpus) + 1);
    for (uint32_t job = 0; job < w->n_jobs; job++)
        end_job(w, job, !going);
    for (size_t i = 0; i < n; i++)
        copy_outcome(w, i);
}

// Sets the time with ideal channels, which is that of other points: many points have the same.
static void add_ideal_times(const struct work *w, size_t n)
{
    struct contention_point ideal[BATCH_POINTS];
    struct contention_outcome outcomes[BATCH_POINTS];
    memcpy(ideal, w->points, n * sizeof *ideal);
    for (size_t i = 0; i < n; i++)
        ideal[i].channels = CONTENTION_IDEAL;
    contention_simulate_batch(w->batch, ideal, n, (struct contention_wish){0}, w->exact,
                              w->scratch, w->stop, outcomes);
    for (size_t i = 0; i < n; i++) {
        w->outcomes[i].result.ideal_time = outcomes[i].result.total_time;
        if (w->outcomes[i].status == CONTENTION_DONE)
            w->outcomes[i].status = outcomes[i].status;
    }
}

void contention_simulate_batch(struct contention_batch *batch,
                               const struct contention_point *points, size_t n,
                               struct contention_wish wish, bool exact, void *scratch,
                               const atomic_bool *stop, struct contention_outcome *outcomes)
{
    struct work w = {.batch = batch,
                     .points = points,
                     .outcomes = outcomes,
                     .wish = wish,
                     .exact = exact,
                     .scratch = scratch,
                     .stop = stop};
    w.wish.metrics &= ~(unsigned)CONTENTION_IDEAL_TIME;
    simulate_all(&w, n);
    if (wish.metrics & CONTENTION_IDEAL_TIME)
        add_ideal_times(&w, n);
    for (size_t i = 0; i < n && wish.slopes; i++)
        for (int k = CONTENTION_N_LENGTHS; k < CONTENTION_N_SLOPES; k++)
            outcomes[i].result.slope[k] *= contention_unit(&points[i]);
}
