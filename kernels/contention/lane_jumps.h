// SPDX-License-Identifier: Apache-2.0
// Jumping over what repeats, a lane at a time. Included once for each instruction set, after
// lane_steps.h.
//
// A lane holds nothing absolute but the time and `to_come`, and of the latter only whether it is
// more than `gpus` matters to what happens next. So once all the rest is what it was some
// micro-batches before, as many pass again and again in the same way for as long as there are
// forwards left to hand out, and whole periods of them can be left out: exactly as many as fit.
// Equal is what differs by no more than 1e-12 units of length. A point that does not enlarge
// differences is then off by at most that a period left out, 1e-12 of the result; how many looks
// in a row must agree first is as in steady.c. Kinds that have not met before a jump cannot
// meet within the periods left out, so points that share a lane may jump together.
//
// Synchronisations that pile up are no difference as long as none of the piles runs out: one is
// active all the time, and which one matters to nothing else. A jump lets the piles grow. When
// all compute is over, nothing is left but piles, each with a port of its own: they end at once.
//
// Looks at a lane are where stage 0 has ended backwards that are a multiple of a stride; they
// begin anew where kinds first meet, which is where points part. So what is found depends on the
// point alone, and not on the points that it was one with.
#include "steady.h"

#define LOOK_TOLERANCE 1e-3 // of eps_work, between work left in states that count as equal

enum {
    LOOK_STRIDE = 4,     // least micro-batches from look to look
    LOOK_LEAST_N = 24,   // micro-batches of a point that is looked at
    LOOK_PATIENCE = 256, // looks without a period after which a long point leaves
};

static bool looks_for_period(const struct contention_lane_point *p)
{
    return p->jumps && p->n >= LOOK_LEAST_N;
}

// The `to_come` at the look after one at `to_come`; the last look is at 0, when all compute is
// over. Before, it is no use where no period would fit in what is left.
static double next_look(const struct contention_lane_history *h, double to_come, int gpus)
{
    const double next = to_come - h->stride;
    return next - gpus >= 3 * h->stride ? next : 0;
}

static void forget_looks(struct contention_lane_history *h)
{
    h->n_looks = h->streak = 0;
}

// The `to_come` at the next look of a lane that begins, or goes on from a snapshot; negative:
// there is none.
static double start_history(struct contention_lane_history *h,
                            const struct contention_lane_point *p,
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

// ---- the state ------------------------------------------------------------------------------

// The work left of what waits behind the head of a class.
static double *put_followers(const struct lane_stage *st, int lane, int c, double *put)
{
    const int behind = tally_get(st->count[c], lane) - 1;
    if (behind < 1)
        return put;
    *put++ = get(&st->tail[c], lane);
    for (int k = 0; k < behind; k++)
        *put++ = get(&st->gap[c][k], lane);
    return put;
}

// Returns the look's mark.
static double take_look(const struct lane_state *s,
                        int lane,
                        int gpus,
                        struct contention_lane_look *look)
{
    double *put = look->work, mark = 0;
    look->now = get(&s->now, lane);
    look->carry = get(&s->carry, lane);
    look->counts = 0;
    for (int j = 0; j < gpus; j++) {
        const struct lane_stage *st = &s->stage[j];
        const double computes = get(&st->left[COMPUTE], lane);
        uint64_t counts = computes < HUGE_VAL && mask_get(st->forward, lane);
        mark += computes < HUGE_VAL ? computes * (j + 1) : 0;
        *put++ = computes;
        for (int c = 0; c < 2; c++) {
            counts = counts << 3 | (uint64_t)tally_get(st->count[c], lane);
            counts = counts << 3 | (uint64_t)tally_get(st->ready[c], lane);
            *put++ = get(&st->left[c], lane);
            put = put_followers(st, lane, c, put);
        }
        look->counts = look->counts << 13 | counts;
        look->until_sync[j] = get(&st->until_sync, lane);
        look->pending[j] = get(&st->pending, lane);
        look->sync_left[j] = get(&st->left[SYNC], lane);
    }
    look->n = (uint32_t)(put - look->work);
    return mark;
}

// ---- equal states ---------------------------------------------------------------------------

// What equality of states is about.
struct measure {
    int gpus;
    double tolerance;
    double sync_work, sync_freq;
};

static bool same_work(const struct measure *of, double a, double b)
{
    return a == b || fabs(a - b) <= of->tolerance;
}

// Work of the synchronisations of a stage.
static double backlog(const struct measure *of, const struct contention_lane_look *look, int j)
{
    return look->sync_left[j] + look->pending[j] * of->sync_work;
}

// Whether more synchronisations wait than can end in so many micro-batches.
static bool piles_up(const struct measure *of,
                     const struct contention_lane_look *old,
                     const struct contention_lane_look *new,
                     int j,
                     int32_t length)
{
    const double least = fmin(old->pending[j], new->pending[j]);
    const double grown = backlog(of, new, j) - backlog(of, old, j);
    return least * of->sync_freq > length && grown >= -of->tolerance;
}

static bool same_syncs(const struct measure *of,
                       const struct contention_lane_look *old,
                       const struct contention_lane_look *new,
                       int j)
{
    return old->pending[j] == new->pending[j] &&
           same_work(of, old->sync_left[j], new->sync_left[j]);
}

static bool same_looks(const struct measure *of,
                       const struct contention_lane_look *old,
                       const struct contention_lane_look *new,
                       int32_t length)
{
    if (old->counts != new->counts)
        return false; // else both have as many numbers
    for (uint32_t k = 0; k < old->n; k++)
        if (!same_work(of, old->work[k], new->work[k]))
            return false;
    for (int j = 0; j < of->gpus; j++)
        if (old->until_sync[j] != new->until_sync[j] ||
            !(same_syncs(of, old, new, j) || piles_up(of, old, new, j, length)))
            return false;
    return true;
}

// ---- periods --------------------------------------------------------------------------------

static struct contention_lane_look *look_before(struct contention_lane_history *h, int32_t by)
{
    return &h->look[(h->n_looks - 1 - by) % LANE_LOOKS];
}

static bool repeats(const struct measure *of, struct contention_lane_history *h, int32_t period)
{
    const double old = h->mark[(h->n_looks - 1 - period) % LANE_LOOKS];
    return fabs(old - h->mark[(h->n_looks - 1) % LANE_LOOKS]) <= 16 * of->tolerance &&
           same_looks(of, look_before(h, period), look_before(h, 0), period * h->stride);
}

// Brings the period and the streak up to the last look.
static void find_period(const struct measure *of, struct contention_lane_history *h)
{
    if (h->streak > 0 && repeats(of, h, h->period)) {
        h->streak++;
        return;
    }
    h->streak = 0;
    for (int32_t period = 1; period < LANE_LOOKS && period < h->n_looks; period++)
        if (repeats(of, h, period)) {
            h->period = period;
            h->streak = 1;
            return;
        }
}

// Whether a jump over what is left of forwards to hand out is right.
static bool is_proven(const struct measure *of,
                      const struct contention_lane_history *h,
                      double to_hand_out)
{
    const int32_t anchors = h->stride / (int32_t)of->sync_freq; // of steady.c, a look
    return h->streak > 0 && to_hand_out >= h->period * h->stride &&
           h->streak * anchors >=
               contention_steady_streak(h->period * anchors, (int32_t)to_hand_out);
}

// ---- the jump -------------------------------------------------------------------------------

static void set_syncs(struct lane_stage *st, int lane, double left, double pending)
{
    set(&st->left[SYNC], lane, left);
    set(&st->pending, lane, pending);
    mask_set(&st->has_pending, lane, pending > 0);
}

// Adds to the pile of a stage.
static void grow_pile(const struct measure *of, struct lane_stage *st, int lane, double more)
{
    const double total = get(&st->left[SYNC], lane) + fmax(more, 0);
    double whole = (double)(int64_t)(total / of->sync_work);
    if (whole > 0 && total - whole * of->sync_work <= of->tolerance)
        whole--;
    set_syncs(st, lane, total - whole * of->sync_work, get(&st->pending, lane) + whole);
}

static void jump(const struct measure *of,
                 struct lane_state *s,
                 int lane,
                 struct contention_lane_history *h,
                 double to_hand_out)
{
    const struct contention_lane_look *old = look_before(h, h->period),
                                      *new = look_before(h, 0);
    const double length = h->period * h->stride;
    const double times = (double)(int64_t)(to_hand_out / length);
    const double period = (new->now - old->now) - (new->carry - old->carry);
    const double more = times * period - new->carry, now = new->now + more;
    set(&s->now, lane, now);
    set(&s->carry, lane, (now - new->now) - more);
    set(&s->to_come, lane, get(&s->to_come, lane) - times * length);
    for (int j = 0; j < of->gpus; j++)
        if (!same_syncs(of, old, new, j))
            grow_pile(of, &s->stage[j], lane,
                      times * (backlog(of, new, j) - backlog(of, old, j)));
}

// All compute is over: of the synchronisations of a stage makes one.
static void join_piles(struct lane_state *s, int lane, int gpus)
{
    for (int j = 0; j < gpus; j++) {
        struct lane_stage *st = &s->stage[j];
        const double pending = get(&st->pending, lane) * get(&s->at.sync_work, lane);
        set_syncs(st, lane, get(&st->left[SYNC], lane) + pending, 0);
    }
}

// ---- looking --------------------------------------------------------------------------------

// Whether a long point is better off alone.
static bool gives_up(const struct contention_lane_history *h, double to_come)
{
    return to_come > LANE_N_WHOLE && h->streak == 0 && h->n_looks >= LOOK_PATIENCE;
}

// Looks at a lane; may jump. The `to_come` at the next look.
static double look(struct lane_state *s, int lane, int gpus, struct contention_lane_history *h)
{
    const struct measure of = {
        .gpus = gpus,
        .tolerance = LOOK_TOLERANCE * get(&s->at.eps_work, lane),
        .sync_work = get(&s->at.sync_work, lane),
        .sync_freq = get(&s->at.sync_freq, lane),
    };
    const double to_come = get(&s->to_come, lane);
    if (to_come <= 0) {
        join_piles(s, lane, gpus);
        return -1;
    }
    h->n_looks++;
    h->mark[(h->n_looks - 1) % LANE_LOOKS] = take_look(s, lane, gpus, look_before(h, 0));
    find_period(&of, h);
    if (is_proven(&of, h, to_come - gpus))
        jump(&of, s, lane, h, to_come - gpus);
    else if (gives_up(h, to_come))
        mask_set(&s->leaves, lane, true);
    return next_look(h, get(&s->to_come, lane), gpus);
}
