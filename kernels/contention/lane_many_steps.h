// SPDX-License-Identifier: Apache-2.0
// The simulation of one point a lane, each at its own event, where stages are many: passes over a
// stage of each lane. Included once for each instruction set, after lane_tasks.h and
// lane_many_receivers.h.

// ---- (d): shares, rates, times --------------------------------------------------------------

// Looks for sets of kinds that are together for the first time; lanes in which there are such.
VEC_INLINE mask meet(struct lane_state *s, const struct lane_stage *st, mask lanes)
{
    const mask fwd = mask_and(lanes, some(st->count[FWD]));
    const mask grad = mask_and(lanes, some(st->count[GRAD])), two = mask_and(fwd, grad);
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

// Plain shares, and the rates of the heads.
VEC_INLINE void share(struct shape of, const struct lane_state *s, struct lane_stage *st)
{
    const mask active[3] = {some(st->count[FWD]), some(st->count[GRAD]), st->syncs};
    vec share[3];
    share_port(of, &s->at, st, kinds_of(of, 0), active, share);
    for (int c = 0; c < 2; c++) {
        const mask even = mask_less(several(of, st, c), s->at.exclusive[c]);
        st->share[c] = st->rate[c] = share[c];
        st->second[c] = vec_all(0);
        if (mask_any(even))
            st->rate[c] = vec_pick(even, share[c] * reciprocal(st->count[c]), share[c]);
    }
    st->rate[SYNC] = share[2];
}

// The rate of the compute task; when the first task ends, and when one first comes within eps_work
// of its end.
VEC_INLINE void set_times(struct lane_state *s, const struct places *p, struct lane_stage *st)
{
    const vec impact = vec_pick(st->forward, s->at.impact[FWD], s->at.impact[GRAD]);
    vec finish = vec_all(HUGE_VAL), early = vec_all(HUGE_VAL);
    st->rate[COMPUTE] = vec_all(1) - st->rate[SYNC] * impact;
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

// Sets shares, rates and times that have not been set.
static void settle(struct shape of, struct lane_state *s)
{
    stages due[LANES];
    memcpy(due, s->unsettled, sizeof due);
    for (;;) {
        const struct places p = take_places(s->unsettled);
        struct lane_stage st;
        if (!mask_any(is_somewhere(&p)))
            break;
        load_stages(s, &p, &st);
        share(of, s, &st);
        set_times(s, &p, &st);
        store_stages(s, &p, &st);
    }
    s->any_unsettled = false;
    congest(s, mask_all(), due, of.gpus);
}

// ---- (a) and (b) ----------------------------------------------------------------------------

// The compute task ends where its time has come.
VEC_INLINE void end_compute_at(struct shape of,
                               struct lane_state *s,
                               const struct places *p,
                               struct lane_stage *st)
{
    const mask first = vec_eq(p->stage, vec_all(0));
    const mask last = vec_eq(p->stage, vec_all(of.gpus - 1));
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

// At the stages of a pass, in some lanes.
VEC_INLINE void pick_at(struct shape of,
                        struct lane_state *s,
                        const struct places *p,
                        struct lane_stage *st,
                        mask lanes)
{
    mask starts[2];
    choose_compute(st, vec_eq(p->stage, vec_all(of.gpus - 1)), starts);
    for (int c = 0; c < 2; c++)
        starts[c] = mask_and(starts[c], lanes);
    start_compute(s, st, st->left, starts);
}

// At a stage of one lane, of which only this changes.
VEC_INLINE void pick_in(struct lane_state *s, int lane, int j, int gpus)
{
    struct many_stage *st = stage_of(s, lane, j);
    const struct contention_lane_point *p = s->at.point[lane];
    const bool forward = st->ready[FWD] > 0, backward = st->ready[GRAD] > 0;
    if (st->left[COMPUTE] < HUGE_VAL || !(forward || backward))
        return;
    const int c = forward && !(backward && j == gpus - 1) ? FWD : GRAD;
    const double rate = 1 - st->rate[SYNC] * p->impact[c], time = 1 / rate;
    const double now = get(&s->now, lane), finish = now + p->len[c] * time;
    const double early = now + (p->len[c] - p->eps_work) * time;
    advance_stage(s, lane, st);
    st->ready[c]--;
    st->left[COMPUTE] = p->len[c];
    st->rate[COMPUTE] = rate;
    st->forwards = c == FWD;
    const double other = get(&s->finish[j], lane), other_early = get(&s->early[j], lane);
    set(&s->finish[j], lane, finish < other ? finish : other);
    set(&s->early[j], lane, early < other_early ? early : other_early);
}

static void pick_all(struct lane_state *s, int lane, stages *todo, int gpus)
{
    for (; *todo != 0; *todo &= *todo - 1)
        pick_in(s, lane, first_stage(*todo), gpus);
}

// Inputs have come to the neighbours of stages, to->ready[c]: what starts there in lanes `picks`; in
// others it is left to do.
VEC_INLINE void deliver(struct lane_state *s,
                        const struct places *p,
                        const struct lane_stage *to,
                        mask picks,
                        int gpus,
                        stages todo[LANES])
{
    const mask up = some(to->ready[FWD]), down = some(to->ready[GRAD]);
    const vec below = vec_pick(down, p->stage - vec_all(1), vec_all(NOWHERE));
    const struct places q = places_at(vec_pick(up, p->stage + vec_all(1), below));
    const vec n = vec_pick(up, to->ready[FWD], to->ready[GRAD]);
    mask idle = mask_none();
    for (int lane = 0; lane < LANES; lane++) { // without branches
        struct many_stage *st = stage_of(s, lane, q.at[lane]);
        st->ready[mask_get(up, lane) ? FWD : GRAD] += get(&n, lane);
        mask_set(&idle, lane, st->left[COMPUTE] >= HUGE_VAL);
    }
    mask both = mask_and(up, down);
    for (; mask_any(both); mask_set(&both, mask_first(both), false)) {
        const int lane = mask_first(both), j = p->at[lane] - 1;
        stage_of(s, lane, j)->ready[GRAD] += get(&to->ready[GRAD], lane);
        todo[lane] |= UINT64_C(1) << j;
        mask_set(&idle, lane, true);
    }
    idle = mask_and(idle, mask_or(up, down));
    for (; mask_any(idle); mask_set(&idle, mask_first(idle), false)) {
        const int lane = mask_first(idle);
        todo[lane] |= UINT64_C(1) << q.at[lane];
        if (mask_get(picks, lane))
            pick_all(s, lane, &todo[lane], gpus);
    }
}

// ---- an event -------------------------------------------------------------------------------

// What ends at a stage of each lane, and its shares after that; in lanes `single`, in which nothing
// ends elsewhere, also what starts there. *to: what its neighbours receive, and the shares.
VEC_INLINE void end_at(struct shape of,
                       struct lane_state *s,
                       const struct places *p,
                       mask single,
                       struct lane_stage *to)
{
    struct lane_stage st;
    to->ready[FWD] = to->ready[GRAD] = vec_all(0);
    load_stages(s, p, &st);
    advance(s, &st);
    end_transfers(of, s, &st, st.left, to, FWD);
    end_transfers(of, s, &st, st.left, to, GRAD);
    end_compute_at(of, s, p, &st);
    mask parts = meet(s, &st, is_somewhere(p));
    share(of, s, &st);
    pick_at(of, s, p, &st, single);
    set_times(s, p, &st);
    store_stages(s, p, &st);
    for (int c = 0; c < 2; c++)
        to->share[c] = st.share[c];
    for (; mask_any(parts); mask_set(&parts, mask_first(parts), false)) {
        const int lane = mask_first(parts);
        s->unsettled[lane] |= UINT64_C(1) << p->at[lane];
        s->any_unsettled = true;
    }
}

// Starts the clock of a lane anew, by a whole number of spans, exactly.
static void restart_clock(struct lane_state *s, int lane, int gpus)
{
    const double span = get(&s->at.span, lane);
    const double shift = floor(get(&s->now, lane) / span) * span;
    set(&s->now, lane, get(&s->now, lane) - shift);
    set(&s->epoch, lane, get(&s->epoch, lane) + shift);
    for (int j = 0; j < gpus; j++) {
        set(&s->finish[j], lane, get(&s->finish[j], lane) - shift);
        set(&s->early[j], lane, get(&s->early[j], lane) - shift);
        stage_of(s, lane, j)->since -= shift;
    }
}

// Moves every lane to its next event; *due: a stage at which something ends, and in *more the lanes
// with others. The lanes that have no event.
VEC_INLINE mask find_due(struct lane_state *s, int gpus, struct places *due, mask *more)
{
    vec next = vec_all(HUGE_VAL), other = next;
    vec which = vec_all(NOWHERE);
    mask some = mask_none(), several = mask_none();
    for (int j = 0; j < gpus; j += 2) { // one beyond the last is of nothing
        next = vec_min(s->finish[j], next);
        other = vec_min(s->finish[j + 1], other);
    }
    next = vec_min(next, other);
    const mask none = vec_eq(next, vec_all(HUGE_VAL));
    s->now = vec_pick(none, s->now, next);
    for (int j = 0; j < gpus; j++) {
        const mask ends = vec_le(s->early[j], s->now);
        which = vec_pick(ends, vec_all(s->number[j]), which);
        several = mask_or(several, mask_and(some, ends));
        some = mask_or(some, ends);
    }
    *more = several;
    *due = places_at(which);
    return none;
}

// In some lanes several stages have something to end: the others, each after the one before; then
// what starts at all of them.
static __attribute__((noinline)) void end_others(struct shape of,
                                                 struct lane_state *s,
                                                 mask lanes,
                                                 stages due[LANES],
                                                 stages todo[LANES])
{
    stages left[LANES] = {0};
    struct lane_stage to;
    for (mask more = lanes; mask_any(more); mask_set(&more, mask_first(more), false)) {
        const int lane = mask_first(more);
        for (int j = 0; j < of.gpus; j++)
            left[lane] |= (stages)(get(&s->early[j], lane) <= get(&s->now, lane)) << j;
        due[lane] |= left[lane];
        todo[lane] |= due[lane];
    }
    for (struct places p = take_places(left); mask_any(is_somewhere(&p));
         p = take_places(left)) {
        end_at(of, s, &p, mask_none(), &to);
        deliver(s, &p, &to, mask_none(), of.gpus, todo);
    }
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false))
        pick_all(s, mask_first(lanes), &todo[mask_first(lanes)], of.gpus);
}

// Through the next event of every lane; the lanes that have none.
VEC_INLINE mask next_event(struct shape of, struct lane_state *s)
{
    stages due[LANES], todo[LANES] = {0};
    struct places p;
    struct lane_stage to;
    mask more;
    const mask none = find_due(s, of.gpus, &p, &more), single = mask_less(mask_all(), more);
    for (int lane = 0; lane < LANES; lane++)
        due[lane] = (stages)(p.at[lane] < NOWHERE) << (p.at[lane] & 63);
    end_at(of, s, &p, single, &to);
    deliver(s, &p, &to, single, of.gpus, todo);
    if (mask_any(more))
        end_others(of, s, more, due, todo);
    mask settled = mask_all();
    for (int lane = 0; lane < LANES && s->any_unsettled; lane++)
        if (s->unsettled[lane] != 0) {
            s->unsettled[lane] |= due[lane];
            mask_set(&settled, lane, false);
        }
    const mask concerns = all_concerned(s, &p, due, to.share);
    congest(s, mask_and(mask_or(concerns, more), settled), due, of.gpus);
    return none;
}

// Takes every lane to its next event and through it; lanes whose point has ended or leaves. In
// *forks tells in which lanes kinds met for the first time at the event before; where there are
// such it does nothing else.
VEC_INLINE mask step(struct shape of, struct lane_state *s, mask *forks)
{
    *forks = s->forks;
    s->forks = mask_none();
    if (mask_any(*forks))
        return mask_none();
    if (s->any_unsettled)
        settle(of, s);
    for (mask late = vec_le(s->at.span, s->now); mask_any(late);
         mask_set(&late, mask_first(late), false))
        restart_clock(s, mask_first(late), of.gpus);
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
