// SPDX-License-Identifier: Apache-2.0
// Ends and starts tasks at the events of lanes. Included once in each file of lanes, after
// shares.h.

// ---- (a) and (b): what ends, and what it sets free ------------------------------------------

// Removes the heads of a class that have ended, in lanes `ended`; the next task, if any,
// becomes the head. Returns the lanes in which the new head has ended, too.
VEC_INLINE mask move_up(struct shape of, struct lane_state *s, struct lane_stage *st, vec *left,
                        int c, mask ended)
{
    const mask more = mask_and(ended, several(of, st, c));
    const vec next = take_next(s, st, left, c, more);
    left[c] = vec_pick(more, next, vec_pick(ended, vec_all(HUGE_VAL), left[c]));
    drop_head(st, c, ended);
    return vec_le(left[c], s->at.eps_work);
}

// Ends the transfers of class c of a stage whose work is done; their tasks become ready at
// stage `to`.
VEC_INLINE void end_transfers(struct shape of, struct lane_state *s, struct lane_stage *st,
                              vec *left, struct lane_stage *to, int c)
{
    mask ended = vec_le(left[c], s->at.eps_work);
    while (mask_any(mask_and(ended, several(of, st, c)))) {
        add_ready(to, c, ended);
        forget_held(of, s, st, c, ended);
        ended = move_up(of, s, st, left, c, ended);
    }
    add_ready(to, c, ended);
    forget_held(of, s, st, c, ended);
    left[c] = vec_pick(ended, vec_all(HUGE_VAL), left[c]);
    drop_last(st, c, ended);
}

// Starts a transfer of class c.
VEC_INLINE void send(struct shape of, struct lane_state *s, struct lane_stage *st, vec *left,
                     int c, mask lanes)
{
    const mask behind = mask_and(lanes, has_tasks(st, c));
    if (mask_any(behind)) {
        put_last(of, s, st, c, behind, s->at.prop_len - left[c]);
        add_another(st, c, behind);
        lanes = mask_less(lanes, behind);
    }
    left[c] = vec_pick(lanes, s->at.prop_len, left[c]);
    add_first(st, c, lanes);
}

// Returns the lanes of `ended` backwards in which a synchronisation becomes due.
VEC_INLINE mask syncs_due(struct lane_state *s, struct lane_stage *st, mask ended)
{
    if (!s->at.any_counts)
        return ended;
    return count_backwards(s, st, ended);
}

// Lets due synchronisations wait while another one runs, and starts waiting ones. Returns the
// lanes in which a synchronisation starts.
VEC_INLINE mask start_waiting(struct lane_stage *st, mask due, mask runs, mask ended)
{
    const mask next = mask_and(ended, st->has_pending);
    const mask waits = mask_and(due, mask_or(runs, next));
    change_pending(st, waits, next);
    return mask_or(mask_less(due, waits), next);
}

// Ends synchronisations, and starts the synchronisations that ended backwards make due.
VEC_INLINE void synchronise(struct lane_state *s, struct lane_stage *st, vec *left,
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

// ---- (c): what starts -----------------------------------------------------------------------

// Chooses the compute task that a free stage starts: a ready forward, otherwise a ready
// backward. At the last stage a forward waits for the backward of the previous micro-batch.
// starts[c]: lanes in which a forward (FWD) or backward (GRAD) starts.
VEC_INLINE void choose_compute(const struct lane_stage *st, mask last, mask starts[2])
{
    const mask can_backward = mask_less(has_ready(st, GRAD), st->busy);
    starts[FWD] = mask_less(has_ready(st, FWD), st->busy);
    starts[FWD] = mask_less(starts[FWD], mask_and(can_backward, last));
    starts[GRAD] = mask_less(can_backward, starts[FWD]);
}

VEC_INLINE void start_compute(const struct lane_state *s, struct lane_stage *st, vec *left,
                              const mask starts[2])
{
    for (int c = 0; c < 2; c++) {
        left[COMPUTE] = vec_pick(starts[c], s->at.len[c], left[COMPUTE]);
        take_ready(st, c, starts[c]);
        st->busy = mask_or(st->busy, starts[c]);
    }
    st->forward = mask_or(mask_less(st->forward, starts[GRAD]), starts[FWD]);
}
