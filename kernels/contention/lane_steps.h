// SPDX-License-Identifier: Apache-2.0
// The simulation of one point a lane, each at its own event: every step takes all lanes to their
// next events. It has no branch on what a single lane does, only on whether any lane does
// something rare. Included once for each instruction set, after lane_shares.h.
#define POLL_STEPS 4096 // steps between two looks at the stop flag: about a millisecond

// ---- (d): rates, and the time to the next event ---------------------------------------------

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
