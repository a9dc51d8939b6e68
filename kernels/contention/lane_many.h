// SPDX-License-Identifier: Apache-2.0
// What lanes hold of points of many stages. A stage's work left is that of some moment before, and
// brought up to date only in lanes in which something of it changes; of every stage and lane there
// is the time at which its first task ends. Included once for each instruction set, after
// lane_common.h. Why this is all that is needed: model.md, Lanes.
typedef vec counter; // of tasks
typedef struct many_snapshot lane_snapshot;
typedef uint64_t stages; // a bit a stage

struct lane_stage {
    vec left[N_SLOTS]; // work left at time `since`; HUGE_VAL: no task
    vec rate[N_SLOTS]; // of the heads
    vec share[2];      // of a class, all tasks together
    vec since;
    counter count[2]; // active tasks of a class
    counter ready[2]; // forwards, backwards that could start but for the stage
    vec sent[2];      // transfers that have ended: the number of the head
    vec tail[2];      // of two or more: work left of the last beyond that of the head
    vec until_sync;   // backwards until a synchronisation is due
    vec pending;      // due ones that wait for the one before
    mask syncs, busy; // there is a synchronisation; something is computed
    mask forward;     // a forward is, if anything
    mask has_pending;
};

_Static_assert(offsetof(struct lane_stage, syncs) == LANE_NUMBERS * sizeof(vec), "numbers first");

struct lane_state {
    struct constants at;
    vec now, epoch; // time since `epoch`, which keeps it small
    vec to_come;    // backwards that stage 0 has still to end
    mask leaves;        // lanes whose point is none for this simulation
    mask known[N_SETS]; // by set of kinds: it has been together, or it does not matter whether
    mask meets[N_SETS]; // it is together now, for the first time
    mask alone;         // lanes of one point, which has none to part from
    int64_t steps;
    vec look_at;    // `to_come` at the next look; negative: there is none
    bool any_looks; // there may be some
    stages due_stages, changed_stages; // those with lanes in `due`, `changed`
    stages regions;                    // receivers with lanes in `region`
    mask due[LANE_GPUS_MAX];     // something has ended since rates were set
    mask changed[LANE_GPUS_MAX]; // or something has started, or shares are others
    mask region[LANE_GPUS_MAX];  // by receiver: it holds its senders back
    vec finish[LANE_GPUS_MAX];   // when the first task of the stage ends
    vec early[LANE_GPUS_MAX];    // when one first comes within eps_work of its end
    struct lane_stage stage[LANE_GPUS_MAX];
    double gap[LANES][LANE_GPUS_MAX]; // by number of a transfer: its work left beyond that of the
                                      // one before it in its class
};

_Static_assert((LANE_GPUS_MAX & (LANE_GPUS_MAX - 1)) == 0 && LANE_GPUS_MAX <= 64,
               "numbers of transfers are taken modulo it; a bit a stage");

// All kinds: where a stage cannot have one, there is none.
VEC_INLINE unsigned kinds_of(struct shape of, int j)
{
    (void)of;
    (void)j;
    return 7;
}

// Brings the work left at a stage up to now.
VEC_INLINE void advance(const struct lane_state *s, struct lane_stage *st, mask lanes)
{
    const vec step = s->now - st->since;
    for (int k = 0; k < N_SLOTS; k++)
        st->left[k] = vec_sub_where(lanes, st->left[k], st->rate[k] * step);
    st->since = vec_pick(lanes, s->now, st->since);
}

// ---- how many -------------------------------------------------------------------------------

// Lanes with at least one.
VEC_INLINE mask some(counter t)
{
    return vec_gt(t, vec_all(0));
}

VEC_INLINE vec as_numbers(counter t)
{
    return t;
}

// 1 / t; of none, 1.
VEC_INLINE vec reciprocal(counter t)
{
    return vec_all(1) / vec_pick(some(t), t, vec_all(1));
}

VEC_INLINE void add_ready(struct lane_stage *st, int c, mask lanes)
{
    st->ready[c] = vec_add_where(lanes, st->ready[c], vec_all(1));
}

VEC_INLINE void take_ready(struct lane_stage *st, int c, mask lanes)
{
    st->ready[c] = vec_sub_where(lanes, st->ready[c], vec_all(1));
}

// ---- a class --------------------------------------------------------------------------------

// Lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    (void)of;
    return vec_gt(st->count[c], vec_all(1));
}

// A task comes: the only one, or another.
VEC_INLINE void add_first(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = vec_add_where(lanes, st->count[c], vec_all(1));
}

VEC_INLINE void add_another(struct lane_stage *st, int c, mask lanes)
{
    add_first(st, c, lanes);
}

// The head goes; the same where it is the only one.
VEC_INLINE void drop_head(struct lane_stage *st, int c, mask lanes)
{
    st->count[c] = vec_sub_where(lanes, st->count[c], vec_all(1));
    st->sent[c] = vec_add_where(lanes, st->sent[c], vec_all(1));
}

VEC_INLINE void drop_last(struct lane_stage *st, int c, mask lanes)
{
    drop_head(st, c, lanes);
}

static uint32_t gap_place(double number)
{
    return (uint32_t)(int64_t)number & (LANE_GPUS_MAX - 1);
}

// Keeps the gap between the last task of a class and one that comes.
VEC_INLINE void put_gap(struct lane_state *s,
                        const struct lane_stage *st,
                        int c,
                        mask lanes,
                        vec gap)
{
    const vec number = st->sent[c] + st->count[c];
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        s->gap[lane][gap_place(get(&number, lane))] = get(&gap, lane);
    }
}

// The gap between the head, which goes, and the next.
VEC_INLINE vec take_gap(const struct lane_state *s,
                        const struct lane_stage *st,
                        int c,
                        mask lanes)
{
    vec gap = vec_all(0);
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        set(&gap, lane, s->gap[lane][gap_place(get(&st->sent[c], lane) + 1)]);
    }
    return gap;
}

// ---- one lane -------------------------------------------------------------------------------

static double lane_time(const struct lane_state *s, int lane)
{
    return get(&s->epoch, lane) + get(&s->now, lane);
}

static double lane_left(const struct lane_state *s, int lane, int j, enum slot slot)
{
    const struct lane_stage *st = &s->stage[j];
    const double step = get(&s->now, lane) - get(&st->since, lane);
    return get(&st->left[slot], lane) - get(&st->rate[slot], lane) * step;
}

static int lane_count(counter t, int lane)
{
    return (int)get(&t, lane);
}

static double lane_gap(const struct lane_state *s, int lane, int j, int c, int k)
{
    return s->gap[lane][gap_place(get(&s->stage[j].sent[c], lane) + k + 1)];
}

// The synchronisations of a stage are others now.
static void set_syncs(struct lane_state *s, int lane, int j, double left, double pending)
{
    struct lane_stage *st = &s->stage[j];
    mask only = mask_none();
    mask_set(&only, lane, true);
    advance(s, st, only);
    set(&st->left[SYNC], lane, left);
    set(&st->pending, lane, pending);
    mask_set(&st->has_pending, lane, pending > 0);
    if (!(s->changed_stages >> j & 1))
        s->changed[j] = mask_none();
    s->changed[j] = mask_or(s->changed[j], only);
    s->changed_stages |= UINT64_C(1) << j;
}

static void stamp_look(const struct lane_state *s, int lane, struct lane_look *look)
{
    look->now = get(&s->now, lane);
    look->base = get(&s->epoch, lane);
}

// Moves the clock ahead by what passed between two looks, of which the last is now.
static void skip_time(struct lane_state *s,
                      int lane,
                      const struct lane_look *old,
                      const struct lane_look *new,
                      double times)
{
    const double period = (new->base - old->base) + (new->now - old->now);
    set(&s->epoch, lane, get(&s->epoch, lane) + times * period);
}
