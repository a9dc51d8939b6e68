// SPDX-License-Identifier: Apache-2.0
// Finds the period of a point and skips whole periods.
#include "kernels/contention/model/anchors.h"
#include "kernels/contention/model/shares.h"

#include <string.h>

#define PACE_TOLERANCE 1e-10 // of a unit of length, between the times that two periods take
#define MARK_TOLERANCE 1e-8  // between marks, a stage
#define ROUNDING       2e-14 // smaller differences are not significant

enum {
    STEADY_STREAK = 32, // anchors of a streak in which differences must not grow
    LONG_STREAK = 32,   // anchors in a row that must equal anchors a long period before
    LONG_STAGES = 64,   // anchors of the smallest window that allows a search for a long period
    LONG_SEARCH = 16,   // anchors from search to search for a long period; marks in a row
};

static int32_t at_least(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t at_most(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t contention_steady_streak(int32_t period, int32_t step, bool erred, int32_t m)
{
    const int32_t micro_batches = 3 + at_most(m / 48, 29);
    int32_t looks = (micro_batches + step - 1) / step;
    if (step > 4) {
        const int32_t most = at_least(6, at_most(16, 128 / step));
        looks = at_least(looks, at_least(4, at_most(m / (8 * step), most)));
    }
    if (erred)
        looks = at_least(looks, 32);
    return at_least(looks, period);
}

bool contention_steady_grows(double first, double last)
{
    return last > 4 * fmax(first, ROUNDING);
}

// ---- anchors --------------------------------------------------------------------------------

static struct steady_anchor *anchor_at(struct sim *s, uint64_t k)
{
    return &s->steady.window[k % s->steady.n_window];
}

static struct steady_time *time_at(struct sim *s, uint64_t k)
{
    return &s->steady.time[k % STEADY_MARKS];
}

// Returns the address of the mark of anchor k; the marks of the STEADY_MARKS - 1 anchors before
// are in front of it.
static const double *mark_at(const struct sim *s, uint64_t k)
{
    return &s->steady.mark[k % STEADY_MARKS + STEADY_MARKS];
}

static void take_mark(struct sim *s, uint64_t k)
{
    const double mark = contention_anchor_mark(s);
    s->steady.mark[k % STEADY_MARKS] = s->steady.mark[k % STEADY_MARKS + STEADY_MARKS] = mark;
    *time_at(s, k) = (struct steady_time){.epoch = s->epoch, .now = s->now};
}

// Returns the time of the period that ended at anchor k.
static double period_time(struct sim *s, uint64_t k, int32_t period)
{
    const struct steady_time *old = time_at(s, k - (uint64_t)period), *new = time_at(s, k);
    return (new->epoch - old->epoch) + (new->now - old->now);
}

// Returns the time of the period that ended at anchor k minus the time of the period that ended
// an anchor before, in units. The times may differ although both periods go from equal states
// to equal states: if differences grow before they vanish again, rounding affects the events in
// between.
static double lag(struct sim *s, uint64_t k, int32_t period)
{
    return fabs(period_time(s, k, period) - period_time(s, k - 1, period)) * s->per_unit;
}

static bool near_mark(const struct sim *s, uint64_t k, int32_t period)
{
    const double *mark = mark_at(s, k);
    return fabs(mark[0] - mark[-period]) <= MARK_TOLERANCE * s->p->gpus;
}

// Returns the least period from `from` to end - 1 after which the mark of anchor k is near;
// `end`: no period.
static int32_t next_near(const struct sim *s, uint64_t k, int32_t from, int32_t end)
{
    const double *mark = mark_at(s, k);
    const double tolerance = MARK_TOLERANCE * s->p->gpus;
    for (; from + 8 <= end; from += 8) {
        int near = 0;
        for (int32_t i = 0; i < 8; i++)
            near |= fabs(mark[0] - mark[-from - i]) <= tolerance;
        if (near)
            break;
    }
    while (from < end && !(fabs(mark[0] - mark[-from]) <= tolerance))
        from++;
    return from;
}

// ---- periods within the window --------------------------------------------------------------

// Returns whether anchor k equals the anchor a period before; records the difference.
static bool repeats(struct sim *s, uint64_t k, int32_t period)
{
    if (!near_mark(s, k, period))
        return false;
    const struct steady_anchor *old = anchor_at(s, k - (uint64_t)period);
    time_at(s, k)->differs = contention_anchors_differ(s, old, anchor_at(s, k), period);
    return time_at(s, k)->differs < HUGE_VAL;
}

static int32_t find_period(struct sim *s, uint64_t k)
{
    const uint64_t known = k - s->steady.first + 1;
    const int32_t end =
        known < s->steady.n_window ? (int32_t)known : (int32_t)s->steady.n_window;
    for (int32_t period = next_near(s, k, 1, end); period < end;
         period = next_near(s, k, period + 1, end))
        if (repeats(s, k, period))
            return period;
    return 0;
}

// Updates the period and its streak to anchor k.
static void look_for_period(struct sim *s, uint64_t k)
{
    struct steady *steady = &s->steady;
    contention_take_anchor(s, anchor_at(s, k));
    const bool goes_on = steady->streak > 0 && repeats(s, k, steady->period);
    const double more = goes_on ? lag(s, k, steady->period) : 0;
    if (goes_on && more <= PACE_TOLERANCE) {
        steady->streak++;
        time_at(s, k)->differs = fmax(time_at(s, k)->differs, more);
    } else {
        steady->erred |= goes_on;
        steady->period = find_period(s, k);
        steady->streak = steady->period > 0;
    }
}

static double most_different(struct sim *s, uint64_t first, uint64_t last)
{
    double most = 0;
    for (uint64_t k = first; k <= last; k++)
        most = fmax(most, time_at(s, k)->differs);
    return most;
}

// Returns whether the streak up to anchor k shows that the point leaves the period again.
static bool leaves_period(struct sim *s, uint64_t k)
{
    const uint64_t anchors = (uint64_t)at_most(s->steady.streak, STEADY_STREAK);
    const uint64_t middle = k - anchors / 2;
    return contention_steady_grows(most_different(s, k + 1 - anchors, middle),
                                   most_different(s, middle + 1, k));
}

// ---- longer periods -------------------------------------------------------------------------

// The marks show a period that is longer than the window. Then the last anchors of the window
// are kept for one period and compared with the anchors of that time; in between, all marks and
// times must repeat.

static bool marks_repeat(const struct sim *s, uint64_t k, int32_t period)
{
    bool repeat = true;
    for (uint64_t i = 0; i < LONG_SEARCH && repeat; i++)
        repeat = near_mark(s, k - i, period);
    return repeat;
}

// Keeps the window if marks repeat with a period that is longer than the window, but not with a
// shorter period.
static void look_for_long_period(struct sim *s, uint64_t k)
{
    struct steady *steady = &s->steady;
    if (k % LONG_SEARCH != 0 || steady->n_window < LONG_STAGES ||
        k < steady->first + LONG_STREAK || k < steady->search + steady->n_window + LONG_SEARCH)
        return;
    const uint64_t known = k - steady->search - LONG_SEARCH;
    const int32_t most = STEADY_MARKS - LONG_SEARCH;
    const int32_t end = known < (uint64_t)most ? (int32_t)known : most;
    int32_t period = next_near(s, k, 1, end);
    while (period < end && !marks_repeat(s, k, period))
        period = next_near(s, k, period + 1, end);
    if (period == end || (uint64_t)period < steady->n_window)
        return;
    steady->following = true;
    steady->period = period;
    steady->held = k;
    steady->pace = period_time(s, k, period);
}

static void follow_long_period(struct sim *s, uint64_t k)
{
    struct steady *steady = &s->steady;
    const uint64_t old = k - (uint64_t)steady->period;
    const double more = period_time(s, k, steady->period) - steady->pace;
    bool same = near_mark(s, k, steady->period) && fabs(more) * s->per_unit <= PACE_TOLERANCE;
    if (same && old + LONG_STREAK > steady->held) {
        struct steady_anchor *now = anchor_at(s, steady->held + 1);
        contention_take_anchor(s, now);
        same = contention_anchors_differ(s, anchor_at(s, old), now, steady->period) < HUGE_VAL;
    }
    if (!same) {
        steady->following = false;
        steady->first = k + 1;
    }
}

// ---- the jump -------------------------------------------------------------------------------

static void move_targets(struct sim *s, int32_t ahead)
{
    const size_t size = (size_t)s->ring + 1;
    memcpy(s->steady.moved, s->target, size * sizeof *s->target);
    for (uint32_t i = 0; i <= s->ring; i++)
        s->target[(i + (uint32_t)ahead) & s->ring] = s->steady.moved[i];
}

static void move_stage(struct sim *s, int32_t j, int32_t ahead)
{
    struct stage *st = &s->stages[j];
    for (int c = 0; c < 2; c++) {
        st->done[c] += ahead;
        st->sent[c] += ahead;
    }
    if (j > 0)
        st->in[FWD] += ahead;
    if (j < s->p->gpus - 1)
        st->in[GRAD] += ahead;
    st->next_sync += ahead;
    st->sync_at += ahead;
}

// Adds `more` work (in units) to the synchronisations of a stage that has enough of them.
static void move_backlog(struct sim *s, int32_t j, double more)
{
    struct stage *st = &s->stages[j];
    touch(s, j);
    advance(s, st);
    st->changed = true;
    const double total = st->rem[SYNC] + more / s->per_unit;
    const int32_t whole = (int32_t)(total / s->sync_work);
    st->rem[SYNC] = total - whole * s->sync_work;
    st->sync_pending += whole;
    st->sync_at -= whole * s->p->sync_freq;
}

// Moves the point ahead by `times` periods like the period between two anchors; the second
// anchor is now. Returns whether synchronisations pile up.
static bool jump(struct sim *s, const struct steady_anchor *old,
                 const struct steady_anchor *new, int32_t times)
{
    const int32_t ahead = times * (new->base - old->base);
    bool piled = false;
    for (int32_t j = 0; j < s->p->gpus; j++) {
        const struct steady_sync *a = &old->sync[j], *b = &new->sync[j];
        move_stage(s, j, ahead);
        if (contention_same_syncs(a, b))
            continue;
        move_backlog(s, j,
                     times * fmax(0, contention_backlog(s, b) - contention_backlog(s, a)));
        piled = true;
    }
    move_targets(s, ahead);
    s->epoch += times * ((new->epoch - old->epoch) + (new->now - old->now));
    return piled;
}

// ---- the end --------------------------------------------------------------------------------

// Returns the time until the synchronisations of a stage end: they have the whole port; with
// ideal channels both kinds run at full rate.
static double drain_time(const struct sim *s, struct stage *st)
{
    const double step = s->now - st->since;
    double sync = 0, left = 0;
    if (slot_active(st, SYNC))
        sync = st->rem[SYNC] - st->rate[SYNC] * step + st->sync_pending * s->sync_work;
    if (slot_active(st, LEFT))
        left = st->rem[LEFT] - st->rate[LEFT] * step;
    return s->p->channels == CONTENTION_IDEAL ? fmax(sync, left) : sync + left;
}

// Ends a point whose compute is done: every stage has at most synchronisations left.
static void drain(struct sim *s)
{
    double longest = 0;
    for (int32_t j = 0; j < s->p->gpus; j++) {
        struct stage *st = &s->stages[j];
        longest = fmax(longest, drain_time(s, st));
        st->rem[SYNC] = st->rem[LEFT] = HUGE_VAL;
        st->sync_pending = 0;
    }
    s->now += longest;
}

// ---- looking --------------------------------------------------------------------------------

// Returns whether the point has enough forwards to fill the pipeline, repeat, and empty it;
// only then is a search for a period worthwhile.
static bool long_enough(const struct contention_point *p)
{
    return p->pipeline == CONTENTION_1F1B && p->n >= 2 * p->gpus + 120;
}

void contention_steady_start(struct sim *s)
{
    s->steady.next = long_enough(s->p) ? s->p->sync_freq : INT32_MAX;
}

// Returns whether the point may jump over the `left` forwards; *old and *new: the anchors
// around the period that repeats.
static bool is_proven(struct sim *s, uint64_t k, int32_t left, const struct steady_anchor **old,
                      const struct steady_anchor **new)
{
    const struct steady *steady = &s->steady;
    if (steady->following) {
        *old = anchor_at(s, steady->held);
        *new = anchor_at(s, steady->held + 1);
        return k == steady->held + (uint64_t)steady->period;
    }
    *old = anchor_at(s, k - (uint64_t)steady->period);
    *new = anchor_at(s, k);
    return steady->streak > 0 &&
           steady->streak >=
               contention_steady_streak(steady->period, s->p->sync_freq, steady->erred, left) &&
           !leaves_period(s, k);
}

// Pauses the search, for longer as it goes on: without a period it only costs time.
static void pause_search(struct sim *s, uint64_t k)
{
    struct steady *steady = &s->steady;
    const uint64_t anchors = k - steady->search;
    if (steady->following || anchors < STEADY_PATIENCE ||
        (steady->streak > 0 && anchors < 2 * STEADY_PATIENCE))
        return;
    const int32_t next = 2 * s->stages[0].done[GRAD];
    steady->next = next < s->p->n ? next : INT32_MAX;
    steady->search = steady->first = k + 1;
    steady->streak = 0;
}

static void look_at_anchor(struct sim *s)
{
    struct steady *steady = &s->steady;
    const struct steady_anchor *old, *new;
    const uint64_t k = steady->n_anchors++;
    steady->next = s->stages[0].done[GRAD] + s->p->sync_freq;
    take_mark(s, k);
    if (steady->following)
        follow_long_period(s, k);
    else
        look_for_period(s, k);
    // Stage 0 must have a ready forward during the whole jump, as in the period that repeats.
    const int32_t left = s->p->n - 2 - s->stages[0].done[FWD];
    const int32_t length = steady->period * s->p->sync_freq;
    if (left < 1 || (steady->following && left < length)) {
        steady->next = INT32_MAX;
    } else if (left >= length && is_proven(s, k, left, &old, &new)) {
        const bool piled = jump(s, old, new, left / length);
        steady->next = piled ? s->p->n : INT32_MAX;
    } else {
        if (steady->streak == 0 && !steady->following)
            look_for_long_period(s, k);
        pause_search(s, k);
    }
}

bool contention_steady_look(struct sim *s)
{
    if (s->stages[0].done[GRAD] == s->p->n) {
        drain(s);
        return true;
    }
    look_at_anchor(s);
    return false;
}
