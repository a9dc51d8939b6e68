// SPDX-License-Identifier: Apache-2.0
// One stage of one lane, where stages are many. Included once for each instruction set, after
// lane_many.h.

// ---- the small numbers of a record ----------------------------------------------------------

VEC_INLINE int count_of(const struct many_stage *st, int c)
{
    return (int)(st->counts >> count_at(c) & COUNT_MAX);
}

VEC_INLINE int ready_of(const struct many_stage *st, int c)
{
    return (int)(st->counts >> ready_at(c) & COUNT_MAX);
}

VEC_INLINE bool is_forward(const struct many_stage *st)
{
    return st->waiting >> FORWARD_AT & 1;
}

VEC_INLINE void set_forward(struct many_stage *st, bool forward)
{
    const uint64_t one = UINT64_C(1) << FORWARD_AT;
    st->waiting = forward ? st->waiting | one : st->waiting & ~one;
}

// Where the gap of transfer k, counted from the head, of a class of a stage stands.
VEC_INLINE int gap_place(uint64_t counts, int c, int k)
{
    return ((int)(counts >> sent_at(c) & SENT_MAX) + k) & (LANE_GPUS_MAX - 1);
}

// ---- one lane -------------------------------------------------------------------------------

static double lane_time(const struct lane_state *s, int lane)
{
    return get(&s->epoch, lane) + get(&s->now, lane);
}

static double compute_rate_of(const struct lane_state *s, int lane, const struct many_stage *st)
{
    return 1 - st->rate[SYNC] * s->at.point[lane]->impact[is_forward(st) ? FWD : GRAD];
}

// Brings the work left at a stage of a lane up to now, save that of compute.
static void advance_transfers(const struct lane_state *s, int lane, struct many_stage *st)
{
    const double now = get(&s->now, lane), step = now - st->since;
    for (int k = 0; k < COMPUTE; k++)
        st->left[k] -= st->rate[k] * step;
    for (int c = 0; c < 2; c++)
        st->tail[c] -= st->second[c] * step;
    st->since = now;
}

static void advance_stage(const struct lane_state *s, int lane, struct many_stage *st)
{
    const double step = get(&s->now, lane) - st->since;
    st->left[COMPUTE] -= compute_rate_of(s, lane, st) * step;
    advance_transfers(s, lane, st);
}

// What a stage of a lane is like now.
static void take_stage(const struct lane_state *s, int lane, int j, struct look_stage *to)
{
    struct many_stage st = *look_stage_of(s, lane, j);
    advance_stage(s, lane, &st);
    for (int k = 0; k < N_SLOTS; k++)
        to->left[k] = st.left[k];
    for (int c = 0; c < 2; c++) {
        to->count[c] = count_of(&st, c);
        to->ready[c] = ready_of(&st, c);
        to->tail[c] = to->count[c] > 1 ? st.tail[c] : 0;
    }
    to->until_sync = (double)(st.waiting >> UNTIL_AT);
    to->pending = (double)(st.waiting & PENDING_MAX);
    to->forward = st.left[COMPUTE] < HUGE_VAL && is_forward(&st);
}

static double lane_gap(const struct lane_state *s, int lane, int j, int c, int k)
{
    return s->gap[lane][gap_place(look_stage_of(s, lane, j)->counts, c, k + 1)];
}

// The synchronisations of a stage are others now.
static void set_syncs(struct lane_state *s, int lane, int j, double left, double pending)
{
    struct many_stage *st = stage_of(s, lane, j);
    advance_stage(s, lane, st);
    st->left[SYNC] = left;
    st->waiting = (st->waiting & ~PENDING_MAX) | (uint64_t)pending;
    s->unsettled[lane] |= UINT64_C(1) << j;
    s->any_unsettled = true;
}

// Steps of a lane that were no event of their own.
static int64_t lane_repeats(const struct lane_state *s, int lane)
{
    return (int64_t)get(&s->repeats, lane);
}

static bool lane_has_tasks(const struct lane_state *s, int lane, int j)
{
    const struct many_stage *st = look_stage_of(s, lane, j);
    bool any = false;
    for (int k = 0; k < N_SLOTS; k++)
        any = any || st->left[k] < HUGE_VAL;
    return any;
}

static void stamp_look(const struct lane_state *s, int lane, struct lane_look *look)
{
    look->now = get(&s->now, lane);
    look->base = get(&s->epoch, lane);
}

// Time from one look to another.
static double time_between(const struct lane_look *old, const struct lane_look *new)
{
    return (new->base - old->base) + (new->now - old->now);
}

// Moves the clock ahead by what passed between two looks, of which the last is now.
static void skip_time(struct lane_state *s,
                      int lane,
                      const struct lane_look *old,
                      const struct lane_look *new,
                      double times)
{
    set(&s->epoch, lane, get(&s->epoch, lane) + times * time_between(old, new));
}
