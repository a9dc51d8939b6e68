// SPDX-License-Identifier: Apache-2.0
// Leftover synchronisations, and what metrics watch while lanes for few stages step. Only points
// that need this take steps with it. Included once for each instruction set, after tasks.h.

// ---- leftover synchronisations --------------------------------------------------------------

// Returns the rate of the leftover synchronisation, and takes it from that of the regular one:
// both get half of the share of their kind, or the regular one, which is earlier, gets all. With
// ideal channels nothing is divided.
VEC_INLINE vec divide_syncs(struct shape of, const struct lane_state *s,
                            const struct lane_stage *st, vec share, vec *regular)
{
    const mask two = mask_and(both_syncs(of, st), s->at.beside[GRAD]);
    const mask even = mask_less(two, s->at.exclusive[2]);
    const vec half = share * vec_all(0.5);
    *regular = vec_pick(even, half, share);
    return vec_where(st->lefts, vec_pick(even, half, vec_pick(two, vec_all(0), share)));
}

// Ends leftover synchronisations, and starts those after the last of the `backward` lanes.
VEC_INLINE void synchronise_rest(struct lane_state *s, int j, mask backward)
{
    struct lane_stage *const st = &s->stage[j];
    struct stage_more *const more = &s->more[j];
    const mask ended = vec_le(more->leftover, s->at.eps_work);
    more->backwards = vec_sub_where(backward, more->backwards, vec_all(1));
    const mask starts =
        mask_and(mask_and(backward, s->at.has_left), vec_le(more->backwards, vec_all(0)));
    more->leftover = vec_pick(ended, vec_all(HUGE_VAL), more->leftover);
    more->leftover = vec_pick(starts, s->at.left_work, more->leftover);
    st->lefts = mask_or(mask_less(st->lefts, ended), starts);
}

// ---- counts ---------------------------------------------------------------------------------

// Counts the tasks of a class that their receiver holds back for the first time.
VEC_INLINE void count_held(struct shape of, struct lane_state *s, int j, int c, mask held)
{
    const counter count = s->stage[j].count[c];
    counter *const before = &s->more[j].held[c];
    if (!of.more || !(s->watch & CONTENTION_THROTTLED))
        return;
    for (int k = 0; k < (of.crowded ? LANE_GPUS_FEW : 1); k++) {
        const mask now = mask_and(held, tally_over(count, k));
        s->sum[SUM_THROTTLED] = vec_add_where(mask_less(now, tally_over(*before, k)),
                                              s->sum[SUM_THROTTLED], vec_all(1));
    }
    *before = tally_pick(held, count, *before);
}

VEC_INLINE void count_in_flight(struct stage_more *more, mask forward, mask backward)
{
    more->in_flight = tally_add(more->in_flight, forward);
    more->peak = tally_most(more->peak, more->in_flight);
    more->in_flight = tally_take(more->in_flight, backward);
}

// ---- time -----------------------------------------------------------------------------------

// The present step, without change of what is active.
struct interval {
    vec time;
    const struct port *port;
};

VEC_INLINE void add_sum(struct lane_state *s, int sum, mask lanes, vec more)
{
    s->sum[sum] = vec_add_where(lanes, s->sum[sum], more);
}

VEC_INLINE int sum_of_stage(int j, int sum)
{
    return SUM_STAGES + STAGE_SUMS * j + sum;
}

VEC_INLINE void watch_latency(struct shape of, struct lane_state *s, int j, vec time)
{
    const struct lane_stage *st = &s->stage[j];
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < (of.crowded ? LANE_GPUS_FEW : 1); k++)
            if (kinds_of(of, j) >> c & 1)
                add_sum(s, SUM_LATENCY + c, tally_over(st->count[c], k), time);
    add_sum(s, SUM_LATENCY + CONTENTION_GRAD_SYNC, st->syncs, time);
    if (s->at.any_left)
        add_sum(s, SUM_LATENCY + CONTENTION_GRAD_SYNC, st->lefts, time);
}

// The stage from which transfers of class c come to stage j.
VEC_INLINE int sender_to(int j, int c)
{
    return c == FWD ? j - 1 : j + 1;
}

// Returns the lanes in which transfers of a class are on their way to stage j.
VEC_INLINE mask coming_to(struct shape of, const struct interval *i, int j, int c)
{
    const int from = sender_to(j, c);
    return from < 0 || from >= of.gpus ? mask_none() : i->port[from].active[c];
}

// Returns the part of the interval that synchronisations take from the transfers of a class to
// stage j.
VEC_INLINE vec sync_in_the_way(struct shape of, const struct lane_state *s,
                               const struct interval *i, int j, int c)
{
    const int from = sender_to(j, c);
    if (from < 0 || from >= of.gpus)
        return vec_all(0);
    const struct port *port = &i->port[from];
    return vec_where(mask_less(s->at.beside[c], port->held[c]), port->share[2]) * i->time;
}

// Counts what stage j waited for while both classes were on their way: its present task.
VEC_INLINE void settle_wait(struct lane_state *s, int j)
{
    struct stage_more *const more = &s->more[j];
    const struct lane_stage *st = &s->stage[j];
    const mask lanes = mask_and(st->busy, more->has_unsettled);
    if (!mask_any(lanes))
        return;
    for (int c = 0; c < 2; c++) {
        const mask of = c == FWD ? mask_and(lanes, st->forward) : mask_less(lanes, st->forward);
        add_sum(s, sum_of_stage(j, STAGE_WAIT + c), of, more->unsettled);
        add_sum(s, sum_of_stage(j, STAGE_SYNC + c), of, more->unsettled_sync[c]);
        more->unsettled_sync[c] = vec_pick(lanes, vec_all(0), more->unsettled_sync[c]);
    }
    more->unsettled = vec_pick(lanes, vec_all(0), more->unsettled);
    more->has_unsettled = mask_less(more->has_unsettled, lanes);
}

// Watches what stage j waits for, in lanes in which it does not compute.
VEC_INLINE void watch_wait(struct shape of, struct lane_state *s, const struct interval *i,
                           int j)
{
    struct stage_more *const more = &s->more[j];
    const mask busy = s->stage[j].busy;
    const mask coming[2] = {mask_less(coming_to(of, i, j, FWD), busy),
                            mask_less(coming_to(of, i, j, GRAD), busy)};
    const mask both = mask_and(coming[FWD], coming[GRAD]);
    vec sync[2];
    for (int c = 0; c < 2; c++) {
        sync[c] = sync_in_the_way(of, s, i, j, c);
        add_sum(s, sum_of_stage(j, STAGE_WAIT + c), mask_less(coming[c], both), i->time);
        add_sum(s, sum_of_stage(j, STAGE_SYNC + c), mask_less(coming[c], both), sync[c]);
    }
    if (mask_any(both)) {
        more->unsettled = vec_add_where(both, more->unsettled, i->time);
        for (int c = 0; c < 2; c++)
            more->unsettled_sync[c] = vec_add_where(both, more->unsettled_sync[c], sync[c]);
        more->has_unsettled = mask_or(more->has_unsettled, both);
    }
    settle_wait(s, j);
}

// Watches when the last tasks of stage j end: the clock is at the end of the interval.
VEC_INLINE void watch_end(struct lane_state *s, const struct interval *i, int j)
{
    struct stage_more *const more = &s->more[j];
    const mask *active = i->port[j].active, busy = s->stage[j].busy;
    const mask any = mask_or(mask_or(active[0], active[1]), mask_or(active[2], busy));
    more->last = vec_pick(busy, s->now, more->last);
    more->end = vec_pick(any, s->now, more->end);
}

VEC_INLINE void watch_stage(struct shape of, struct lane_state *s, const struct interval *i,
                            int j)
{
    const mask busy = s->stage[j].busy;
    if (s->watch & (CONTENTION_BUSY | CONTENTION_PARTS))
        add_sum(s, sum_of_stage(j, STAGE_BUSY), busy, i->time);
    if (s->watch & CONTENTION_LATENCY)
        watch_latency(of, s, j, i->time);
    if (s->watch & CONTENTION_EXPOSED) {
        const mask coming = mask_or(coming_to(of, i, j, FWD), coming_to(of, i, j, GRAD));
        add_sum(s, SUM_EXPOSED, mask_less(coming, busy), i->time);
    }
    if (s->watch & CONTENTION_PARTS) {
        watch_wait(of, s, i, j);
        watch_end(s, i, j);
    }
}

VEC_INLINE void watch(struct shape of, struct lane_state *s, const struct port *port, vec time)
{
    const struct interval interval = {time, port};
    UNROLL for (int j = 0; j < of.gpus; j++) watch_stage(of, s, &interval, j);
}

// ---- one lane, in the end -------------------------------------------------------------------

static double stage_sum(const struct lane_state *s, int lane, int j, int sum)
{
    return get(&s->sum[sum_of_stage(j, sum)], lane);
}

static void take_critical(const struct lane_state *s, int lane, struct contention_watch *to)
{
    int j = 0;
    while (j < LANE_GPUS_FEW - 1 &&
           get(&s->more[j].end, lane) < get(&s->now, lane) * (1 - CONTENTION_CRITICAL_SLACK))
        j++;
    to->critical_gpu = j;
    to->critical_busy = stage_sum(s, lane, j, STAGE_BUSY);
    to->critical_last = get(&s->more[j].last, lane);
    to->critical_waits[CONTENTION_GRAD_SYNC] = 0;
    for (int c = 0; c < 2; c++) {
        const double sync = stage_sum(s, lane, j, STAGE_SYNC + c);
        to->critical_waits[c] = stage_sum(s, lane, j, STAGE_WAIT + c) - sync;
        to->critical_waits[CONTENTION_GRAD_SYNC] += sync;
    }
}

// Fills *to with what was watched in a lane.
static void take_watch(const struct lane_state *s, int lane, int gpus,
                       struct contention_watch *to)
{
    *to = (struct contention_watch){.exposed = get(&s->sum[SUM_EXPOSED], lane),
                                    .throttled_tasks = get(&s->sum[SUM_THROTTLED], lane)};
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        to->latency[k] = get(&s->sum[SUM_LATENCY + k], lane);
    for (int j = 0; j < gpus; j++) {
        const int peak = tally_get(s->more[j].peak, lane);
        to->busy += stage_sum(s, lane, j, STAGE_BUSY);
        to->peak_in_flight = peak > to->peak_in_flight ? peak : to->peak_in_flight;
    }
    if (s->watch & CONTENTION_PARTS)
        take_critical(s, lane, to);
}
