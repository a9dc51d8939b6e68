// SPDX-License-Identifier: Apache-2.0
// Simulates steps in lanes for few stages: each lane simulates one point, and every step takes
// all lanes to their next events. A step never branches on the work of a single lane, only on
// whether a rare case occurs in any lane. All stages take part in every step. Included once for
// each instruction set, after tasks.h.

// ---- congestion -----------------------------------------------------------------------------

VEC_INLINE void set_port(struct shape of, const struct lane_state *s, struct port *port, int j)
{
    const struct lane_stage *st = &s->stage[j];
    *port = (struct port){
        .active = {has_tasks(st, FWD), has_tasks(st, GRAD), has_syncs(of, st)},
    };
    share_port(of, &s->at, st, kinds_of(of, j), port->active, port->share);
}

// Distributes the rest of the bandwidth of class c at a stage, in the lanes in which a receiver
// throttles the class.
VEC_INLINE void hand_out_rest(struct shape of, struct lane_state *s, int j, struct port *port,
                              int c, mask held)
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
    // An exclusive class of several tasks gives its second task the rest. These points leave:
    // other code simulates them.
    const mask second = mask_and(s->at.exclusive[c], several(of, st, c));
    s->leaves = mask_or(s->leaves, mask_and(held, second));
}

// Makes a round for receiver r. With so few stages no sender has two receivers, so bandwidth
// that is distributed again reaches no other receiver, and one round is enough.
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
    if (of.more) {
        before->held[FWD] = after->held[GRAD] = over;
        count_held(of, s, r - 1, FWD, over);
        count_held(of, s, r + 1, GRAD, over);
    }
    hand_out_rest(of, s, r - 1, before, FWD, over);
    hand_out_rest(of, s, r + 1, after, GRAD, over);
}

// ---- (d): rates, and the time to the next event ---------------------------------------------

// Returns the lanes in which a set of kinds is together for the first time.
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

// Sets the rates of the heads and of the other tasks.
VEC_INLINE void set_rates(struct shape of, const struct lane_state *s, const struct port *port,
                          int j, vec rate[N_SLOTS])
{
    const struct lane_stage *st = &s->stage[j];
    for (int c = 0; c < 2; c++) {
        rate[c] = port->share[c];
        if (mask_any(several(of, st, c))) {
            const mask even = mask_and(several(of, st, c), s->at.divided[c]);
            rate[c] = vec_pick(even, rate[c] * part_of_task(st, c), rate[c]);
        }
    }
    rate[SYNC] = port->share[2];
    const vec impact = vec_pick(st->forward, s->at.impact[FWD], s->at.impact[GRAD]);
    rate[COMPUTE] = vec_all(1) - port->share[2] * impact;
}

// Returns the time until the first task of a stage ends: the least left / rate, found by
// comparing products with the rate of the other task, which are cheaper than quotients. With a
// rate of 0, or without a task, the quotient is HUGE_VAL; if all quotients are, the result is
// HUGE_VAL.
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

// Sets the rates of all stages. Returns the time to the next event of each lane; DBL_MAX
// without an event, which leaves HUGE_VAL unchanged.
VEC_INLINE vec set_all_rates(struct shape of, struct lane_state *s, lefts left,
                             struct port port[LANE_GPUS_FEW], vec rate[LANE_GPUS_FEW][N_SLOTS],
                             vec left_rate[LANE_GPUS_FEW])
{
    vec step = vec_all(DBL_MAX);
    UNROLL for (int r = 1; r < of.gpus - 1; r++) congest(of, s, port, r);
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        set_rates(of, s, &port[j], j, rate[j]);
        if (of.more && s->at.any_left) {
            left_rate[j] = divide_syncs(of, s, &s->stage[j], port[j].share[2], &rate[j][SYNC]);
            step = vec_min(s->more[j].leftover / left_rate[j], step);
        }
        step = vec_min(earliest(left[j], kinds_of(of, j), rate[j]), step);
    }
    return step;
}

// Returns the time to the next event of each lane if all rates are 1.
VEC_INLINE vec first_end(struct shape of, lefts left)
{
    vec step = vec_all(DBL_MAX);
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        for (int k = 0; k < N_SLOTS; k++)
            if (k == COMPUTE || kinds_of(of, j) >> k & 1)
                step = vec_min(left[j][k], step);
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

// ---- what ends and starts at a stage --------------------------------------------------------

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
        add_ready(st, GRAD, forward);
    if (j > 0) {
        send(of, s, st, left, GRAD, backward);
    } else {
        const mask more = mask_and(backward, vec_gt(s->to_come, vec_all(of.gpus)));
        s->to_come = vec_sub_where(backward, s->to_come, vec_all(1));
        add_ready(st, FWD, more);
    }
    synchronise(s, st, left, backward);
    if (of.more && s->at.any_left)
        synchronise_rest(s, j, backward);
    if (of.more && s->watch & CONTENTION_PEAK)
        count_in_flight(&s->more[j], forward, backward);
}

VEC_INLINE void end_tasks(struct shape of, struct lane_state *s, vec *left, int j)
{
    if (j < of.gpus - 1)
        end_transfers(of, s, &s->stage[j], left, &s->stage[j + 1], FWD);
    if (j > 0)
        end_transfers(of, s, &s->stage[j], left, &s->stage[j - 1], GRAD);
    end_compute(of, s, left, j);
}

VEC_INLINE void pick_compute(struct shape of, struct lane_state *s, vec *left, int j)
{
    mask starts[2];
    choose_compute(&s->stage[j], j == of.gpus - 1 ? mask_all() : mask_none(), starts);
    start_compute(s, &s->stage[j], left, starts);
}

// ---- the lanes ------------------------------------------------------------------------------

// Ends and starts tasks at the event that all lanes have reached. Returns the lanes whose point
// has ended or leaves.
VEC_INLINE mask change_tasks(struct shape of, struct lane_state *s, lefts left, mask none)
{
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        end_tasks(of, s, left[j], j);
        if (j > 0)
            pick_compute(of, s, left[j - 1],
                         j - 1); // transfers from its neighbours have arrived
    }
    pick_compute(of, s, left[of.gpus - 1], of.gpus - 1);
    s->steps++;
    return mask_or(none, s->leaves);
}

// Takes every lane to its next event and through it, if all rates are 1.
VEC_INLINE mask step_ideal(struct shape of, struct lane_state *s, lefts left)
{
    const vec time = first_end(of, left);
    const mask none = vec_eq(time, vec_all(DBL_MAX));
    add_time(s, vec_pick(none, vec_all(0), time));
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        for (int k = 0; k < N_SLOTS; k++)
            left[j][k] -= time;
    }
    return change_tasks(of, s, left, none);
}

// Takes every lane to its next event and through it. Returns the lanes whose point has ended or
// leaves. *forks: the lanes in which kinds meet for the first time; if that separates points,
// the function does nothing else.
VEC_INLINE mask step_as(struct shape of, struct lane_state *s, lefts left, mask *forks)
{
    struct port port[LANE_GPUS_FEW];
    vec rate[LANE_GPUS_FEW][N_SLOTS];
    *forks = mask_none();
    if (of.ideal)
        return step_ideal(of, s, left);
    UNROLL for (int j = 0; j < of.gpus; j++) set_port(of, s, &port[j], j);
    *forks = meet(of, s, port);
    if (mask_any(mask_less(*forks, s->alone)))
        return mask_none();
    vec left_rate[LANE_GPUS_FEW];
    const vec time = set_all_rates(of, s, left, port, rate, left_rate);
    const mask none = vec_eq(time, vec_all(DBL_MAX));
    const vec passed = vec_pick(none, vec_all(0), time);
    add_time(s, passed);
    if (of.more && s->watch != 0)
        watch(of, s, port, passed);
    UNROLL for (int j = 0; j < of.gpus; j++)
    {
        advance(left[j], kinds_of(of, j), rate[j], time);
        if (of.more && s->at.any_left)
            s->more[j].leftover -= left_rate[j] * time;
    }
    return change_tasks(of, s, left, none);
}

VEC_INLINE mask step(struct lane_state *s, lefts left, struct shape of, mask *forks)
{
    mask crowd = mask_none();
    UNROLL for (int j = 0; j < of.gpus; j++) for (int c = 0; c < 2; c++) crowd =
        mask_or(crowd, tally_over(s->stage[j].count[c], 1));
    of.crowded = true;
    if (mask_any(crowd))
        return step_as(of, s, left, forks);
    of.crowded = false;
    return step_as(of, s, left, forks);
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

// ---- many steps -----------------------------------------------------------------------------

// Takes steps until a lane needs attention, or a poll of the stop flag is due.
VEC_INLINE struct news go_on(struct lane_state *s, struct shape of)
{
    struct news news = {.looks = mask_none()};
    lefts left;
    load_left(s, left, of.gpus);
    do {
        news.ended = step(s, left, of, &news.forks);
        if (s->any_looks)
            news.looks = vec_le(s->to_come, s->look_at);
    } while (!mask_any(mask_or(mask_or(news.ended, news.forks), news.looks)) &&
             s->steps % POLL_STEPS != 0);
    store_left(s, left, of.gpus);
    return news;
}

// One function for each number of stages and kind of points, so that its loops are unrolled.
// Separate functions contain only the code of steps, and reach the lanes through a pointer: with
// the lanes on the stack of the loop, steps took a third longer at unfavourable code addresses
// (bench/README.md).
#define DEFINE_GO_ON(name_, gpus_, more_, ideal_)                                              \
    static __attribute__((noinline)) struct news name_##gpus_(struct lane_state *s)            \
    {                                                                                          \
        return go_on(s, (struct shape){gpus_, false, more_, ideal_});                          \
    }

DEFINE_GO_ON(go_on_, 2, false, false)
DEFINE_GO_ON(go_on_, 3, false, false)
DEFINE_GO_ON(go_on_, 4, false, false)
DEFINE_GO_ON(go_on_more_, 2, true, false)
DEFINE_GO_ON(go_on_more_, 3, true, false)
DEFINE_GO_ON(go_on_more_, 4, true, false)
DEFINE_GO_ON(go_on_ideal_, 2, false, true)
DEFINE_GO_ON(go_on_ideal_, 3, false, true)
DEFINE_GO_ON(go_on_ideal_, 4, false, true)

static struct news go_on_with(struct lane_state *s, int gpus)
{
    if (!s->at.any_ports && !s->at.any_left && s->watch == 0)
        return gpus == 2 ? go_on_ideal_2(s) : gpus == 3 ? go_on_ideal_3(s) : go_on_ideal_4(s);
    if (s->watch != 0 || s->at.any_left)
        return gpus == 2 ? go_on_more_2(s) : gpus == 3 ? go_on_more_3(s) : go_on_more_4(s);
    return gpus == 2 ? go_on_2(s) : gpus == 3 ? go_on_3(s) : go_on_4(s);
}
