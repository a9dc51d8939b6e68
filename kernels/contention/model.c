// SPDX-License-Identifier: Apache-2.0
// The fast path of the contention model: events in order of time, each touching only the
// stages at which something changes.
#include "model.h"
#include "shares.h"
#include "state.h"

#define POLL_EVENTS 4096 // events between two looks at the stop flag: under a millisecond

// What an event loop tells besides the completion time; always a constant at the call.
enum observe {
    PLAIN,
    METRICS,
    TRACE,
};

// ---- what a finished task sets free: (a) and (b) --------------------------------------------

ALWAYS_INLINE void count_latency(struct sim *s, int kind, double ready)
{
    s->latency[kind] += clock_time(s) - ready;
}

// Input for a forward (c = FWD) or backward has come to stage j.
ALWAYS_INLINE void receive(struct sim *s, int32_t j, int c)
{
    s->stages[j].in[c]++;
    if (s->stages[j].computing == 0)
        touch(s, j);
}

// The forward or backward i of stage j has something to send, to stage j + 1 or j - 1.
ALWAYS_INLINE void send(struct sim *s,
                        struct stage *st,
                        int32_t j,
                        int32_t i,
                        int c,
                        enum observe observe)
{
    int32_t to = c == FWD ? j + 1 : j - 1;
    if (to < 0 || to >= s->p->gpus) {
        st->sent[c]++;
        return;
    }
    if (s->instant_prop) {
        st->sent[c]++;
        receive(s, to, c);
        return;
    }
    if (class_count(st, c) == 1) {
        st->rem[c] = s->p->prop_len;
        st->served[c] = 0;
    } else {
        s->target[(uint32_t)i & s->ring] = s->p->prop_len + st->served[c];
    }
    if (observe == METRICS)
        s->ready[(uint32_t)i & s->ring] = clock_time(s);
    st->port_changed = true;
}

// Starts the next regular synchronisation of the stage that is due, if none is active.
ALWAYS_INLINE void start_sync(struct sim *s, struct stage *st, int32_t j, enum observe observe)
{
    if (st->sync_pending == 0 || slot_active(st, SYNC))
        return;
    if (s->instant_sync) { // then none is ever active
        st->sync_pending = 0;
        return;
    }
    st->sync_pending--;
    st->sync_at += s->p->sync_freq;
    st->rem[SYNC] = s->sync_work;
    st->port_changed = true;
    if (observe == METRICS)
        s->metrics[j].ready[0] = clock_time(s);
}

ALWAYS_INLINE void synchronise(struct sim *s,
                               struct stage *st,
                               int32_t j,
                               int32_t i,
                               enum observe observe)
{
    if (i + 1 == st->next_sync) {
        st->next_sync += s->p->sync_freq;
        st->sync_pending++;
        start_sync(s, st, j, observe);
    } else if (i == s->p->n - 1 && !s->instant_left) {
        st->rem[LEFT] = s->left_work;
        st->port_changed = true;
        if (observe == METRICS)
            s->metrics[j].ready[1] = clock_time(s);
    }
}

ALWAYS_INLINE void finish_compute(struct sim *s,
                                  struct stage *st,
                                  int32_t j,
                                  enum observe observe)
{
    int c = st->computing - 1;
    int32_t i = st->done[c]++;
    if (observe == TRACE)
        contention_tracer_finish(s, j, COMPUTE, i);
    st->computing = 0;
    st->rem[COMPUTE] = HUGE_VAL;
    if (observe == METRICS) {
        s->busy += clock_time(s) - s->metrics[j].started;
        if (st->done[FWD] - st->done[GRAD] > s->peak_in_flight)
            s->peak_in_flight = st->done[FWD] - st->done[GRAD];
    }
    if (c == FWD && i == s->p->n - 1 && j == s->p->gpus - 1)
        st->in[GRAD] = s->p->n; // what gpipe's backwards wait for
    send(s, st, j, i, c, observe);
    if (c == GRAD)
        synchronise(s, st, j, i, observe);
}

// A class that never empties would let `served` grow without limit, and lose digits.
static void restart_served(struct sim *s, struct stage *st, int c)
{
    for (int32_t i = st->sent[c] + 1; i < st->done[c]; i++)
        s->target[(uint32_t)i & s->ring] -= st->served[c];
    st->served[c] = 0;
}

// The head of class c has finished.
ALWAYS_INLINE void finish_transfer(struct sim *s,
                                   struct stage *st,
                                   int32_t j,
                                   int c,
                                   enum observe observe)
{
    int32_t i = st->sent[c]++;
    if (observe == METRICS)
        count_latency(s, c, s->ready[(uint32_t)i & s->ring]);
    if (observe == TRACE)
        contention_tracer_finish(s, j, (enum slot)c, i);
    if (class_count(st, c) > 0)
        st->rem[c] = s->target[(uint32_t)(i + 1) & s->ring] - st->served[c];
    else
        st->rem[c] = HUGE_VAL;
    if (st->served[c] > 256 * s->p->prop_len)
        restart_served(s, st, c);
    st->port_changed = true;
    receive(s, c == FWD ? j + 1 : j - 1, c);
}

ALWAYS_INLINE void finish_sync(struct sim *s,
                               struct stage *st,
                               int32_t j,
                               enum slot slot,
                               enum observe observe)
{
    if (observe == METRICS)
        count_latency(s, CONTENTION_GRAD_SYNC, s->metrics[j].ready[slot - SYNC]);
    if (observe == TRACE)
        contention_tracer_finish(s, j, slot, slot == SYNC ? st->sync_at : s->p->n - 1);
    st->rem[slot] = HUGE_VAL;
    st->port_changed = true;
    if (slot == SYNC)
        start_sync(s, st, j, observe);
}

// Finishes the tasks of the stage with no more than eps_work left; whether there was any.
// Transfers go first: those that the compute task sets free have their whole work to do.
ALWAYS_INLINE bool finish_tasks(struct sim *s,
                                struct stage *st,
                                int32_t j,
                                enum observe observe)
{
    const double eps = s->eps_work;
    bool any = false;
    for (int c = 0; c < 2; c++)
        for (; st->rem[c] <= eps; any = true)
            finish_transfer(s, st, j, c, observe);
    if (st->rem[LEFT] <= eps) {
        finish_sync(s, st, j, LEFT, observe);
        any = true;
    }
    if (st->rem[SYNC] <= eps) {
        finish_sync(s, st, j, SYNC, observe);
        any = true;
    }
    if (st->rem[COMPUTE] <= eps) {
        finish_compute(s, st, j, observe);
        any = true;
    }
    return any;
}

// The task that ends now by the clock has more than eps_work left: the clock is too coarse for
// it. It has ended all the same.
static void end_first(struct stage *st)
{
    int first = 0;
    double least = HUGE_VAL;
    for (int k = 0; k <= COMPUTE; k++)
        if (st->rem[k] < HUGE_VAL && st->rate[k] > RATE_MIN &&
            st->rem[k] / st->rate[k] < least) {
            first = k;
            least = st->rem[k] / st->rate[k];
        }
    st->rem[first] = 0;
}

ALWAYS_INLINE void finish_stage(struct sim *s, int32_t j, enum observe observe)
{
    struct stage *st = &s->stages[j];
    advance(s, st);
    touch(s, j);
    st->changed = true;
    if (!finish_tasks(s, st, j, observe) && s->times[0][j].finish <= s->now) {
        end_first(st);
        finish_tasks(s, st, j, observe);
    }
}

// ---- (c) and (d) ----------------------------------------------------------------------------

ALWAYS_INLINE int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// A free stage takes a ready forward, or else a ready backward.
ALWAYS_INLINE void pick_compute(struct sim *s,
                                struct stage *st,
                                int32_t j,
                                enum observe observe)
{
    int c;
    if (st->computing != 0)
        return;
    if (st->done[FWD] < least(st->in[FWD], st->done[GRAD] + st->window))
        c = FWD;
    else if (st->done[GRAD] < least(st->in[GRAD], st->done[FWD]))
        c = GRAD;
    else
        return;
    if (!st->changed)
        advance(s, st);
    st->changed = true;
    st->computing = (uint8_t)(c + 1);
    st->rem[COMPUTE] = s->compute_len[c];
    if (observe == METRICS)
        s->metrics[j].started = clock_time(s);
}

ALWAYS_INLINE double lesser(double a, double b)
{
    return a < b ? a : b;
}

ALWAYS_INLINE struct times earlier(struct times a, struct times b)
{
    return (struct times){lesser(a.finish, b.finish), lesser(a.early, b.early)};
}

// The least of a block of FAN places.
ALWAYS_INLINE struct times earliest(const struct times *block)
{
    return earlier(earlier(block[0], block[1]), earlier(block[2], block[3]));
}

// Puts down the times of a stage whose rates are set.
ALWAYS_INLINE void set_times(struct sim *s, struct stage *st, int32_t j)
{
    struct times at[N_SLOTS];
    st->rate[COMPUTE] = 1 - (st->rate[SYNC] + st->rate[LEFT]) * s->impact[st->computing];
    for (int k = 0; k < N_SLOTS; k++) {
        bool runs = st->rate[k] > RATE_MIN;
        double time = 1 / st->rate[k];
        at[k].finish = runs ? st->rem[k] * time : HUGE_VAL;
        at[k].early = runs ? (st->rem[k] - s->eps_work) * time : HUGE_VAL;
    }
    struct times first = earlier(earliest(at), at[COMPUTE]);
    s->times[0][j] = (struct times){s->now + first.finish, s->now + first.early};
    for (int l = 1; l < s->n_levels; l++) {
        j /= FAN;
        s->times[l][j] = earliest(&s->times[l - 1][FAN * j]);
    }
}

// Stage j waits for something that is on its way.
static bool exposed(const struct sim *s, int32_t j)
{
    const struct stage *st = &s->stages[j];
    return st->computing == 0 && ((j > 0 && class_count(st - 1, FWD) > 0) ||
                                  (j < s->p->gpus - 1 && class_count(st + 1, GRAD) > 0));
}

static void watch_exposed(struct sim *s, int32_t j)
{
    if (j < 0 || j >= s->p->gpus)
        return;
    struct stage_metrics *m = &s->metrics[j];
    bool now = exposed(s, j);
    if (now && !m->exposed)
        m->exposed_since = clock_time(s);
    if (!now && m->exposed)
        s->exposed += clock_time(s) - m->exposed_since;
    m->exposed = now;
}

ALWAYS_INLINE void settle_stage(struct sim *s, int32_t j, enum observe observe)
{
    struct stage *st = &s->stages[j];
    st->touched = false;
    if (!st->changed)
        return;
    set_times(s, st, j);
    st->changed = st->port_changed = false;
    if (observe == TRACE)
        contention_tracer_rates(s, j);
    if (observe == METRICS)
        for (int32_t k = j - 1; k <= j + 1; k++)
            watch_exposed(s, k);
}

// Whether a receiver next to stage j, or two from it, gets anything from both sides.
ALWAYS_INLINE bool may_congest(const struct sim *s, int32_t j)
{
    const struct stage *st = &s->stages[j];
    return (j >= 2 && class_count(st, GRAD) > 0 && class_count(st - 2, FWD) > 0) ||
           (j + 2 < s->p->gpus && class_count(st, FWD) > 0 && class_count(st + 2, GRAD) > 0);
}

// Everything at the touched stages that holds until the next event.
ALWAYS_INLINE void settle(struct sim *s, enum observe observe)
{
    bool congested = s->n_regions > 0;
    for (int32_t k = 0; k < s->n_touched; k++) {
        int32_t j = s->touched[k];
        struct stage *st = &s->stages[j];
        pick_compute(s, st, j, observe);
        if (!st->port_changed)
            continue;
        share_port(s, st);
        congested |= may_congest(s, j);
    }
    if (s->congestion && congested)
        contention_congest(s);
    for (int32_t k = 0; k < s->n_touched; k++)
        settle_stage(s, s->touched[k], observe);
    s->n_touched = 0;
}

// ---- time -----------------------------------------------------------------------------------

// Bit k: something of place k of the block ends now.
ALWAYS_INLINE unsigned due_places(const struct times *block, double now)
{
    unsigned due = block[0].early <= now ? 1 : 0;
    due |= block[1].early <= now ? 2 : 0;
    due |= block[2].early <= now ? 4 : 0;
    due |= block[3].early <= now ? 8 : 0;
    return due;
}

// Lists the stages under a block of a level that have something to finish now.
static void list_due(struct sim *s, int level, int32_t block)
{
    unsigned due = due_places(&s->times[level][FAN * block], s->now);
    for (; due != 0; due &= due - 1) {
        int32_t place = FAN * block + __builtin_ctz(due);
        if (level > 0)
            list_due(s, level - 1, place);
        else
            s->due[s->n_due++] = place;
    }
}

// The same where there is but one block: guessed branches are faster than bits that the next
// step waits for, since few stages repeat a pattern that the processor learns.
ALWAYS_INLINE void list_due_of_few(struct sim *s)
{
    for (int32_t k = 0; k < FAN; k++)
        if (s->times[0][k].early <= s->now)
            s->due[s->n_due++] = k;
}

// Moves the origin of all times to a whole number of spans before now. Times of the future stay
// exact; those of the past, too, as far as they matter.
static void restart_clock(struct sim *s)
{
    double shift = floor(s->now / s->span) * s->span;
    s->epoch += shift;
    s->now -= shift;
    int32_t places = s->p->gpus;
    for (int l = 0; l < s->n_levels; l++) {
        places = (places + FAN - 1) / FAN;
        for (int32_t k = 0; k < FAN * places; k++) {
            s->times[l][k].finish -= shift;
            s->times[l][k].early -= shift;
        }
    }
    for (int32_t j = 0; j < s->p->gpus; j++)
        s->stages[j].since -= shift;
}

// Moves the clock to the next event and finishes what ends there; false: there is none.
ALWAYS_INLINE bool next_event(struct sim *s, enum observe observe)
{
    double next = earliest(s->times[s->n_levels - 1]).finish;
    if (next == HUGE_VAL)
        return false;
    s->now = next;
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

// ---- the whole ------------------------------------------------------------------------------

static bool all_done(const struct sim *s)
{
    for (int32_t j = 0; j < s->p->gpus; j++) {
        const struct stage *st = &s->stages[j];
        if (st->done[GRAD] < s->p->n || kinds_present(st) != 0)
            return false;
    }
    return true;
}

ALWAYS_INLINE enum contention_status run(struct sim *s,
                                         const atomic_bool *stop,
                                         int64_t *n_events,
                                         enum observe observe)
{
    int64_t events = 0;
    touch(s, 0);
    for (;;) {
        settle(s, observe);
        if (observe == PLAIN && s->stages[0].done[GRAD] >= s->steady.next) {
            if (contention_steady_look(s))
                break;
            settle(s, observe);
        }
        if (!next_event(s, observe))
            break;
        // An event of a trace may end a piece on every GPU: it costs as much as thousands.
        if ((++events % POLL_EVENTS == 0 || observe == TRACE) && stop != NULL &&
            atomic_load_explicit(stop, memory_order_relaxed))
            return CONTENTION_STOPPED;
    }
    *n_events = events;
    return all_done(s) ? CONTENTION_DONE : CONTENTION_STUCK;
}

static enum contention_status run_plain(const struct contention_point *point,
                                        bool exact,
                                        void *scratch,
                                        const atomic_bool *stop,
                                        struct contention_result *result)
{
    struct sim s;
    contention_setup(&s, point, scratch);
    if (exact)
        s.steady.next = INT32_MAX;
    enum contention_status status = run(&s, stop, &result->n_events, PLAIN);
    result->total_time = clock_time(&s);
    return status;
}

// Number of synchronisations of a stage.
static double sync_count(const struct contention_point *p)
{
    return (double)((p->n - 1) / p->sync_freq + 1);
}

// All transfers' work over the time of all ports: a task's shares add up to its work.
static double port_utilization(const struct contention_point *p, double total_time)
{
    static const double ports[] =
        {[CONTENTION_SHARED] = 1, [CONTENTION_DUPLEX] = 2, [CONTENTION_IDEAL] = 3};
    double work =
        2 * (p->gpus - 1.0) * p->n * p->prop_len + (double)p->gpus * p->n * p->sync_base_len;
    return work / (ports[p->channels] * p->gpus * total_time);
}

static void summarise(const struct sim *s, struct contention_result *result)
{
    const struct contention_point *p = s->p;
    double area = p->gpus * result->total_time;
    double props = (p->gpus - 1.0) * p->n;
    double counts[CONTENTION_N_SHARING] = {props, props, p->gpus * sync_count(p)};
    result->bubble_ratio = 1 - s->busy / area;
    result->compute_slowdown = s->busy / ((double)p->gpus * p->n * (p->fwd_len + p->bwd_len));
    result->port_utilization = port_utilization(p, result->total_time);
    result->exposed_comm = s->exposed / area;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        result->latency[k] = counts[k] > 0 ? s->latency[k] / counts[k] : 0;
    result->throttled_tasks = s->throttled_tasks;
    result->peak_in_flight = s->peak_in_flight;
}

static enum contention_status run_metrics(const struct contention_point *point,
                                          bool exact,
                                          void *scratch,
                                          const atomic_bool *stop,
                                          struct contention_result *result)
{
    struct sim s;
    struct contention_point ideal = *point;
    struct contention_result other = {0};
    contention_setup(&s, point, scratch);
    enum contention_status status = run(&s, stop, &result->n_events, METRICS);
    result->total_time = clock_time(&s);
    summarise(&s, result);
    if (status != CONTENTION_DONE)
        return status;
    ideal.channels = CONTENTION_IDEAL;
    status = run_plain(&ideal, exact, scratch, stop, &other);
    result->ideal_time = other.total_time;
    return status;
}

enum contention_status contention_simulate(const struct contention_point *point,
                                           bool want_metrics,
                                           bool exact,
                                           void *scratch,
                                           const atomic_bool *stop,
                                           struct contention_result *result)
{
    *result = (struct contention_result){0};
    return want_metrics ? run_metrics(point, exact, scratch, stop, result)
                        : run_plain(point, exact, scratch, stop, result);
}

enum contention_status contention_trace(const struct contention_point *point,
                                        void *scratch,
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
