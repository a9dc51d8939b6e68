// SPDX-License-Identifier: Apache-2.0
// Skips whole periods of a simulation, one lane at a time. Part of instance.c, after the steps.
//
// A lane contains no absolute values except the time and `to_come`; of `to_come` it only
// matters whether it exceeds `gpus`. So if the rest of the state equals the state some
// micro-batches before, these micro-batches repeat for as long as forwards are left, and the
// lane can skip as many whole periods as fit. States are equal if they differ by at most 1e-12
// units of length. If a point does not amplify differences, its result is then off by at most
// that per skipped period, 1e-12 of the result; the number of consecutive looks that must agree
// first is defined in steady.h. Kinds that have not met before a jump cannot meet within the
// skipped periods, so points that share a lane may jump together.
//
// Piles of synchronisations count as equal as long as no pile runs out: one synchronisation is
// active all the time, and its number affects nothing else. A jump makes the piles longer. When
// all compute is done, only piles are left, each with its own port, and they end immediately.
//
// A lane looks for a period when stage 0 has done a number of backwards that is a multiple of a
// stride. The looks start again when kinds first meet, which is where points separate. So the
// result of the search depends only on the point, not on the points that shared its lane.
#include "kernels/contention/model/steady.h"

#define LOOK_TOLERANCE 1e-3  // of eps_work, between work left in states that count as equal
#define LOOK_UNIT      1e-12 // LOOK_TOLERANCE in units of length
#define PACE_TOLERANCE 1e2   // of LOOK_UNIT, between the times that two periods take

enum {
    LOOK_STRIDE = 4,     // least micro-batches from look to look
    LOOK_LEAST_N = 24,   // micro-batches of the shortest point that looks for a period
    LOOK_PATIENCE = 384, // looks without a period after which a long point leaves
};

// A long point looks for a period even if it may not jump: it then leaves at the same place,
// and both cases simulate the same steps up to the jump.
static bool looks_for_period(const struct contention_lane_point *p)
{
    return p->jumps ? p->n >= LOOK_LEAST_N : p->n > contention_lanes_n_whole(p->gpus);
}

// Returns the `to_come` at the look after a look at `to_come`. The last look is at 0, when all
// compute is done; there is no look before it if no period fits in the remaining micro-batches.
static double next_look(const struct lane_history *h, double to_come, int gpus)
{
    const double next = to_come - h->stride;
    return next - gpus >= 3 * h->stride ? next : 0;
}

static void forget_looks(struct lane_history *h)
{
    h->n_looks = h->streak = 0;
    h->erred = false;
}

// Returns the `to_come` at the next look of a lane that begins, or continues from a snapshot;
// negative: no look.
static double start_history(struct lane_history *h, const struct contention_lane_point *p,
                            double to_come)
{
    const int32_t freq = (int32_t)p->sync_freq;
    const int32_t ended = (int32_t)(p->n - to_come);
    if (!looks_for_period(p) || to_come <= 0)
        return -1;
    h->stride = (LOOK_STRIDE + freq - 1) / freq * freq;
    forget_looks(h);
    return next_look(h, to_come + ended % h->stride, p->gpus);
}

// ---- equal states ---------------------------------------------------------------------------

// The quantities that equal states must agree in.
struct measure {
    const struct contention_lane_point *point;
    double tolerance;
    double differs; // the largest difference between quantities that count as equal
};

static bool same_work(struct measure *of, double a, double b)
{
    if (a == b)
        return true;
    of->differs = fmax(of->differs, fabs(a - b));
    return fabs(a - b) <= of->tolerance;
}

static bool same_class(struct measure *of, const struct look_stage *old,
                       const struct look_stage *new, int c)
{
    if (old->count[c] != new->count[c] || old->ready[c] != new->ready[c] ||
        !same_work(of, old->left[c], new->left[c]))
        return false;
    return old->count[c] < 2 || same_work(of, old->tail[c], new->tail[c]);
}

// Compares the n tasks of a class.
static bool same_gaps(struct measure *of, const lane_look *old, const lane_look *new, int j,
                      int c, int32_t n)
{
    bool same = true;
    for (int k = 1; k < n && same; k++)
        same = same_work(of, look_gap(old, j, c, k), look_gap(new, j, c, k));
    return same;
}

// Returns the work left of the synchronisations of a stage.
static double backlog(const struct measure *of, const struct look_stage *st)
{
    return st->left[SYNC] + st->pending * of->point->sync_work;
}

// Returns whether more synchronisations wait than can end in this number of micro-batches.
static bool piles_up(const struct measure *of, const struct look_stage *old,
                     const struct look_stage *new, int32_t length)
{
    const double least = fmin(old->pending, new->pending);
    const double grown = backlog(of, new) - backlog(of, old);
    return least * of->point->sync_freq > length && grown >= -of->tolerance;
}

static bool same_syncs(struct measure *of, const struct look_stage *old,
                       const struct look_stage *new)
{
    return old->pending == new->pending &&same_work(of, old->left[SYNC], new->left[SYNC]);
}

static bool same_stage(struct measure *of, const struct look_stage *old,
                       const struct look_stage *new, int32_t length)
{
    return old->forward == new->forward &&
           old->until_sync ==
               new->until_sync &&same_work(of, old->left[COMPUTE], new->left[COMPUTE]) &&
           same_class(of, old, new, FWD) && same_class(of, old, new, GRAD) &&
           (same_syncs(of, old, new) || piles_up(of, old, new, length));
}

static bool same_looks(struct measure *of, const lane_look *old, const lane_look *new,
                       int32_t length)
{
    bool same = true;
    for (int j = 0; j < of->point->gpus && same; j++) {
        struct look_stage was, is;
        look_at_stage(old, of->point, j, &was);
        look_at_stage(new, of->point, j, &is);
        same = same_stage(of, &was, &is, length);
        for (int c = 0; c < 2; c++)
            same = same && same_gaps(of, old, new, j, c, is.count[c]);
    }
    return same;
}

// ---- periods --------------------------------------------------------------------------------

// The looks of a lane.
struct looks {
    struct lane_history *h;
    struct lane_room *room;
    int lane, gpus;
};

static lane_look *look_before(const struct looks *l, int32_t by)
{
    return look_at(l->room, l->gpus, l->lane, (l->h->n_looks - 1 - by) % LANE_LOOKS);
}

// Returns whether the last look equals the look a period before; records the difference.
static bool repeats(struct measure *of, const struct looks *l, int32_t period)
{
    of->differs = 0;
    const bool same =
        same_looks(of, look_before(l, period), look_before(l, 0), period * l->h->stride);
    l->h->differs[(l->h->n_looks - 1) % LANE_LOOKS] = of->differs;
    return same;
}

// Returns the time of the period up to the last look minus the time of the period up to the
// look before, as in steady.c.
static double lag(const struct looks *l, int32_t period)
{
    const double last = time_between(look_before(l, period), look_before(l, 0));
    return fabs(last - time_between(look_before(l, period + 1), look_before(l, 1)));
}

// Returns the periods, one bit each, after which the marks are near the mark of the last look.
static uint64_t likely_periods(const struct measure *of, const struct lane_history *h)
{
    const int32_t last = (h->n_looks - 1) % LANE_LOOKS;
    const int32_t known = h->n_looks < LANE_LOOKS ? h->n_looks : LANE_LOOKS;
    uint64_t near = 0, likely = 0;
    for (int32_t k = 0; k < known; k++)
        near |= (uint64_t)(fabs(h->mark[k] - h->mark[last]) <= 16 * of->tolerance) << k;
    for (near ^= UINT64_C(1) << last; near != 0; near &= near - 1)
        likely |= UINT64_C(1) << (last - __builtin_ctzll(near) + LANE_LOOKS) % LANE_LOOKS;
    return likely & ~(UINT64_C(1) << (LANE_LOOKS - 1)); // so that a look before `lag` exists
}

// Updates the period and the streak to the last look.
static void find_period(struct measure *of, const struct looks *l)
{
    struct lane_history *const h = l->h;
    double *const differs = &h->differs[(h->n_looks - 1) % LANE_LOOKS];
    uint64_t likely = likely_periods(of, h);
    const bool goes_on = h->streak > 0 && likely >> h->period & 1 && repeats(of, l, h->period);
    const double more = goes_on ? lag(l, h->period) : 0;
    if (goes_on && more <= PACE_TOLERANCE * of->tolerance) {
        h->streak++;
        *differs = fmax(*differs, more);
        return;
    }
    h->erred = h->erred || goes_on;
    h->streak = 0;
    for (; likely != 0 && h->streak == 0; likely &= likely - 1) {
        h->period = __builtin_ctzll(likely);
        h->streak = repeats(of, l, h->period);
    }
}

// Returns the greatest difference of `n` looks; the last of them is `by` looks before the
// newest.
static double most_different(const struct lane_history *h, int32_t by, int32_t n)
{
    double most = 0;
    for (int32_t k = 0; k < n; k++)
        most = fmax(most, h->differs[(h->n_looks - 1 - by - k) % LANE_LOOKS]);
    return most;
}

// Returns whether the streak shows that the point leaves the period again.
static bool leaves_period(const struct measure *of, const struct lane_history *h)
{
    const int32_t looks = h->streak < LANE_LOOKS / 2 ? h->streak : LANE_LOOKS / 2;
    const double unit = of->tolerance / LOOK_UNIT;
    return contention_steady_grows(most_different(h, looks / 2, looks - looks / 2) / unit,
                                   most_different(h, 0, looks / 2) / unit);
}

// Returns whether the point may jump over the forwards that are left.
static bool is_proven(const struct measure *of, const struct lane_history *h,
                      double to_hand_out)
{
    return h->streak > 0 && to_hand_out >= h->period * h->stride &&
           h->streak >=
               contention_steady_streak(h->period, h->stride, h->erred, (int32_t)to_hand_out) &&
           !leaves_period(of, h);
}

// ---- the jump -------------------------------------------------------------------------------

// Adds synchronisations to the pile of a stage.
static void grow_pile(const struct measure *of, struct lane_state *s, int lane, int j,
                      double more)
{
    struct look_stage is;
    take_stage(s, lane, j, &is);
    const double total = is.left[SYNC] + fmax(more, 0);
    double whole = (double)(int64_t)(total / of->point->sync_work);
    if (whole > 0 && total - whole * of->point->sync_work <= of->tolerance)
        whole--;
    set_syncs(s, lane, j, total - whole * of->point->sync_work, is.pending + whole);
}

static void jump(struct measure *of, struct lane_state *s, const struct looks *l,
                 double to_hand_out)
{
    const lane_look *old = look_before(l, l->h->period), *new = look_before(l, 0);
    const double length = l->h->period * l->h->stride;
    const double times = (double)(int64_t)(to_hand_out / length);
    skip_time(s, l->lane, old, new, times);
    skip_backwards(s, l->lane, times * length);
    for (int j = 0; j < of->point->gpus; j++) {
        struct look_stage was, is;
        look_at_stage(old, of->point, j, &was);
        look_at_stage(new, of->point, j, &is);
        if (!same_syncs(of, &was, &is))
            grow_pile(of, s, l->lane, j, times * (backlog(of, &is) - backlog(of, &was)));
    }
}

// Joins the synchronisations of a stage to one when all compute is done.
static void join_piles(struct lane_state *s, int lane, int gpus)
{
    for (int j = 0; j < gpus; j++) {
        struct look_stage is;
        take_stage(s, lane, j, &is);
        set_syncs(s, lane, j, is.left[SYNC] + is.pending * get(&s->at.sync_work, lane), 0);
    }
}

// ---- looking --------------------------------------------------------------------------------

// Returns whether a long point leaves the lanes: after half of its micro-batches at the latest.
static bool gives_up(const struct lane_history *h, double n, double to_come, int gpus)
{
    return n > contention_lanes_n_whole(gpus) && h->streak == 0 &&
           (h->n_looks >= LOOK_PATIENCE || 2 * to_come <= n);
}

// Looks at a lane, which may jump. Returns the `to_come` at the next look.
static double look(struct lane_state *s, int lane, int gpus, struct lane_room *room)
{
    struct lane_history *const h = &room->history[lane];
    const struct looks l = {.h = h, .room = room, .lane = lane, .gpus = gpus};
    const struct contention_lane_point *point = s->at.point[lane];
    struct measure of = {.point = point, .tolerance = LOOK_TOLERANCE * point->eps_work};
    const double to_come = get(&s->to_come, lane);
    if (to_come <= 0) {
        join_piles(s, lane, gpus);
        return -1;
    }
    h->n_looks++;
    h->mark[(h->n_looks - 1) % LANE_LOOKS] = note_look(s, lane, gpus, look_before(&l, 0));
    find_period(&of, &l);
    // No stage may have ended its last backward, which starts the leftover synchronisation.
    const double to_hand_out = to_come - gpus - (point->left_work > 0);
    const bool proven = is_proven(&of, h, to_hand_out);
    if (proven && !point->jumps)
        return -1;
    if (proven)
        jump(&of, s, &l, to_hand_out);
    else if (gives_up(h, point->n, to_come, gpus))
        mask_set(&s->leaves, lane, true);
    return next_look(h, get(&s->to_come, lane), gpus);
}
