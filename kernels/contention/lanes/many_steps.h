// SPDX-License-Identifier: Apache-2.0
// Simulates steps in lanes for many stages: each lane simulates one point, and every pass
// processes one stage of each lane. If several stages of a point end tasks at one event, the
// lane stays at the event for as many passes. Included once for each instruction set, after
// tasks.h and many_receivers.h.

// ---- (d): shares, rates, times --------------------------------------------------------------

// Returns the lanes in which a set of kinds is together for the first time.
VEC_INLINE mask meet(struct lane_state *s, const struct lane_stage *st, mask lanes)
{
    const mask fwd = mask_and(lanes, has_tasks(st, FWD));
    const mask grad = mask_and(lanes, has_tasks(st, GRAD)), two = mask_and(fwd, grad);
    mask meets[N_SETS];
    meets[FWD_SYNC] = mask_and(fwd, st->syncs);
    meets[GRAD_SYNC] = mask_and(grad, st->syncs);
    meets[FWD_GRAD] = two;
    meets[ALL_THREE] = mask_and(two, st->syncs);
    mask any = mask_none();
    for (int set = 0; set < N_SETS; set++)
        any = mask_or(any, mask_less(meets[set], s->known[set]));
    if (mask_any(any))
        for (int set = 0; set < N_SETS; set++)
            s->meets[set] = mask_or(mask_less(s->meets[set], mask_less(lanes, s->forks)),
                                    mask_less(meets[set], s->known[set]));
    s->forks = mask_or(s->forks, any);
    return mask_less(any, s->alone);
}

// Sets plain shares and the rates of the heads.
VEC_INLINE void share(struct shape of, const struct lane_state *s, struct lane_stage *st)
{
    const mask active[3] = {has_tasks(st, FWD), has_tasks(st, GRAD), st->syncs};
    vec share[3];
    share_port(of, &s->at, st, kinds_of(of, 0), active, share);
    for (int c = 0; c < 2; c++) {
        const mask even = mask_and(several(of, st, c), s->at.divided[c]);
        st->share[c] = st->rate[c] = share[c];
        st->second[c] = vec_all(0);
        st->rate[c] = vec_pick(even, share[c] * part_of_task(st, c), share[c]);
    }
    st->rate[SYNC] = share[2];
}

// Sets the rate of the compute task, the time at which the first task ends, and the time at
// which a task first comes within eps_work of its end.
VEC_INLINE void set_times(struct lane_state *s, const struct places *p, struct lane_stage *st)
{
    vec finish = vec_all(HUGE_VAL), early = vec_all(HUGE_VAL);
    st->rate[COMPUTE] = compute_rate(s, st);
    for (int k = 0; k < N_SLOTS; k++) {
        const vec time = vec_all(1) / st->rate[k];
        finish = vec_min(st->left[k] * time, finish);
        early = vec_min((st->left[k] - s->at.eps_work) * time, early);
    }
    finish += s->now;
    early += s->now;
    for (int lane = 0; lane < LANES; lane++) {
        set(&s->finish[p->at[lane]], lane, get(&finish, lane));
        set(&s->early[p->at[lane]], lane, get(&early, lane));
    }
}

// Sets the missing shares, rates and times in lanes whose event is over.
static void settle(struct shape of, struct lane_state *s)
{
    stages due[LANES];
    bits left = bits_where(mask_less(mask_all(), s->held), bits_load(s->unsettled));
    bits_store(due, left);
    bits_store(s->unsettled, bits_load(s->unsettled) ^ left);
    for (;;) {
        struct places p;
        struct lane_stage st;
        take_places(s, &left, &p);
        if (!mask_any(is_somewhere(&p)))
            break;
        load_stages(s, &p, &st);
        share(of, s, &st);
        set_times(s, &p, &st);
        store_stages(&p, &st);
    }
    s->any_unsettled = mask_any(s->held);
    congest(s, mask_all(), due, of.gpus);
}

// ---- (a) and (b) ----------------------------------------------------------------------------

// Ends the compute task in lanes in which its work is done.
VEC_INLINE void end_compute_at(struct shape of, struct lane_state *s, const struct places *p,
                               struct lane_stage *st)
{
    const mask first = is_at(p, 0), last = is_at(p, of.gpus - 1);
    const mask ended = vec_le(st->left[COMPUTE], s->at.eps_work);
    const mask forward = mask_and(ended, st->forward), backward = mask_less(ended, st->forward);
    st->left[COMPUTE] = vec_pick(ended, vec_all(HUGE_VAL), st->left[COMPUTE]);
    st->busy = mask_less(st->busy, ended);
    send(of, s, st, st->left, FWD, mask_less(forward, last));
    add_ready(st, GRAD, mask_and(forward, last));
    send(of, s, st, st->left, GRAD, mask_less(backward, first));
    const mask back = mask_and(backward, first);
    add_ready(st, FWD, mask_and(back, vec_gt(s->to_come, vec_all(of.gpus))));
    s->to_come = vec_sub_where(back, s->to_come, vec_all(1));
    synchronise(s, st, st->left, backward);
}

// ---- (c): what starts -----------------------------------------------------------------------

// Starts compute tasks at the stages of a pass, in some lanes.
VEC_INLINE void pick_at(struct shape of, struct lane_state *s, const struct places *p,
                        struct lane_stage *st, mask lanes)
{
    mask starts[2];
    choose_compute(st, is_at(p, of.gpus - 1), starts);
    for (int c = 0; c < 2; c++)
        starts[c] = mask_and(starts[c], lanes);
    start_compute(s, st, st->left, starts);
}

// Starts a compute task at a free stage of one lane that has a ready task.
VEC_INLINE void pick_in(struct lane_state *s, int lane, int j, int gpus)
{
    struct many_stage *st = stage_of(s, lane, j);
    const struct contention_lane_point *p = s->at.point[lane];
    const bool no_forward = ready_of(st, FWD) == 0, backward = ready_of(st, GRAD) > 0;
    const int c = no_forward | (backward & (j == gpus - 1)); // FWD or GRAD, without branches
    const double rate = 1 - st->rate[SYNC] * p->impact[c], time = 1 / rate;
    const double now = get(&s->now, lane), finish = now + p->len[c] * time;
    const double early = now + (p->len[c] - p->eps_work) * time;
    advance_transfers(st, now);
    st->counts -= UINT64_C(1) << ready_at(c);
    st->left[COMPUTE] = p->len[c];
    set_forward(st, c == FWD);
    const double other = get(&s->finish[j], lane), other_early = get(&s->early[j], lane);
    set(&s->finish[j], lane, finish < other ? finish : other);
    set(&s->early[j], lane, early < other_early ? early : other_early);
}

// Starts compute tasks at some stages of a lane, if they are free and have a ready task.
static __attribute__((noinline)) void pick_all(struct lane_state *s, int lane, stages at,
                                               int gpus)
{
    for (; at != 0; at &= at - 1) {
        const struct many_stage *st = look_stage_of(s, lane, first_stage(at));
        if (st->left[COMPUTE] >= HUGE_VAL && ready_of(st, FWD) + ready_of(st, GRAD) > 0)
            pick_in(s, lane, first_stage(at), gpus);
    }
}

// Effects of a pass on neighbouring stages. They are known long before the loops over lanes
// that depend on them: the processor predicts these loops badly, and a late misprediction costs
// more.
struct effects {
    // A neighbour that has received inputs: the next stage, otherwise the previous.
    struct places to;
    bits inputs; // of both neighbours: ready forwards of the next, backwards of the previous
    mask both, idle; // both have received inputs; *to could start a task
    mask any_concerned;
    stages concerned[LANES]; // receivers
};

// Stores the inputs that neighbours have received; if both have, only the inputs of the next stage.
VEC_INLINE void put_inputs(struct lane_state *s, const struct places *p,
                           const struct lane_stage *ready, struct effects *to)
{
    const mask up = has_ready(ready, FWD), down = has_ready(ready, GRAD);
    const bits below = bits_pick(down, p->stage - 1, bits_all(NOWHERE));
    const bits forwards = bits_where(up, bits_all(COUNT_MAX << ready_at(FWD)));
    const bits either =
        bits_or_where(mask_less(down, up), forwards, bits_all(COUNT_MAX << ready_at(GRAD)));
    stages more[LANES];
    mask idle = mask_none();
    to->inputs = ready->counts;
    to->both = mask_and(up, down);
    go_to(s, bits_pick(up, p->stage + 1, below), &to->to);
    bits_store(more, to->inputs & either);
    for (int lane = 0; lane < LANES; lane++) { // without branches
        struct many_stage *st = to->to.record[lane];
        st->counts += more[lane];
        mask_set(&idle, lane, st->left[COMPUTE] >= HUGE_VAL);
    }
    to->idle = mask_and(idle, mask_or(up, down));
}

// Stores the inputs of the previous stage if both neighbours have received inputs.
static __attribute__((noinline)) void put_below(struct lane_state *s, const struct places *p,
                                                const struct effects *to, mask picks, int gpus)
{
    for (mask lanes = to->both; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes), j = (int)p->at[lane] - 1;
        stage_of(s, lane, j)->counts += to->inputs[lane] & COUNT_MAX << ready_at(GRAD);
        if (mask_get(picks, lane))
            pick_all(s, lane, UINT64_C(1) << j, gpus);
        else
            s->todo[lane] |= UINT64_C(1) << j;
    }
}

// Starts tasks at neighbours that have received inputs, in lanes `picks`; in other lanes adds
// these stages to s->todo.
VEC_INLINE void pick_beside(struct lane_state *s, const struct places *p,
                            const struct effects *to, mask picks, int gpus)
{
    if (mask_any(to->both))
        put_below(s, p, to, picks, gpus);
    for (mask lanes = mask_and(to->idle, picks); mask_any(lanes);
         mask_set(&lanes, mask_first(lanes), false))
        pick_in(s, mask_first(lanes), (int)to->to.at[mask_first(lanes)], gpus);
    for (mask lanes = mask_less(to->idle, picks); mask_any(lanes);
         mask_set(&lanes, mask_first(lanes), false))
        s->todo[mask_first(lanes)] |= UINT64_C(1) << to->to.at[mask_first(lanes)];
}

// ---- an event -------------------------------------------------------------------------------

// Ends tasks at a stage of each lane, and sets its shares; in lanes `single`, in which no other
// stage ends a task, also starts tasks at the stage.
VEC_INLINE void end_at(struct shape of, struct lane_state *s, const struct places *p,
                       mask single, struct effects *to)
{
    struct lane_stage st, ready;
    ready.counts = bits_all(0);
    load_stages(s, p, &st);
    advance(s, &st);
    end_transfers(of, s, &st, st.left, &ready, FWD);
    end_transfers(of, s, &st, st.left, &ready, GRAD);
    put_inputs(s, p, &ready, to);
    end_compute_at(of, s, p, &st);
    mask parts = meet(s, &st, is_somewhere(p));
    share(of, s, &st);
    to->any_concerned = concerned_at(s, p, st.share, to->concerned);
    pick_at(of, s, p, &st, single);
    set_times(s, p, &st);
    store_stages(p, &st);
    for (; mask_any(parts); mask_set(&parts, mask_first(parts), false)) {
        const int lane = mask_first(parts);
        s->unsettled[lane] |= UINT64_C(1) << p->at[lane];
        s->any_unsettled = true;
    }
}

// Starts tasks in lanes in which the last stage of an event has ended its tasks.
static __attribute__((noinline)) void pick_after(struct lane_state *s, mask lanes, int gpus)
{
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        pick_all(s, lane, s->todo[lane] | s->due[lane], gpus);
        s->todo[lane] = 0;
    }
}

// Returns the lanes whose shares are known; in other lanes all changed stages wait for their
// shares.
VEC_INLINE mask have_settled(struct lane_state *s, mask lanes)
{
    for (int lane = 0; lane < LANES && s->any_unsettled; lane++)
        if (s->unsettled[lane] != 0) {
            s->unsettled[lane] |= s->due[lane];
            mask_set(&lanes, lane, false);
        }
    return lanes;
}

// Takes every lane through one stage of its next event; a lane with other stages at this event
// is held there for the next steps. Returns the lanes without an event.
VEC_INLINE mask next_event(struct shape of, struct lane_state *s)
{
    struct places p;
    struct effects to;
    const mask none = find_due(s, of.gpus, &p), held = s->held, more = bits_any(s->left);
    const mask single = mask_less(mask_less(mask_all(), more), held);
    bits_store(s->due, p.one | bits_where(held, bits_load(s->due)));
    end_at(of, s, &p, single, &to);
    pick_beside(s, &p, &to, single, of.gpus);
    const mask last = mask_less(held, more);
    const mask settled = have_settled(s, mask_less(mask_all(), more));
    if (mask_any(last))
        pick_after(s, last, of.gpus);
    s->held = more;
    s->repeats = vec_add_where(more, s->repeats, vec_all(1));
    congest_in(s, mask_and(mask_and(settled, single), to.any_concerned), to.concerned, of.gpus);
    if (mask_any(last))
        congest(s, mask_and(settled, last), s->due, of.gpus);
    return none;
}

// Takes every lane to its next event and through it. Returns the lanes whose point has ended or
// leaves. *forks: the lanes in which kinds met for the first time at the previous event; if
// there are any, the function does nothing else.
VEC_INLINE mask step(struct shape of, struct lane_state *s, mask *forks)
{
    *forks = mask_less(s->forks, s->held);
    s->forks = mask_and(s->forks, s->held);
    if (mask_any(*forks))
        return mask_none();
    if (s->any_unsettled)
        settle(of, s);
    for (mask late = mask_less(vec_le(s->at.span, s->now), s->held); mask_any(late);
         mask_set(&late, mask_first(late), false))
        restart_clock(s, mask_first(late), of.gpus);
    const mask none = next_event(of, s);
    s->steps++;
    return mask_or(none, s->leaves);
}

// Takes steps until a lane needs attention, or a poll of the stop flag is due.
static __attribute__((noinline)) struct news go_on_with(struct lane_state *s, int gpus)
{
    const struct shape of = {gpus, true, false, false};
    struct news news = {.looks = mask_none()};
    do {
        news.ended = step(of, s, &news.forks);
        if (s->any_looks)
            news.looks = mask_less(vec_le(s->to_come, s->look_at), s->held);
    } while (!mask_any(mask_or(mask_or(news.ended, news.forks), news.looks)) &&
             s->steps % POLL_STEPS != 0);
    return news;
}
