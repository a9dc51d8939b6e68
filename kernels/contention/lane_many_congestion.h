// SPDX-License-Identifier: Apache-2.0
// Receivers that hold senders back, where stages are many: the rounds of congestion.c in lanes.
// Included once for each instruction set, after lane_shares.h.
//
// As there, only regions are worked out: receivers r, r + 2 ... whose rounds can concern each other.
// A change at a sender takes back the regions around it, in its lane, and they are worked out anew
// from plain shares, with the receivers that this has given too much. Where the rounds would overload a
// receiver beside these, it joins them, and they start again. Rounds leave a lane in which they
// change nothing as it is, so a lane's shares do not depend on the others.

// What the rounds of an event work on.
struct rounds {
    struct shape of;
    stages receivers;          // with lanes in `at`
    mask at[LANE_GPUS_MAX];    // by receiver: it takes part
    mask fixed[LANE_GPUS_MAX][2]; // by sender and class: held back
    mask given[LANE_GPUS_MAX][2]; // has a share by rule 1 of a round, if only 0
};

VEC_INLINE mask taking_part(const struct rounds *w, int r)
{
    return r >= 0 && w->receivers >> r & 1 ? w->at[r] : mask_none();
}

// Lets receiver r take part, if it is one.
VEC_INLINE void take_part(struct rounds *w, int r, mask lanes)
{
    if (r < 1 || r > w->of.gpus - 2 || !mask_any(lanes))
        return;
    w->at[r] = mask_or(taking_part(w, r), lanes);
    w->receivers |= UINT64_C(1) << r;
}

VEC_INLINE vec arriving(const struct lane_state *s, int r)
{
    return s->stage[r - 1].share[FWD] + s->stage[r + 1].share[GRAD];
}

VEC_INLINE mask overloaded(const struct lane_state *s, int r)
{
    return mask_and(s->at.congestion, vec_gt(arriving(s, r), vec_all(1 + SUM_SLACK)));
}

VEC_INLINE mask region_at(const struct lane_state *s, int r)
{
    return r >= 0 && s->regions >> r & 1 ? s->region[r] : mask_none();
}

VEC_INLINE stages senders_of(stages receivers)
{
    return receivers << 1 | receivers >> 1;
}

// Gives a stage its plain shares.
VEC_INLINE void share_stage(struct shape of, struct lane_state *s, int j, mask lanes)
{
    struct lane_stage *st = &s->stage[j];
    const mask active[3] = {some(st->count[FWD]), some(st->count[GRAD]), st->syncs};
    vec share[3];
    share_port(of, &s->at, st, kinds_of(of, j), active, share);
    for (int c = 0; c < 2; c++)
        st->share[c] = vec_pick(lanes, share[c], st->share[c]);
    st->rate[SYNC] = vec_pick(lanes, share[2], st->rate[SYNC]);
}

// ---- who takes part -------------------------------------------------------------------------

// The receivers that a change at sender j can concern.
VEC_INLINE void concern(const struct lane_state *s, struct rounds *w, int j)
{
    const mask due = s->due[j];
    for (int r = j - 1; r <= j + 1; r += 2)
        if (r >= 1 && r <= w->of.gpus - 2)
            take_part(w, r, mask_and(due, mask_or(region_at(s, r), overloaded(s, r))));
    if (s->regions == 0)
        return;
    take_part(w, j - 3, mask_and(due, region_at(s, j - 3)));
    take_part(w, j + 3, mask_and(due, region_at(s, j + 3)));
}

// Takes in the rest of the regions of receivers that take part.
static void complete_regions(const struct lane_state *s, struct rounds *w)
{
    bool more = s->regions != 0;
    while (more) {
        more = false;
        const stages beside = (w->receivers << 2 | w->receivers >> 2) & s->regions;
        for (stages left = beside; left != 0; left &= left - 1) {
            const int r = __builtin_ctzll(left);
            const mask near = mask_or(taking_part(w, r - 2), taking_part(w, r + 2));
            const mask lanes =
                mask_less(mask_and(near, s->region[r]), taking_part(w, r));
            more = more || mask_any(lanes);
            take_part(w, r, lanes);
        }
    }
}

// Whether the rounds reach receivers that do not take part yet; these do then.
VEC_INLINE bool widen(const struct lane_state *s, struct rounds *w)
{
    const stages receivers = (UINT64_C(1) << (w->of.gpus - 1)) - 2;
    bool wider = false;
    for (stages left = (w->receivers << 2 | w->receivers >> 2) & receivers; left != 0;
         left &= left - 1) {
        const int r = __builtin_ctzll(left);
        const mask near = mask_or(taking_part(w, r - 2), taking_part(w, r + 2));
        const mask lanes = mask_and(mask_less(near, taking_part(w, r)), overloaded(s, r));
        wider = wider || mask_any(lanes);
        take_part(w, r, lanes);
    }
    return wider;
}

// ---- a round --------------------------------------------------------------------------------

// Gives a sender its plain shares.
VEC_INLINE void reset_sender(struct lane_state *s, struct rounds *w, int j)
{
    struct lane_stage *st = &s->stage[j];
    const mask lanes = mask_or(taking_part(w, j - 1), taking_part(w, j + 1));
    const mask changed = s->changed_stages >> j & 1 ? s->changed[j] : mask_none();
    advance(s, st, mask_less(lanes, changed));
    s->changed[j] = mask_or(changed, lanes);
    s->changed_stages |= UINT64_C(1) << j;
    share_stage(w->of, s, j, lanes);
    for (int c = 0; c < 2; c++)
        w->fixed[j][c] = w->given[j][c] = mask_none();
}

// Holds back what class c of sender j gives to a receiver.
VEC_INLINE void
hold_back(struct lane_state *s, struct rounds *w, int j, int c, mask over, vec factor)
{
    struct lane_stage *st = &s->stage[j];
    const mask held = mask_and(over, mask_or(some(st->share[c]), w->given[j][c]));
    st->share[c] = vec_pick(over, st->share[c] * factor, st->share[c]);
    w->fixed[j][c] = mask_or(w->fixed[j][c], held);
    // An exclusive class of several tasks gives its second task what is left; such points are
    // left to others.
    const mask second = mask_and(mask_less(held, w->given[j][c]), s->at.exclusive[c]);
    s->leaves = mask_or(s->leaves, mask_and(second, several(w->of, st, c)));
}

// Step 1 of a round; the lanes in which it changes anything.
VEC_INLINE mask limit(struct lane_state *s, struct rounds *w)
{
    mask changed = mask_none();
    for (stages left = w->receivers; left != 0; left &= left - 1) {
        const int r = __builtin_ctzll(left);
        const mask over = mask_and(w->at[r], overloaded(s, r));
        if (!mask_any(over))
            continue;
        const vec factor = vec_all(1) / arriving(s, r);
        hold_back(s, w, r - 1, FWD, over, factor);
        hold_back(s, w, r + 1, GRAD, over, factor);
        s->region[r] = mask_or(s->region[r], over);
        changed = mask_or(changed, over);
    }
    return changed;
}

// Step 2 of a round at a sender.
VEC_INLINE void hand_out_rest(struct lane_state *s, struct rounds *w, int j, mask lanes)
{
    struct lane_stage *st = &s->stage[j];
    const mask *fixed = w->fixed[j];
    const vec rest = vec_all(1) - (vec_where(fixed[0], st->share[0]) +
                                   vec_where(fixed[1], st->share[1]));
    const mask free[3] = {mask_less(some(st->count[0]), fixed[0]),
                          mask_less(some(st->count[1]), fixed[1]), st->syncs};
    const mask can = mask_and(lanes, vec_le(vec_all(LEAST_REST), rest));
    mask tiers = mask_none();
    vec share[3];
    share_port(w->of, &s->at, st, kinds_of(w->of, j), free, share);
    for (int kind = 0; kind < 3; kind++)
        tiers = mask_or(tiers, mask_and(free[kind], s->at.exclusive[kind]));
    for (int c = 0; c < 2; c++) {
        const mask takes = mask_and(can, free[c]);
        st->share[c] = vec_pick(takes, rest * share[c], st->share[c]);
        w->given[j][c] = mask_or(w->given[j][c], mask_and(takes, tiers));
    }
    st->rate[SYNC] = vec_pick(mask_and(can, free[2]), rest * share[2], st->rate[SYNC]);
}

// ---- the rounds -----------------------------------------------------------------------------

// Starts from plain shares; false: the rounds have reached others, and must start again.
VEC_INLINE bool run_rounds(struct lane_state *s, struct rounds *w)
{
    const stages senders = senders_of(w->receivers);
    for (stages left = senders; left != 0; left &= left - 1)
        reset_sender(s, w, __builtin_ctzll(left));
    for (stages left = w->receivers; left != 0; left &= left - 1) {
        const int r = __builtin_ctzll(left);
        s->region[r] = mask_less(region_at(s, r), w->at[r]);
    }
    s->regions |= w->receivers;
    for (int round = 0; round < 2 * w->of.gpus; round++) {
        if (widen(s, w))
            return false;
        const mask changed = limit(s, w);
        if (!mask_any(changed))
            break;
        for (stages left = senders; left != 0; left &= left - 1) {
            const int j = __builtin_ctzll(left);
            const mask lanes = mask_or(taking_part(w, j - 1), taking_part(w, j + 1));
            hand_out_rest(s, w, j, mask_and(lanes, changed));
        }
    }
    return true;
}

// Lets receivers hold senders back, given plain shares where a stage is due.
VEC_INLINE void congest(struct shape of, struct lane_state *s)
{
    struct rounds w;
    w.of = of;
    w.receivers = 0;
    for (stages left = s->due_stages; left != 0; left &= left - 1)
        concern(s, &w, __builtin_ctzll(left));
    if (w.receivers == 0)
        return;
    do
        complete_regions(s, &w);
    while (!run_rounds(s, &w));
    for (stages left = w.receivers; left != 0; left &= left - 1) {
        const int r = __builtin_ctzll(left);
        if (!mask_any(s->region[r]))
            s->regions &= ~(UINT64_C(1) << r);
    }
}
