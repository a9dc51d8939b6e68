// SPDX-License-Identifier: Apache-2.0
// The simulation of one point a lane, each at its own event, where stages are many: a step works on
// those stages at which something changes in some lane, and in these lanes alone. Included once for
// each instruction set, after lane_tasks.h and lane_many_congestion.h.

// ---- (d): shares, rates, times --------------------------------------------------------------

// Looks for sets of kinds that are together for the first time; lanes in which there are such.
VEC_INLINE mask meet(struct lane_state *s)
{
    mask meets[N_SETS] = {mask_none(), mask_none(), mask_none(), mask_none()};
    for (stages left = s->due_stages; left != 0; left &= left - 1) {
        const int j = __builtin_ctzll(left);
        const struct lane_stage *st = &s->stage[j];
        const mask fwd = mask_and(s->due[j], some(st->count[FWD]));
        const mask grad = mask_and(s->due[j], some(st->count[GRAD])), two = mask_and(fwd, grad);
        meets[FWD_SYNC] = mask_or(meets[FWD_SYNC], mask_and(fwd, st->syncs));
        meets[GRAD_SYNC] = mask_or(meets[GRAD_SYNC], mask_and(grad, st->syncs));
        meets[FWD_GRAD] = mask_or(meets[FWD_GRAD], two);
        meets[ALL_THREE] = mask_or(meets[ALL_THREE], mask_and(two, st->syncs));
    }
    mask any = mask_none();
    for (int set = 0; set < N_SETS; set++)
        any = mask_or(any, mask_less(meets[set], s->known[set]));
    if (mask_any(any))
        for (int set = 0; set < N_SETS; set++)
            s->meets[set] = mask_less(meets[set], s->known[set]);
    return any;
}

// Rates of the heads and of the compute task: in lanes in which nothing has changed, what they
// were.
VEC_INLINE void set_rates(struct shape of, const struct lane_state *s, struct lane_stage *st)
{
    for (int c = 0; c < 2; c++) {
        const mask even = mask_less(several(of, st, c), s->at.exclusive[c]);
        st->rate[c] = st->share[c];
        if (mask_any(even))
            st->rate[c] =
                vec_pick(even, st->share[c] * reciprocal(st->count[c]), st->share[c]);
    }
    const vec impact = vec_pick(st->forward, s->at.impact[FWD], s->at.impact[GRAD]);
    st->rate[COMPUTE] = vec_all(1) - st->rate[SYNC] * impact;
}

// When the first task of a stage ends, and when one first comes within eps_work of its end.
VEC_INLINE void set_times(struct lane_state *s, int j)
{
    const struct lane_stage *st = &s->stage[j];
    vec finish = vec_all(HUGE_VAL), early = vec_all(HUGE_VAL);
    for (int k = 0; k < N_SLOTS; k++) {
        const vec time = vec_all(1) / st->rate[k];
        finish = vec_min(st->left[k] * time, finish);
        early = vec_min((st->left[k] - s->at.eps_work) * time, early);
    }
    s->finish[j] = vec_pick(s->changed[j], s->now + finish, s->finish[j]);
    s->early[j] = vec_pick(s->changed[j], s->now + early, s->early[j]);
}

// Everything that holds until the next event.
VEC_INLINE void settle(struct shape of, struct lane_state *s)
{
    for (stages left = s->due_stages; left != 0; left &= left - 1) {
        const int j = __builtin_ctzll(left);
        share_stage(of, s, j, s->due[j]);
    }
    congest(of, s);
    for (stages left = s->changed_stages; left != 0; left &= left - 1) {
        const int j = __builtin_ctzll(left);
        set_rates(of, s, &s->stage[j]);
        set_times(s, j);
    }
}

// ---- an event -------------------------------------------------------------------------------

// Starts the clocks of lanes anew, by a whole number of spans, exactly.
static void restart_clocks(struct lane_state *s, mask lanes, int gpus)
{
    vec shift = vec_all(0);
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        const double span = get(&s->at.span, lane);
        set(&shift, lane, floor(get(&s->now, lane) / span) * span);
    }
    s->now -= shift;
    s->epoch += shift;
    for (int j = 0; j < gpus; j++) {
        s->finish[j] -= shift;
        s->early[j] -= shift;
        s->stage[j].since -= shift;
    }
}

// Moves every lane to its next event, and finds the stages at which something ends. The lanes that
// have none.
VEC_INLINE mask find_due(struct lane_state *s, int gpus)
{
    vec next = vec_all(HUGE_VAL);
    for (int j = 0; j < gpus; j++)
        next = vec_min(s->finish[j], next);
    const mask none = vec_eq(next, vec_all(HUGE_VAL));
    s->now = vec_pick(none, s->now, next);
    s->due_stages = 0;
    for (int j = 0; j < gpus; j++) {
        s->due[j] = vec_le(s->early[j], s->now);
        s->due_stages |= (uint64_t)mask_any(s->due[j]) << j;
    }
    return none;
}

// A free stage takes a compute task.
VEC_INLINE void pick_compute(struct shape of, struct lane_state *s, int j)
{
    struct lane_stage *st = &s->stage[j];
    mask starts[2];
    const mask due = s->due[j];
    choose_compute(of, st, j, starts);
    const mask any = mask_or(starts[FWD], starts[GRAD]);
    s->changed[j] = mask_or(due, any);
    if (!mask_any(any))
        return;
    advance(s, st, mask_less(any, due));
    start_compute(s, st, st->left, starts);
}

// Through the next event of every lane; the lanes that have none.
VEC_INLINE mask next_event(struct shape of, struct lane_state *s)
{
    const stages all = ~UINT64_C(0) >> (64 - of.gpus);
    const mask none = find_due(s, of.gpus);
    for (stages left = s->due_stages; left != 0; left &= left - 1) {
        const int j = __builtin_ctzll(left);
        advance(s, &s->stage[j], s->due[j]);
        end_tasks(of, s, s->stage[j].left, j);
    }
    s->changed_stages = (s->due_stages | s->due_stages << 1 | s->due_stages >> 1) & all;
    for (stages left = s->changed_stages; left != 0; left &= left - 1)
        pick_compute(of, s, __builtin_ctzll(left));
    const mask late = vec_le(s->at.span, s->now);
    if (mask_any(late))
        restart_clocks(s, late, of.gpus);
    return none;
}

// Takes every lane to its next event and through it; lanes whose point has ended or leaves. In
// *forks tells in which lanes kinds meet for the first time; where that parts points it does
// nothing else.
VEC_INLINE mask step(struct shape of, struct lane_state *s, mask *forks)
{
    *forks = meet(s);
    if (mask_any(mask_less(*forks, s->alone)))
        return mask_none();
    settle(of, s);
    const mask none = next_event(of, s);
    s->steps++;
    return mask_or(none, s->leaves);
}

// Steps until something comes up, or a look at the stop flag is due.
static __attribute__((noinline)) struct news go_on_with(struct lane_state *s, int gpus)
{
    const struct shape of = {gpus, true};
    struct news news = {.looks = mask_none()};
    do {
        news.ended = step(of, s, &news.forks);
        if (s->any_looks)
            news.looks = vec_le(s->to_come, s->look_at);
    } while (!mask_any(mask_or(mask_or(news.ended, news.forks), news.looks)) &&
             s->steps % POLL_STEPS != 0);
    return news;
}
