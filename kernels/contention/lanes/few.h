// SPDX-License-Identifier: Apache-2.0
// The state of lanes for few stages: everything that the future of a point depends on, relative
// to now. Included once for each instruction set, after common.h. model.md, Lanes,
// explains why this state is sufficient.
typedef tally counter; // of tasks, up to four
typedef struct few_snapshot lane_snapshot;
typedef struct few_look lane_look;

struct lane_stage {
    vec left[N_SLOTS]; // work left; HUGE_VAL: no task
    mask syncs, busy;  // there is a synchronisation; something is computed
    mask forward;      // a forward is, if anything
    mask has_pending;
    counter count[2]; // active tasks of a class
    counter ready[2]; // forwards, backwards that could start but for the stage
    vec tail[2];      // of two or more: work left of the last beyond that of the head
    vec gap[2][LANE_GPUS_FEW - 1]; // the same of a task beyond the one before it
    vec until_sync;                // backwards until a synchronisation is due
    vec pending;                   // due ones that wait for the one before
};

_Static_assert(sizeof(struct lane_stage) % 512 != 0,
               "loads of masks wait for stores to other stages a round number of bytes away");

// The work left of all stages, while steps are taken.
typedef vec lefts[LANE_GPUS_FEW][N_SLOTS];

struct lane_state {
    struct constants at;
    struct lane_stage stage[LANE_GPUS_FEW];
    vec now, carry;     // time, and what rounding has cost it
    vec to_come;        // backwards that stage 0 has still to end
    mask leaves;        // lanes whose point is none for this simulation
    mask known[N_SETS]; // by set of kinds: it has been together, or it does not matter whether
    mask meets[N_SETS]; // it is together now, for the first time
    mask alone;         // lanes of one point, which has none to part from
    int64_t steps;
    vec look_at;    // `to_come` at the next look; negative: there is none
    bool any_looks; // there may be some
};

// The kinds that a stage can have: bit 0 fwd_prop, but not at the last stage; bit 1 grad_prop,
// but not at the first; bit 2 grad_sync. A constant wherever it is used.
VEC_INLINE unsigned kinds_of(struct shape of, int j)
{
    return (j < of.gpus - 1 ? 1u : 0) | (j > 0 ? 2u : 0) | 4u;
}

// ---- how many -------------------------------------------------------------------------------

// Lanes in which a class has tasks.
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

// 1 / n_tasks; of none, 1.
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

// Some lanes have ended a backward: those in which that makes a synchronisation due.
VEC_INLINE mask count_backwards(const struct lane_state *s, struct lane_stage *st, mask ended)
{
    st->until_sync = vec_sub_where(ended, st->until_sync, vec_all(1));
    const mask due = mask_and(ended, vec_le(st->until_sync, vec_all(0)));
    st->until_sync = vec_pick(due, s->at.sync_freq, st->until_sync);
    return due;
}

// In some lanes one more waits, in others one fewer.
VEC_INLINE void change_pending(struct lane_stage *st, mask more, mask fewer)
{
    st->pending = vec_sub_where(fewer, st->pending, vec_all(1));
    st->pending = vec_add_where(more, st->pending, vec_all(1));
    st->has_pending = vec_gt(st->pending, vec_all(0));
}

// ---- a class --------------------------------------------------------------------------------

// Lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    return of.crowded ? tally_over(st->count[c], 1) : mask_none();
}

// A task comes: the only one, or another.
VEC_INLINE void add_first(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_add_first(st->count[c], lanes);
}

VEC_INLINE void add_another(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_add(st->count[c], lanes);
}

// The head goes; the same where it is the only one.
VEC_INLINE void drop_head(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_take(st->count[c], lanes);
}

VEC_INLINE void drop_last(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = tally_take_last(st->count[c], lanes);
}

// A task lines up behind others of its class, `tail` of work beyond the head.
VEC_INLINE void put_last(struct shape of,
                         struct lane_state *s,
                         struct lane_stage *st,
                         int c,
                         mask lanes,
                         vec tail)
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

// In some lanes the next task of a class comes to the fore: the work left of it.
VEC_INLINE vec
take_next(struct lane_state *s, struct lane_stage *st, const vec *left, int c, mask lanes)
{
    const vec gap = st->gap[c][0];
    st->tail[c] = vec_sub_where(lanes, st->tail[c], gap);
    for (int k = 0; k < LANE_GPUS_FEW - 2; k++)
        st->gap[c][k] = vec_pick(lanes, st->gap[c][k + 1], st->gap[c][k]);
    return vec_pick(s->at.exclusive[c], s->at.prop_len, left[c] + gap);
}

// ---- one lane -------------------------------------------------------------------------------

static double lane_time(const struct lane_state *s, int lane)
{
    return get(&s->now, lane);
}

// What a stage of a lane is like now.
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

// Writes down what a lane is like; its mark.
static double note_look(const struct lane_state *s, int lane, int gpus, lane_look *look)
{
    double mark = 0;
    look->now = get(&s->now, lane);
    look->carry = get(&s->carry, lane);
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

// What a stage was like at a look.
static void look_at_stage(const lane_look *look,
                          const struct contention_lane_point *p,
                          int j,
                          struct look_stage *to)
{
    (void)p;
    *to = look->stage[j].is;
}

// Work left of transfer k, counted from the head, beyond that of the one before it in its
// class.
static double look_gap(const lane_look *look, int j, int c, int k)
{
    return look->stage[j].gap[c][k - 1];
}

// The synchronisations of a stage are others now.
static void set_syncs(struct lane_state *s, int lane, int j, double left, double pending)
{
    struct lane_stage *st = &s->stage[j];
    set(&st->left[SYNC], lane, left);
    set(&st->pending, lane, pending);
    mask_set(&st->has_pending, lane, pending > 0);
}

// Steps of a lane that were no event of their own: none.
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
    return any;
}

// Time from one look to another.
static double time_between(const lane_look *old, const lane_look *new)
{
    return (new->now - old->now) - (new->carry - old->carry);
}

// Moves the clock ahead by what passed between two looks, of which the last is now.
static void skip_time(struct lane_state *s,
                      int lane,
                      const lane_look *old,
                      const lane_look *new,
                      double times)
{
    const double more = times * time_between(old, new) - new->carry, now = new->now + more;
    set(&s->now, lane, now);
    set(&s->carry, lane, (now - new->now) - more);
}
