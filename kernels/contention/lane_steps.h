// SPDX-License-Identifier: Apache-2.0
// The simulation of one point a lane, each at its own event: every step takes all lanes to their
// next events. It has no branch on what a single lane does, only on whether any lane does
// something rare. Included once for each instruction set, after the vec_*.h that defines `vec`
// and `mask`. What is stored of a point, and why: model.md, Lanes.
#include "lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_STEPS 4096 // steps between two looks at the stop flag: about a millisecond
#define SUM_SLACK  1e-9 // a receiver's sum beyond 1 that is rounding, not congestion
#define LEAST_REST 1e-9 // less of a port than this is not handed out again

#define UNROLL _Pragma("GCC unroll 8")

// What a stage works on. FWD and GRAD are classes of transfers, of which the head, the earliest
// task, has its work left in `left`.
enum slot {
    FWD,
    GRAD,
    SYNC,
    COMPUTE,
    N_SLOTS,
};

struct lane_stage {
    vec left[N_SLOTS]; // work left; HUGE_VAL: no task
    mask syncs, busy;  // there is a synchronisation; something is computed
    mask forward;      // a forward is, if anything
    tally count[2];    // active tasks of a class
    tally ready[2];    // forwards, backwards that could start but for the stage
    vec tail[2];       // of two or more: work left of the last beyond that of the head
    vec gap[2][LANE_GPUS_MAX - 1]; // the same of a task beyond the one before it
    vec until_sync;                // backwards until a synchronisation is due
    vec pending;                   // due ones that wait for the one before
    mask has_pending;
};

// Sets of several kinds, whose shares are what points of a sweep differ in. All three stand for
// the others, too: congestion can take a kind out of them.
enum set {
    FWD_GRAD,
    FWD_SYNC,
    GRAD_SYNC,
    ALL_THREE,
    N_SETS,
};

// The points of the lanes.
struct constants {
    vec eps_work, prop_len, len[2], impact[2], sync_work, sync_freq;
    vec of_three[3], of_two[3][3];
    mask equal_of_three, equal_of_two[3][3];
    mask exclusive[2], congestion;
    bool any_equal;  // rule 3 may matter in some lane
    bool any_counts; // in some lane a synchronisation covers several micro-batches
};

// The work left of all stages, while steps are taken.
typedef vec lefts[LANE_GPUS_MAX][N_SLOTS];

struct lane_state {
    struct constants at;
    vec now, carry; // time, and what rounding has cost it
    vec to_come;    // backwards that stage 0 has still to end
    struct lane_stage stage[LANE_GPUS_MAX];
    mask leaves;        // lanes whose point is none for this simulation
    mask known[N_SETS]; // by set of kinds: it has been together, or it does not matter whether
    mask meets[N_SETS]; // it is together now, for the first time
    mask alone;         // lanes of one point, which has none to part from
    int64_t steps;
};

// What a step is compiled for. Classes rarely have several tasks; where all lanes are free of
// that, a step is shorter.
struct shape {
    int gpus;
    bool crowded; // else no class has several
};

// ---- how many -------------------------------------------------------------------------------

// Lanes with at least one.
VEC_INLINE mask some(tally t)
{
    return tally_over(t, 0);
}

VEC_INLINE vec as_numbers(tally t)
{
    vec n = vec_all(0);
    for (int k = 0; k < LANE_GPUS_MAX; k++)
        n = vec_pick(tally_over(t, k), vec_all(k + 1), n);
    return n;
}

// 1 / t; of none, 1.
VEC_INLINE vec reciprocal(tally t)
{
    vec r = vec_all(1);
    for (int k = 1; k < LANE_GPUS_MAX; k++)
        r = vec_pick(tally_over(t, k), vec_all(1.0 / (k + 1)), r);
    return r;
}

// Lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    return of.crowded ? tally_over(st->count[c], 1) : mask_none();
}

// ---- rules 1 to 3 ---------------------------------------------------------------------------

// The kinds that a stage can have: bit 0 fwd_prop, but not at the last stage; bit 1 grad_prop,
// but not at the first; bit 2 grad_sync. A constant wherever it is used.
VEC_INLINE unsigned kinds_of(struct shape of, int j)
{
    return (j < of.gpus - 1 ? 1u : 0) | (j > 0 ? 2u : 0) | 4u;
}

// The share of `kind` among the kinds active beside it; 0 where it is not active itself.
VEC_INLINE vec share_of(const struct constants *at,
                        unsigned kinds,
                        const mask active[3],
                        int kind)
{
    const int a = kind == 0 ? 1 : 0, b = kind == 2 ? 1 : 2; // the other two
    vec share = vec_all(1);
    if (kinds >> a & 1)
        share = vec_pick(active[a], at->of_two[kind][a], share);
    if (kinds >> b & 1) {
        vec with_b = at->of_two[kind][b];
        if (kinds >> a & 1)
            with_b = vec_pick(active[a], at->of_three[kind], with_b);
        share = vec_pick(active[b], with_b, share);
    }
    return vec_where(active[kind], share);
}

// Lanes in which all active tasks have equal shares.
VEC_INLINE mask equal_shares(const struct constants *at, const mask active[3])
{
    const mask fg = mask_and(active[0], active[1]), fs = mask_and(active[0], active[2]);
    const mask gs = mask_and(active[1], active[2]), all = mask_and(fg, active[2]);
    mask equal = mask_and(all, at->equal_of_three);
    equal = mask_or(equal, mask_and(mask_less(fg, all), at->equal_of_two[0][1]));
    equal = mask_or(equal, mask_and(mask_less(fs, all), at->equal_of_two[0][2]));
    return mask_or(equal, mask_and(mask_less(gs, all), at->equal_of_two[1][2]));
}

// Rule 3 in the lanes in which it holds. With one task a kind it needs no more than the tables.
VEC_INLINE void share_equally(const struct constants *at,
                              const struct lane_stage *st,
                              const mask active[3],
                              vec share[3])
{
    const mask equal = equal_shares(at, active);
    const vec count[3] = {vec_where(active[0], as_numbers(st->count[0])),
                          vec_where(active[1], as_numbers(st->count[1])),
                          vec_where(active[2], vec_all(1))};
    const vec total = count[0] + count[1] + count[2];
    const vec each = vec_all(1) / vec_pick(equal, total, vec_all(1));
    for (int kind = 0; kind < 3; kind++)
        share[kind] = vec_pick(equal, count[kind] * each, share[kind]);
}

// The shares of the active kinds of a stage in the whole of its port.
VEC_INLINE void share_port(struct shape of,
                           const struct constants *at,
                           const struct lane_stage *st,
                           unsigned kinds,
                           const mask active[3],
                           vec share[3])
{
    for (int kind = 0; kind < 3; kind++)
        share[kind] = kinds >> kind & 1 ? share_of(at, kinds, active, kind) : vec_all(0);
    if (at->any_equal && mask_any(mask_or(several(of, st, FWD), several(of, st, GRAD))))
        share_equally(at, st, active, share);
}

// ---- congestion -----------------------------------------------------------------------------

// A stage's port.
struct port {
    mask active[3]; // kinds that have tasks
    vec share[3];
};

// Hands out what class c of a stage leaves in the lanes in which it is held back.
VEC_INLINE void hand_out_rest(struct shape of,
                              struct lane_state *s,
                              int j,
                              struct port *port,
                              int c,
                              mask held)
{
    const struct lane_stage *st = &s->stage[j];
    const vec rest = vec_all(1) - port->share[c];
    const mask some = mask_and(held, vec_le(vec_all(LEAST_REST), rest));
    mask free[3] = {port->active[0], port->active[1], port->active[2]};
    vec share[3];
    free[c] = mask_none();
    share_port(of, &s->at, st, kinds_of(of, j) & ~(1u << c), free, share);
    for (int kind = 0; kind < 3; kind++)
        port->share[kind] =
            vec_pick(mask_and(some, free[kind]), rest * share[kind], port->share[kind]);
    // An exclusive class of several tasks gives its second task what is left; such points are
    // left to others.
    const mask second = mask_and(s->at.exclusive[c], several(of, st, c));
    s->leaves = mask_or(s->leaves, mask_and(held, second));
}

// A round for receiver r. With so few stages no sender serves two receivers, so what is handed
// out again reaches none, and one round is enough.
VEC_INLINE void congest(struct shape of, struct lane_state *s, struct port *port, int r)
{
    struct port *before = &port[r - 1], *after = &port[r + 1];
    const vec sum = before->share[FWD] + after->share[GRAD];
    const mask over = mask_and(s->at.congestion, vec_gt(sum, vec_all(1 + SUM_SLACK)));
    if (!mask_any(over))
        return;
    const vec factor = vec_all(1) / sum;
    before->share[FWD] = vec_pick(over, before->share[FWD] * factor, before->share[FWD]);
    after->share[GRAD] = vec_pick(over, after->share[GRAD] * factor, after->share[GRAD]);
    hand_out_rest(of, s, r - 1, before, FWD, over);
    hand_out_rest(of, s, r + 1, after, GRAD, over);
}

// ---- (d): rates, and the time to the next event ---------------------------------------------

VEC_INLINE void set_port(struct shape of, const struct lane_state *s, struct port *port, int j)
{
    const struct lane_stage *st = &s->stage[j];
    *port = (struct port){
        .active = {some(st->count[FWD]), some(st->count[GRAD]), st->syncs},
    };
    share_port(of, &s->at, st, kinds_of(of, j), port->active, port->share);
}

// Looks for sets of kinds that are together for the first time; lanes in which there are such.
VEC_INLINE mask meet(struct shape of, struct lane_state *s, const struct port *port)
{
    mask meets[N_SETS] = {mask_none(), mask_none(), mask_none(), mask_none()};
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        const mask *active = port[j].active;
        const mask two = mask_and(active[0], active[1]);
        if (j < of.gpus - 1)
            meets[FWD_SYNC] = mask_or(meets[FWD_SYNC], mask_and(active[0], active[2]));
        if (j > 0)
            meets[GRAD_SYNC] = mask_or(meets[GRAD_SYNC], mask_and(active[1], active[2]));
        if (j == 0 || j == of.gpus - 1)
            continue;
        meets[FWD_GRAD] = mask_or(meets[FWD_GRAD], two);
        meets[ALL_THREE] = mask_or(meets[ALL_THREE], mask_and(two, active[2]));
    }
    mask any = mask_none();
    for (int set = 0; set < N_SETS; set++)
        any = mask_or(any, mask_less(meets[set], s->known[set]));
    if (mask_any(any))
        for (int set = 0; set < N_SETS; set++)
            s->meets[set] = mask_less(meets[set], s->known[set]);
    return any;
}

// Rates of the heads and of the others.
VEC_INLINE void set_rates(struct shape of,
                          const struct lane_state *s,
                          const struct port *port,
                          int j,
                          vec rate[N_SLOTS])
{
    const struct lane_stage *st = &s->stage[j];
    for (int c = 0; c < 2; c++) {
        rate[c] = port->share[c];
        if (mask_any(several(of, st, c))) {
            const mask even = mask_less(several(of, st, c), s->at.exclusive[c]);
            rate[c] = vec_pick(even, rate[c] * reciprocal(st->count[c]), rate[c]);
        }
    }
    rate[SYNC] = port->share[2];
    const vec impact = vec_pick(st->forward, s->at.impact[FWD], s->at.impact[GRAD]);
    rate[COMPUTE] = vec_all(1) - port->share[2] * impact;
}

// Time until the first task of a stage ends: the least left / rate, found by comparing products
// with the other's rate, which are cheaper than quotients. Where a rate is 0, or a task is none,
// the quotient is HUGE_VAL, and so is what remains if all are.
VEC_INLINE vec earliest(const vec left[N_SLOTS], unsigned kinds, const vec rate[N_SLOTS])
{
    vec least = left[COMPUTE], of = rate[COMPUTE];
    for (int k = 0; k < COMPUTE; k++) {
        if (!(kinds >> k & 1))
            continue;
        const mask first = vec_gt(least * rate[k], left[k] * of);
        least = vec_pick(first, left[k], least);
        of = vec_pick(first, rate[k], of);
    }
    return least / of;
}

// The rates of all stages, and the time to the next event of each lane; DBL_MAX where there is
// none, which takes nothing from what is not there.
VEC_INLINE vec set_all_rates(struct shape of,
                             struct lane_state *s,
                             lefts left,
                             struct port port[LANE_GPUS_MAX],
                             vec rate[LANE_GPUS_MAX][N_SLOTS])
{
    vec step = vec_all(DBL_MAX);
    UNROLL for (int r = 1; r < of.gpus - 1; r++) congest(of, s, port, r);
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        set_rates(of, s, &port[j], j, rate[j]);
        step = vec_min(earliest(left[j], kinds_of(of, j), rate[j]), step);
    }
    return step;
}

// Adds up the time with compensation (Kahan).
VEC_INLINE void add_time(struct lane_state *s, vec step)
{
    const vec more = step - s->carry, now = s->now + more;
    s->carry = (now - s->now) - more;
    s->now = now;
}

VEC_INLINE void advance(vec left[N_SLOTS], unsigned kinds, const vec rate[N_SLOTS], vec step)
{
    for (int k = 0; k < N_SLOTS; k++)
        if (k == COMPUTE || kinds >> k & 1)
            left[k] -= rate[k] * step;
}

// ---- (a) and (b): what ends, and what it sets free ------------------------------------------

// In lanes `ended` the head of a class has ended, and in some others are behind it, which come
// to the fore. The lanes in which these have ended, too.
VEC_INLINE mask move_up(struct shape of,
                        struct lane_state *s,
                        struct lane_stage *st,
                        vec *left,
                        int c,
                        mask ended)
{
    const mask more = mask_and(ended, several(of, st, c));
    const vec next = vec_pick(s->at.exclusive[c], s->at.prop_len, left[c] + st->gap[c][0]);
    left[c] = vec_pick(more, next, vec_pick(ended, vec_all(HUGE_VAL), left[c]));
    st->tail[c] = vec_sub_where(more, st->tail[c], st->gap[c][0]);
    for (int k = 0; k < LANE_GPUS_MAX - 2; k++)
        st->gap[c][k] = vec_pick(more, st->gap[c][k + 1], st->gap[c][k]);
    st->count[c] = tally_take(st->count[c], ended);
    return vec_le(left[c], s->at.eps_work);
}

// The heads of class c of stage j that have ended, for stage `to`.
VEC_INLINE void end_transfers(struct shape of,
                              struct lane_state *s,
                              vec *left,
                              int j,
                              int to,
                              int c)
{
    struct lane_stage *st = &s->stage[j];
    mask ended = vec_le(left[c], s->at.eps_work);
    while (mask_any(mask_and(ended, several(of, st, c)))) {
        s->stage[to].ready[c] = tally_add(s->stage[to].ready[c], ended);
        ended = move_up(of, s, st, left, c, ended);
    }
    s->stage[to].ready[c] = tally_add(s->stage[to].ready[c], ended);
    left[c] = vec_pick(ended, vec_all(HUGE_VAL), left[c]);
    st->count[c] = tally_take_last(st->count[c], ended);
}

// In some lanes transfers of class c begin behind others.
VEC_INLINE void line_up(struct shape of,
                        struct lane_state *s,
                        struct lane_stage *st,
                        vec *left,
                        int c,
                        mask behind)
{
    const vec tail = s->at.prop_len - left[c];
    const vec before = vec_where(several(of, st, c), st->tail[c]);
    for (int k = 0; k < LANE_GPUS_MAX - 1; k++) {
        const mask here =
            mask_less(tally_over(st->count[c], k), tally_over(st->count[c], k + 1));
        st->gap[c][k] = vec_pick(mask_and(behind, here), tail - before, st->gap[c][k]);
    }
    st->tail[c] = vec_pick(behind, tail, st->tail[c]);
}

// A transfer of class c begins.
VEC_INLINE void send(struct shape of,
                     struct lane_state *s,
                     struct lane_stage *st,
                     vec *left,
                     int c,
                     mask lanes)
{
    const mask behind = mask_and(lanes, some(st->count[c]));
    if (mask_any(behind)) {
        line_up(of, s, st, left, c, behind);
        st->count[c] = tally_add(st->count[c], behind);
        lanes = mask_less(lanes, behind);
    }
    left[c] = vec_pick(lanes, s->at.prop_len, left[c]);
    st->count[c] = tally_add_first(st->count[c], lanes);
}

// The lanes of `ended` backwards that make a synchronisation due.
VEC_INLINE mask syncs_due(struct lane_state *s, struct lane_stage *st, mask ended)
{
    if (!s->at.any_counts)
        return ended;
    st->until_sync = vec_sub_where(ended, st->until_sync, vec_all(1));
    const mask due = mask_and(ended, vec_le(st->until_sync, vec_all(0)));
    st->until_sync = vec_pick(due, s->at.sync_freq, st->until_sync);
    return due;
}

// In some lanes a synchronisation that is due must wait, or one that waits can start: those in
// which one starts.
VEC_INLINE mask start_waiting(struct lane_stage *st, mask due, mask runs, mask ended)
{
    const mask next = mask_and(ended, st->has_pending);
    const mask waits = mask_and(due, mask_or(runs, next));
    st->pending = vec_sub_where(next, st->pending, vec_all(1));
    st->pending = vec_add_where(waits, st->pending, vec_all(1));
    st->has_pending = vec_gt(st->pending, vec_all(0));
    return mask_or(mask_less(due, waits), next);
}

// Synchronisations end, and backwards that have ended make others due.
VEC_INLINE void synchronise(struct lane_state *s,
                            struct lane_stage *st,
                            vec *left,
                            mask backward)
{
    const mask ended = vec_le(left[SYNC], s->at.eps_work);
    const mask runs = mask_less(st->syncs, ended);
    const mask due = syncs_due(s, st, backward);
    mask starts = due;
    if (mask_any(mask_or(mask_and(ended, st->has_pending), mask_and(due, runs))))
        starts = start_waiting(st, due, runs, ended);
    const vec rest = vec_pick(ended, vec_all(HUGE_VAL), left[SYNC]);
    left[SYNC] = vec_pick(starts, s->at.sync_work, rest);
    st->syncs = mask_or(runs, starts);
}

VEC_INLINE void end_compute(struct shape of, struct lane_state *s, vec *left, int j)
{
    struct lane_stage *st = &s->stage[j];
    const mask ended = vec_le(left[COMPUTE], s->at.eps_work);
    const mask forward = mask_and(ended, st->forward), backward = mask_less(ended, st->forward);
    left[COMPUTE] = vec_pick(ended, vec_all(HUGE_VAL), left[COMPUTE]);
    st->busy = mask_less(st->busy, ended);
    if (j < of.gpus - 1)
        send(of, s, st, left, FWD, forward);
    else
        st->ready[GRAD] = tally_add(st->ready[GRAD], forward);
    if (j > 0) {
        send(of, s, st, left, GRAD, backward);
    } else {
        const mask more = mask_and(backward, vec_gt(s->to_come, vec_all(of.gpus)));
        s->to_come = vec_sub_where(backward, s->to_come, vec_all(1));
        st->ready[FWD] = tally_add(st->ready[FWD], more);
    }
    synchronise(s, st, left, backward);
}

// ---- (c): what starts -----------------------------------------------------------------------

// A free stage takes a ready forward, or else a ready backward. At the last stage a forward
// waits for the backward of the one before.
VEC_INLINE void pick_compute(struct shape of, struct lane_state *s, vec *left, int j)
{
    struct lane_stage *st = &s->stage[j];
    const mask can_backward = mask_less(some(st->ready[GRAD]), st->busy);
    mask forward = mask_less(some(st->ready[FWD]), st->busy);
    if (j == of.gpus - 1)
        forward = mask_less(forward, can_backward);
    const mask backward = mask_less(can_backward, forward);
    for (int c = 0; c < 2; c++) {
        const mask starts = c == FWD ? forward : backward;
        left[COMPUTE] = vec_pick(starts, s->at.len[c], left[COMPUTE]);
        st->ready[c] = tally_take(st->ready[c], starts);
        st->busy = mask_or(st->busy, starts);
    }
    st->forward = mask_or(mask_less(st->forward, backward), forward);
}

// ---- the lanes ------------------------------------------------------------------------------

VEC_INLINE void end_tasks(struct shape of, struct lane_state *s, vec *left, int j)
{
    if (j < of.gpus - 1)
        end_transfers(of, s, left, j, j + 1, FWD);
    if (j > 0)
        end_transfers(of, s, left, j, j - 1, GRAD);
    end_compute(of, s, left, j);
}

// Takes every lane to its next event and through it; lanes whose point has ended or leaves. In
// *forks tells in which lanes kinds meet for the first time; where that parts points it does
// nothing else.
VEC_INLINE mask step_as(struct shape of, struct lane_state *s, lefts left, mask *forks)
{
    struct port port[LANE_GPUS_MAX];
    vec rate[LANE_GPUS_MAX][N_SLOTS];
    UNROLL for (int j = 0; j < of.gpus; j++) set_port(of, s, &port[j], j);
    *forks = meet(of, s, port);
    if (mask_any(mask_less(*forks, s->alone)))
        return mask_none();
    const vec time = set_all_rates(of, s, left, port, rate);
    const mask none = vec_eq(time, vec_all(DBL_MAX));
    add_time(s, vec_pick(none, vec_all(0), time));
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        advance(left[j], kinds_of(of, j), rate[j], time);
        end_tasks(of, s, left[j], j);
        if (j > 0)
            pick_compute(of, s, left[j - 1], j - 1); // what its neighbours send has come
    }
    pick_compute(of, s, left[of.gpus - 1], of.gpus - 1);
    s->steps++;
    return mask_or(none, s->leaves);
}

VEC_INLINE mask step(struct lane_state *s, lefts left, int gpus, mask *forks)
{
    mask crowd = mask_none();
    UNROLL for (int j = 0; j < gpus; j++) for (int c = 0; c < 2; c++) crowd =
        mask_or(crowd, tally_over(s->stage[j].count[c], 1));
    if (mask_any(crowd))
        return step_as((struct shape){gpus, true}, s, left, forks);
    return step_as((struct shape){gpus, false}, s, left, forks);
}

VEC_INLINE void load_left(const struct lane_state *s, lefts left, int gpus)
{
    UNROLL for (int j = 0; j < gpus; j++) for (int k = 0; k < N_SLOTS; k++) left[j][k] =
        s->stage[j].left[k];
}

VEC_INLINE void store_left(struct lane_state *s, lefts left, int gpus)
{
    UNROLL for (int j = 0; j < gpus; j++) for (int k = 0; k < N_SLOTS; k++) s->stage[j]
        .left[k] = left[j][k];
}

// ---- one lane -------------------------------------------------------------------------------

static void set(vec *v, int lane, double value)
{
    ((double *)v)[lane] = value;
}

static double get(const vec *v, int lane)
{
    return ((const double *)v)[lane];
}
