// SPDX-License-Identifier: Apache-2.0
// The state of lanes for few stages contains everything that the future of a point depends on,
// relative to now. Included once for each instruction set, after common.h. model.md, Lanes,
// explains why the state is sufficient.
typedef tally counter; // of tasks, up to four
typedef struct few_snapshot lane_snapshot;
typedef struct few_look lane_look;

struct lane_stage {
    vec left[N_SLOTS]; // work left; HUGE_VAL: no task
    mask syncs, busy;  // a synchronisation is active; a compute task is active
    mask forward;      // the compute task, if any, is a forward
    mask has_pending;
    mask lefts;       // the leftover synchronisation is active
    counter count[2]; // active tasks of a class
    counter ready[2]; // forwards, backwards that wait only for the stage
    // With two or more tasks: work left of the last task minus work left of the head.
    vec tail[2];
    vec gap[2][LANE_GPUS_FEW - 1]; // work left of a task minus work left of the task before
    vec until_sync;                // backwards until a synchronisation is due
    vec pending;                   // due synchronisations that wait for the previous one
};

_Static_assert(sizeof(struct lane_stage) % 512 != 0,
               "loads of masks wait for stores to other stages a round number of bytes away");

// What only points with metrics or a leftover synchronisation need of a stage.
struct stage_more {
    vec leftover;          // work left; HUGE_VAL: none is active
    vec backwards;         // that have not ended
    vec end, last;         // when its last task, its last compute task ended
    vec unsettled;         // time without compute while both classes are on their way,
    vec unsettled_sync[2]; // and the part of it that synchronisations cause, by class
    mask has_unsettled;
    counter in_flight, peak; // micro-batches between their forward and their backward
    counter held[2];         // leading tasks of a class that their receiver has held back
};

// The port of a stage.
struct port {
    mask active[3]; // kinds that have tasks
    vec share[3];
    mask held[2]; // a receiver holds the class back
};

// The work left at all stages during steps.
typedef vec lefts[LANE_GPUS_FEW][N_SLOTS];

struct lane_state {
    struct constants at;
    struct lane_stage stage[LANE_GPUS_FEW];
    vec now, carry; // time, and the sum of its rounding errors
    vec to_come;    // backwards that stage 0 has not ended
    mask leaves;    // lanes whose point this simulation cannot finish
    // By set of kinds: the set has been together, or its shares do not matter.
    mask known[N_SETS];
    mask meets[N_SETS]; // the set is together for the first time
    mask alone;         // lanes with a single point, which never separates
    int64_t steps;
    vec look_at;    // `to_come` at the next look; negative: no look
    bool any_looks; // false: no lane has a look
    unsigned watch; // CONTENTION_WATCHED that are wanted
    struct stage_more more[LANE_GPUS_FEW];
    vec sum[FEW_SUMS];
};

// Returns the kinds that a stage can have: bit 0 fwd_prop, but not at the last stage; bit 1
// grad_prop, but not at the first; bit 2 grad_sync. The compiler evaluates each call to a
// constant.
VEC_INLINE unsigned kinds_of(struct shape of, int j)
{
    return (j < of.gpus - 1 ? 1u : 0) | (j > 0 ? 2u : 0) | 4u;
}

// ---- how many -------------------------------------------------------------------------------

// Returns the lanes in which a class has tasks.
VEC_INLINE mask has_tasks(const struct lane_stage *st, int c)
{
    return tally_over(st->count[c], 0);
}

VEC_INLINE vec n_tasks(const struct lane_stage *st, int c)
{
    vec n = vec_all(0);
    for (int k = 0; k < LANE_GPUS_FEW; k++)
        n = vec_pick(tally_over(st->count[c], k), vec_all(k + 1), n);
    return n;
}

// Returns 1 / n_tasks; 1 without tasks.
VEC_INLINE vec part_of_task(const struct lane_stage *st, int c)
{
    vec r = vec_all(1);
    for (int k = 1; k < LANE_GPUS_FEW; k++)
        r = vec_pick(tally_over(st->count[c], k), vec_all(1.0 / (k + 1)), r);
    return r;
}

VEC_INLINE mask has_ready(const struct lane_stage *st, int c)
{
    return tally_over(st->ready[c], 0);
}

VEC_INLINE void add_ready(struct lane_stage *st, int c, mask lanes)
{
    st->ready[c] = tally_add(st->ready[c], lanes);
}

VEC_INLINE void take_ready(struct lane_stage *st, int c, mask lanes)
{
    st->ready[c] = tally_take(st->ready[c], lanes);
}

// ---- synchronisations -----------------------------------------------------------------------

// Counts the backwards that have ended in lanes `ended`. Returns the lanes in which a
// synchronisation becomes due.
VEC_INLINE mask count_backwards(const struct lane_state *s, struct lane_stage *st, mask ended)
{
    st->until_sync = vec_sub_where(ended, st->until_sync, vec_all(1));
    const mask due = mask_and(ended, vec_le(st->until_sync, vec_all(0)));
    st->until_sync = vec_pick(due, s->at.sync_freq, st->until_sync);
    return due;
}

// Adds a waiting synchronisation in lanes `more` and removes one in lanes `fewer`.
VEC_INLINE void change_pending(struct lane_stage *st, mask more, mask fewer)
{
    st->pending = vec_sub_where(fewer, st->pending, vec_all(1));
    st->pending = vec_add_where(more, st->pending, vec_all(1));
    st->has_pending = vec_gt(st->pending, vec_all(0));
}

// Returns the lanes in which a regular and a leftover synchronisation are active.
VEC_INLINE mask both_syncs(struct shape of, const struct lane_stage *st)
{
    return of.more ? mask_and(st->syncs, st->lefts) : mask_none();
}

// Returns the lanes in which a synchronisation is active.
VEC_INLINE mask has_syncs(struct shape of, const struct lane_stage *st)
{
    return of.more ? mask_or(st->syncs, st->lefts) : st->syncs;
}

// ---- a class --------------------------------------------------------------------------------

// Returns the lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    return of.crowded ? tally_over(st->count[c], 1) : mask_none();
}

// Add a task to a class: to an empty class, or to a class with tasks.
VEC_INLINE void add_first(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_add_first(st->count[c], lanes);
}

VEC_INLINE void add_another(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_add(st->count[c], lanes);
}

// Remove the head of a class; drop_last: the head is the only task.
VEC_INLINE void drop_head(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_take(st->count[c], lanes);
}

VEC_INLINE void drop_last(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_take_last(st->count[c], lanes);
}

// Adds a task behind the other tasks of its class, with `tail` more work left than the head.
VEC_INLINE void put_last(struct shape of, struct lane_state *s, struct lane_stage *st, int c,
                         mask lanes, vec tail)
{
    const vec before = vec_where(several(of, st, c), st->tail[c]);
    (void)s;
    for (int k = 0; k < LANE_GPUS_FEW - 1; k++) {
        const mask here =
            mask_less(tally_over(st->count[c], k), tally_over(st->count[c], k + 1));
        st->gap[c][k] = vec_pick(mask_and(lanes, here), tail - before, st->gap[c][k]);
    }
    st->tail[c] = vec_pick(lanes, tail, st->tail[c]);
}

// Makes the next task the head of a class in some lanes. Returns the work left of the new head.
VEC_INLINE vec take_next(struct lane_state *s, struct lane_stage *st, const vec *left, int c,
                         mask lanes)
{
    const vec gap = st->gap[c][0];
    st->tail[c] = vec_sub_where(lanes, st->tail[c], gap);
    for (int k = 0; k < LANE_GPUS_FEW - 2; k++)
        st->gap[c][k] = vec_pick(lanes, st->gap[c][k + 1], st->gap[c][k]);
    return vec_pick(s->at.exclusive[c], s->at.prop_len, left[c] + gap);
}

// The heads of a class have ended: their marks of `held` end with them.
VEC_INLINE void forget_held(struct shape of, struct lane_state *s, const struct lane_stage *st,
                            int c, mask ended)
{
    if (!of.more || !(s->watch & CONTENTION_THROTTLED))
        return;
    counter *const held = &s->more[st - s->stage].held[c];
    *held = tally_take(*held, mask_and(ended, tally_over(*held, 0)));
}

// ---- one lane -------------------------------------------------------------------------------

static double lane_time(const struct lane_state *s, int lane)
{
    return get(&s->now, lane);
}

// Fills *to with the present state of a stage of a lane.
static void take_stage(const struct lane_state *s, int lane, int j, struct look_stage *to)
{
    const struct lane_stage *st = &s->stage[j];
    for (int k = 0; k < N_SLOTS; k++)
        to->left[k] = get(&st->left[k], lane);
    for (int c = 0; c < 2; c++) {
        to->count[c] = tally_get(st->count[c], lane);
        to->ready[c] = tally_get(st->ready[c], lane);
        to->tail[c] = to->count[c] > 1 ? get(&st->tail[c], lane) : 0;
    }
    to->until_sync = get(&st->until_sync, lane);
    to->pending = get(&st->pending, lane);
    to->forward = to->left[COMPUTE] < HUGE_VAL && mask_get(st->forward, lane);
}

// Records the state of a lane. Returns its mark.
static double note_look(const struct lane_state *s, int lane, int gpus, lane_look *look)
{
    double mark = 0;
    look->now = get(&s->now, lane);
    look->carry = get(&s->carry, lane);
    for (int k = 0; k < FEW_SUMS && s->watch != 0; k++)
        look->sum[k] = get(&s->sum[k], lane);
    for (int j = 0; j < gpus; j++) {
        struct look_stage *is = &look->stage[j].is;
        take_stage(s, lane, j, is);
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < is->count[c] - 1; k++)
                look->stage[j].gap[c][k] = get(&s->stage[j].gap[c][k], lane);
        mark += mark_of(is->left[COMPUTE], j);
    }
    return mark;
}

// Fills *to with the state of a stage at a look.
static void look_at_stage(const lane_look *look, const struct contention_lane_point *p, int j,
                          struct look_stage *to)
{
    (void)p;
    *to = look->stage[j].is;
}

// Returns the work left of transfer k of a class, counted from the head, minus the work left of
// transfer k - 1.
static double look_gap(const lane_look *look, int j, int c, int k)
{
    return look->stage[j].gap[c][k - 1];
}

// Replaces the synchronisations of a stage.
static void set_syncs(struct lane_state *s, int lane, int j, double left, double pending)
{
    struct lane_stage *st = &s->stage[j];
    set(&st->left[SYNC], lane, left);
    set(&st->pending, lane, pending);
    mask_set(&st->has_pending, lane, pending > 0);
}

// Returns the steps of a lane that were not an event: none.
static int64_t lane_repeats(const struct lane_state *s, int lane)
{
    (void)s;
    (void)lane;
    return 0;
}

static bool lane_has_tasks(const struct lane_state *s, int lane, int j)
{
    bool any = false;
    for (int k = 0; k < N_SLOTS; k++)
        any = any || get(&s->stage[j].left[k], lane) < HUGE_VAL;
    return any || mask_get(s->stage[j].lefts, lane);
}

// Returns the time from one look to another.
static double time_between(const lane_look *old, const lane_look *new)
{
    return (new->now - old->now) - (new->carry - old->carry);
}

// Moves the clock ahead by the time between two looks; the second look is now.
static void skip_time(struct lane_state *s, int lane, const lane_look *old,
                      const lane_look *new, double times)
{
    const double more = times * time_between(old, new) - new->carry, now = new->now + more;
    set(&s->now, lane, now);
    set(&s->carry, lane, (now - new->now) - more);
    for (int k = 0; k < FEW_SUMS && s->watch != 0; k++)
        set(&s->sum[k], lane, get(&s->sum[k], lane) + times * (new->sum[k] - old->sum[k]));
}

// Counts micro-batches that are skipped.
static void skip_backwards(struct lane_state *s, int lane, double n)
{
    set(&s->to_come, lane, get(&s->to_come, lane) - n);
    for (int j = 0; j < LANE_GPUS_FEW; j++)
        set(&s->more[j].backwards, lane, get(&s->more[j].backwards, lane) - n);
}
