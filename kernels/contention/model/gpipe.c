// SPDX-License-Identifier: Apache-2.0
// Simulates gpipe points stage by stage.
#include "kernels/contention/model/gpipe.h"

#include "kernels/contention/model/shares.h"

#define POLL_EVENTS 65536 // between two polls of the stop flag: about a millisecond

// A stage of a gpipe point. times[i] is when the input of micro-batch i comes; it is replaced by
// when its output arrives at the next stage.
struct gpipe {
    struct sim *s;
    double *times, *ends; // of micro-batches; ends: of the forwards of the stage
    const atomic_bool *stop;
    double end; // of the last task of any stage
    int64_t events, next_poll;
};

// Polls the stop flag, if enough events have gone by since the last poll.
static bool is_stopped(struct gpipe *g)
{
    if (g->events < g->next_poll)
        return false;
    g->next_poll = g->events + POLL_EVENTS;
    return g->stop != NULL && atomic_load_explicit(g->stop, memory_order_relaxed);
}

// ---- forwards -------------------------------------------------------------------------------

// Transfers of one class that have the port alone, one after another.
static void send_in_turn(const struct gpipe *g)
{
    double free = 0;
    for (int32_t i = 0; i < g->s->p->n; i++)
        g->times[i] = free = fmax(g->ends[i], free) + g->s->p->prop_len;
}

// Transfers of one class that have the port alone and divide it. `served` is the work that each
// active transfer has got; a transfer is over when `served` has grown by its work.
static void send_together(const struct gpipe *g)
{
    double *const target = g->s->target;
    const int32_t n = g->s->p->n;
    double now = 0, served = 0;
    int32_t head = 0;
    for (int32_t i = 0; i <= n; i++) {
        const double next = i < n ? g->ends[i] : HUGE_VAL;
        for (; head < i && now + (target[head] - served) * (i - head) <= next; head++) {
            now += (target[head] - served) * (i - head);
            served = target[head];
            g->times[head] = now;
        }
        if (i == n)
            break;
        served = head < i ? served + (next - now) / (i - head) : 0;
        target[i] = served + g->s->p->prop_len;
        now = next;
    }
}

static void run_forwards(struct gpipe *g, bool last)
{
    const struct contention_point *p = g->s->p;
    double free = 0;
    for (int32_t i = 0; i < p->n; i++)
        g->ends[i] = free = fmax(g->times[i], free) + p->fwd_len;
    g->events += p->n * (last ? 1 : 2);
    const bool at_once = last || g->s->instant_prop;
    if (!at_once && p->channels != CONTENTION_IDEAL && g->s->even[FWD] > 0) {
        send_together(g);
        return;
    }
    if (!at_once && p->channels != CONTENTION_IDEAL) {
        send_in_turn(g);
        return;
    }
    for (int32_t i = 0; i < p->n; i++)
        g->times[i] = g->ends[i] + (at_once ? 0 : p->prop_len);
}

// ---- backwards ------------------------------------------------------------------------------

// Starts the next synchronisation that is due, if none is active.
static void start_sync(const struct sim *s, struct stage *st)
{
    if (st->sync_pending == 0 || slot_active(st, SYNC))
        return;
    st->sync_pending--;
    st->sync_at += s->p->sync_freq;
    st->rem[SYNC] = s->sync_work;
    st->port_changed = true;
}

static void synchronise(const struct sim *s, struct stage *st, int32_t i)
{
    if (i + 1 == st->next_sync) {
        st->next_sync += s->p->sync_freq;
        st->sync_pending += !s->instant_sync;
        start_sync(s, st);
    } else if (i == s->p->n - 1 && !s->instant_left) {
        st->rem[LEFT] = s->left_work;
        st->port_changed = true;
    }
}

// The backward has ended: sends its gradient and starts a synchronisation that is due.
static void end_backward(struct gpipe *g, struct stage *st, bool sends)
{
    struct sim *s = g->s;
    const int32_t i = st->done[GRAD]++;
    st->computing = 0;
    st->rem[COMPUTE] = HUGE_VAL;
    if (!sends || s->instant_prop) {
        st->sent[GRAD]++;
        g->times[i] = s->now;
    } else if (class_count(st, GRAD) == 1) {
        st->rem[GRAD] = s->p->prop_len;
        st->served[GRAD] = 0;
        st->port_changed = true;
    } else {
        s->target[i] = s->p->prop_len + st->served[GRAD];
        st->port_changed = true;
    }
    synchronise(s, st, i);
}

static void end_transfer(struct gpipe *g, struct stage *st)
{
    const int32_t i = st->sent[GRAD]++;
    g->times[i] = g->s->now;
    st->rem[GRAD] =
        class_count(st, GRAD) > 0 ? g->s->target[i + 1] - st->served[GRAD] : HUGE_VAL;
    st->port_changed = true;
}

// Ends all tasks that have no more than eps_work left.
static void end_tasks(struct gpipe *g, struct stage *st, bool sends)
{
    const struct sim *s = g->s;
    while (st->rem[GRAD] <= s->eps_work)
        end_transfer(g, st);
    for (int k = SYNC; k <= LEFT; k++)
        if (st->rem[k] <= s->eps_work) {
            st->rem[k] = HUGE_VAL;
            st->port_changed = true;
        }
    start_sync(s, st);
    if (st->rem[COMPUTE] <= s->eps_work)
        end_backward(g, st, sends);
}

// Starts the next backward if its gradient has come.
static void start_backward(const struct gpipe *g, struct stage *st)
{
    if (st->computing != 0 || st->done[GRAD] == g->s->p->n ||
        g->times[st->done[GRAD]] > g->s->now)
        return;
    st->computing = 2;
    st->rem[COMPUTE] = g->s->p->bwd_len;
}

// Returns the time to the next event of the stage; HUGE_VAL: there is none.
static double next_step(const struct gpipe *g, const struct stage *st)
{
    double step = HUGE_VAL;
    if (st->computing == 0 && st->done[GRAD] < g->s->p->n)
        step = g->times[st->done[GRAD]] - g->s->now;
    for (int k = GRAD; k <= COMPUTE; k++)
        if (st->rem[k] < HUGE_VAL && st->rate[k] > RATE_MIN && st->rem[k] < step * st->rate[k])
            step = st->rem[k] / st->rate[k];
    return step;
}

static void set_rates(const struct sim *s, struct stage *st)
{
    if (st->port_changed)
        share_port(s, st);
    st->port_changed = false;
    st->rate[COMPUTE] = 1 - (st->rate[SYNC] + st->rate[LEFT]) * s->impact[2];
}

static void pass(struct sim *s, struct stage *st, double step)
{
    s->now += step;
    for (int k = GRAD; k <= COMPUTE; k++)
        st->rem[k] -= st->rate[k] * step;
    st->served[GRAD] += s->even[GRAD] * (st->rate[GRAD] * step);
}

// Simulates the backwards of a stage from the first gradient on; false: stopped.
static bool run_backwards(struct gpipe *g, struct stage *st, bool sends)
{
    struct sim *s = g->s;
    s->now = g->times[0];
    st->since = 0;
    while (!is_stopped(g)) {
        start_backward(g, st);
        set_rates(s, st);
        const double step = next_step(g, st);
        g->events++;
        if (step == HUGE_VAL) {
            g->end = fmax(g->end, s->now);
            return true;
        }
        pass(s, st, step);
        end_tasks(g, st, sends);
    }
    return false;
}

// ---- the whole ------------------------------------------------------------------------------

bool contention_is_gpipe(const struct sim *s)
{
    const struct rule *rule =
        &s->rules[KIND_BIT(CONTENTION_GRAD_PROP) | KIND_BIT(CONTENTION_GRAD_SYNC)];
    bool fast = 1 - s->impact[2] > RATE_MIN;
    for (int kind = CONTENTION_GRAD_PROP; kind <= CONTENTION_GRAD_SYNC; kind++)
        fast = fast && (rule->part[kind] <= 0 || rule->part[kind] > 2 * RATE_MIN * s->p->n);
    return fast && s->p->pipeline == CONTENTION_GPIPE && s->p->most_events == 0;
}

enum contention_status contention_run_gpipe(struct sim *s, const atomic_bool *stop,
                                            struct contention_result *result)
{
    const int32_t n = s->p->n, last = s->p->gpus - 1;
    struct gpipe g = {.s = s,
                      .times = s->ready,
                      .ends = s->steady.moved,
                      .stop = stop,
                      .next_poll = POLL_EVENTS};
    for (int32_t i = 0; i < n; i++)
        g.times[i] = 0;
    for (int32_t j = 0; j <= last; j++) {
        run_forwards(&g, j == last);
        if (is_stopped(&g))
            return CONTENTION_STOPPED;
    }
    for (int32_t i = 0; i < n; i++)
        g.times[i] = g.ends[n - 1]; // all backwards wait for the last forward
    for (int32_t j = last; j >= 0; j--)
        if (!run_backwards(&g, &s->stages[j], j > 0))
            return CONTENTION_STOPPED;
    result->total_time = g.end;
    result->n_events = g.events;
    return CONTENTION_DONE;
}
