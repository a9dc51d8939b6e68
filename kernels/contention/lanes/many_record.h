// SPDX-License-Identifier: Apache-2.0
// A record of lanes for many stages holds one stage of one lane. Included once for each
// instruction set, after many.h.

// ---- the small numbers of a record ----------------------------------------------------------

VEC_INLINE int count_of(const struct many_stage *st, int c)
{
    return (int)(st->counts >> count_at(c) & COUNT_MAX);
}

enum { FEW_TASKS = 16 };

// 1 / n; of none, 1.
static const double part_of_few[FEW_TASKS] = {
    1,       1,       1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,
    1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15,
};

VEC_INLINE double part_of_one(int n)
{
    return n < FEW_TASKS ? part_of_few[n] : 1.0 / n;
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
    st->waiting &= ~(UINT64_C(1) << FORWARD_AT);
    st->waiting |= (uint64_t)forward << FORWARD_AT;
}

// Returns the place of the gap of transfer k, counted from the head, of a class of a stage.
VEC_INLINE int gap_place(uint64_t counts, int c, int k)
{
    return ((int)(counts >> sent_at(c) & SENT_MAX) + k) & (LANE_GPUS_MAX - 1);
}

// ---- one lane -------------------------------------------------------------------------------

static double lane_time(const struct lane_state *s, int lane)
{
    return get(&s->epoch, lane) + get(&s->now, lane);
}

static double compute_rate_of(const struct contention_lane_point *p,
                              const struct many_stage *st)
{
    return 1 - st->rate[SYNC] * p->impact[is_forward(st) ? FWD : GRAD];
}

// Returns the work left of the compute task.
static double compute_left(const struct contention_lane_point *p, const struct many_stage *st,
                           double now)
{
    return st->left[COMPUTE] - compute_rate_of(p, st) * (now - st->since);
}

// Computes the present work left at a stage, except of the compute task.
static void advance_transfers(struct many_stage *st, double now)
{
    const double step = now - st->since;
    for (int k = 0; k < COMPUTE; k++)
        st->left[k] -= st->rate[k] * step;
    for (int c = 0; c < 2; c++)
        st->tail[c] -= st->second[c] * step;
    st->since = now;
}

static void advance_stage(const struct contention_lane_point *p, struct many_stage *st,
                          double now)
{
    st->left[COMPUTE] = compute_left(p, st, now);
    advance_transfers(st, now);
}

// Fills *to with the state of a stage at time `now`.
static void unpack_stage(const struct contention_lane_point *p, struct many_stage st,
                         double now, struct look_stage *to)
{
    advance_stage(p, &st, now);
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

static void take_stage(const struct lane_state *s, int lane, int j, struct look_stage *to)
{
    unpack_stage(s->at.point[lane], *look_stage_of(s, lane, j), get(&s->now, lane), to);
}

// Copies the state of a lane as it is in memory, since few looks are ever compared with
// another. Returns its mark.
static double note_look(const struct lane_state *s, int lane, int gpus, lane_look *look)
{
    const struct contention_lane_point *p = s->at.point[lane];
    double mark = 0;
    look->now = get(&s->now, lane);
    look->epoch = get(&s->epoch, lane);
    memcpy(look->gap, s->gap[lane], sizeof look->gap);
    for (int j = 0; j < gpus; j++) {
        const struct many_stage *st = look_stage_of(s, lane, j);
        look->record[j] = *st;
        mark += mark_of(compute_left(p, st, look->now), j);
    }
    return mark;
}

// Fills *to with the state of a stage at a look.
static void look_at_stage(const lane_look *look, const struct contention_lane_point *p, int j,
                          struct look_stage *to)
{
    unpack_stage(p, look->record[j], look->now, to);
}

// Returns the work left of transfer k of a class, counted from the head, minus the work left of
// transfer k - 1.
static double look_gap(const lane_look *look, int j, int c, int k)
{
    return look->gap[gap_place(look->record[j].counts, c, k)];
}

// Replaces the synchronisations of a stage.
static void set_syncs(struct lane_state *s, int lane, int j, double left, double pending)
{
    struct many_stage *st = stage_of(s, lane, j);
    advance_stage(s->at.point[lane], st, get(&s->now, lane));
    st->left[SYNC] = left;
    st->waiting = (st->waiting & ~PENDING_MAX) | (uint64_t)pending;
    s->unsettled[lane] |= UINT64_C(1) << j;
    s->any_unsettled = true;
}

// Returns the steps of a lane that were not an event.
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

// Returns the time from one look to another.
static double time_between(const lane_look *old, const lane_look *new)
{
    return (new->epoch - old->epoch) + (new->now - old->now);
}

// Moves the clock ahead by the time between two looks; the second look is now.
static void take_watch(const struct lane_state *s, int lane, int gpus,
                       struct contention_watch *to)
{
    (void)s;
    (void)lane;
    (void)gpus;
    *to = (struct contention_watch){.busy = 0};
}

static void skip_backwards(struct lane_state *s, int lane, double n)
{
    set(&s->to_come, lane, get(&s->to_come, lane) - n);
}

static void skip_time(struct lane_state *s, int lane, const lane_look *old,
                      const lane_look *new, double times)
{
    set(&s->epoch, lane, get(&s->epoch, lane) + times * time_between(old, new));
}
