// SPDX-License-Identifier: Apache-2.0
// What lanes hold of points of many stages. At an event hardly more than one stage of a point
// changes, in each lane another one. So stages lie in memory as records, one for each lane and stage,
// and a pass takes one of every lane into vectors, works on it, and puts it back. A record's work
// left is that of some moment before; of every stage and lane there is the time at which its first
// task ends. Included once for each instruction set, after lane_common.h. More: model.md, Lanes.
typedef vec counter; // of tasks
typedef struct many_snapshot lane_snapshot;
typedef uint64_t stages; // a bit a stage

// One stage of every lane, each another: the numbers of a record, and what follows from them.
struct lane_stage {
    union {
        vec number[LANE_NUMBERS];
        struct {
            vec left[N_SLOTS]; // work left at time `since`; HUGE_VAL: no task
            vec rate[N_SLOTS]; // of the heads
            vec since;
            counter count[2]; // active tasks of a class
            counter ready[2]; // forwards, backwards that could start but for the stage
            vec pending;      // synchronisations due that wait for the one before
            vec until_sync;   // backwards until one is due
            vec forwards;     // 1: a forward is computed, if anything; 0: a backward
            vec sent[2];      // transfers that have ended: the number of the head
            vec tail[2];      // of two or more: work left of the last beyond that of the head;
                              // of an exclusive class: work left of the second
            vec second[2];    // rate of an exclusive class's second task
            vec share[2];     // of a class, all tasks together
        };
    };
    mask syncs, busy; // there is a synchronisation; something is computed
    mask forward, has_pending;
};

_Static_assert(offsetof(struct lane_stage, syncs) == LANE_NUMBERS * sizeof(vec) &&
                   sizeof(struct many_stage) == LANE_NUMBERS * sizeof(double),
               "the numbers of a record");

enum {
    STAGE_PAD = 2, // stages of nothing before the first and after the last
    NOWHERE = LANE_GPUS_MAX + STAGE_PAD, // a stage for lanes that a pass leaves out
    N_PLACES = NOWHERE + 1,
    CHAINS = 4,  // of dependent steps in a search through all stages
    AT_ONCE = 8, // stages looked at between two jumps
};

struct lane_state {
    struct constants at;
    vec now, epoch;     // time since `epoch`, which keeps it small
    vec to_come;        // backwards that stage 0 has still to end
    mask leaves;        // lanes whose point is none for this simulation
    mask known[N_SETS]; // by set of kinds: it has been together, or it does not matter whether
    mask meets[N_SETS]; // it is together now, for the first time
    mask alone;         // lanes of one point, which has none to part from
    mask forks;         // lanes in which kinds have met for the first time at the last event
    int64_t steps;
    vec look_at;    // `to_come` at the next look; negative: there is none
    bool any_looks; // there may be some
    bool any_unsettled;
    mask held;                    // lanes in which stages are left to end at the event of now
    stages left[LANES];           // these stages
    stages due[LANES];            // the stages at which something has ended at it
    stages todo[LANES];           // and those at which something may start
    vec repeats;                  // steps that left the rest of an event to the next
    stages unsettled[LANES];      // have shares, rates and times to be set
    stages region[LANES];         // receivers that hold their senders back
    double part[LANES][8][4];     // [kinds present][kind]: its share, where each has one task
    uint8_t equal[LANES];         // bit `kinds`: all tasks have equal shares
    vec finish[N_PLACES];         // when the first task of the stage ends
    vec early[N_PLACES];          // when one first comes within eps_work of its end
    struct many_stage record[LANES][STAGE_PAD + N_PLACES + STAGE_PAD];
    double gap[LANES]
              [LANE_GPUS_MAX]; // by number of a transfer: its work left beyond that of the
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

VEC_INLINE struct many_stage *stage_of(struct lane_state *s, int lane, int j)
{
    return &s->record[lane][j + STAGE_PAD];
}

VEC_INLINE const struct many_stage *look_stage_of(const struct lane_state *s, int lane, int j)
{
    return &s->record[lane][j + STAGE_PAD];
}

VEC_INLINE int first_stage(stages set)
{
    return __builtin_ctzll(set);
}

// ---- passes ---------------------------------------------------------------------------------

// The stage of each lane that a pass works on; NOWHERE: none.
struct places {
    vec stage;
    int at[LANES]; // the same
    struct many_stage *record[LANES];
};

VEC_INLINE void find_records(struct lane_state *s, struct places *p)
{
    for (int lane = 0; lane < LANES; lane++)
        p->record[lane] = stage_of(s, lane, p->at[lane]);
}

VEC_INLINE struct places places_at(struct lane_state *s, vec stage)
{
    struct places p = {.stage = stage};
    vec_to_ints(stage, p.at);
    find_records(s, &p);
    return p;
}

VEC_INLINE mask is_somewhere(const struct places *p)
{
    return vec_gt(vec_all(NOWHERE), p->stage);
}

// Takes the first stage of the set of each lane out of it.
VEC_INLINE struct places take_places(struct lane_state *s, stages set_of[LANES])
{
    struct places p;
    for (int lane = 0; lane < LANES; lane++) {
        const stages set = set_of[lane];
        p.at[lane] = set != 0 ? first_stage(set) : NOWHERE;
        set_of[lane] = set & (set - 1);
    }
    p.stage = vec_of_ints(p.at);
    find_records(s, &p);
    return p;
}

// Takes records into vectors, and puts them back.
VEC_INLINE void load_stages(const struct places *p, struct lane_stage *st)
{
    const double *row[LANES];
    for (int lane = 0; lane < LANES; lane++)
        row[lane] = p->record[lane]->left;
    for (int k = 0; k < LANE_NUMBERS; k += 8)
        vec_load_rows(&st->number[k], row, k);
    st->syncs = vec_gt(vec_all(HUGE_VAL), st->left[SYNC]);
    st->busy = vec_gt(vec_all(HUGE_VAL), st->left[COMPUTE]);
    st->forward = vec_gt(st->forwards, vec_all(0));
    st->has_pending = vec_gt(st->pending, vec_all(0));
}

VEC_INLINE void store_stages(const struct places *p, struct lane_stage *st)
{
    double *row[LANES];
    st->forwards = vec_where(st->forward, vec_all(1));
    for (int lane = 0; lane < LANES; lane++)
        row[lane] = p->record[lane]->left;
    for (int k = 0; k < LANE_NUMBERS; k += 8)
        vec_store_rows(&st->number[k], row, k);
}

// Brings the work left up to now.
VEC_INLINE void advance(const struct lane_state *s, struct lane_stage *st)
{
    const vec step = s->now - st->since;
    for (int k = 0; k < N_SLOTS; k++)
        st->left[k] -= st->rate[k] * step;
    if (s->at.any_exclusive)
        for (int c = 0; c < 2; c++)
            st->tail[c] -= st->second[c] * step;
    st->since = s->now;
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

static int gap_place(double number)
{
    return (int)number & (LANE_GPUS_MAX - 1);
}

// A task lines up behind others of its class, `tail` of work beyond the head.
VEC_INLINE void put_last(struct shape of,
                         struct lane_state *s,
                         struct lane_stage *st,
                         int c,
                         mask lanes,
                         vec tail)
{
    const mask third = several(of, st, c), exclusive = s->at.exclusive[c];
    const vec gap =
        vec_where(mask_less(lanes, exclusive), tail - vec_where(third, st->tail[c]));
    const vec number = st->sent[c] + st->count[c];
    const vec second = vec_pick(third, st->tail[c], s->at.prop_len);
    st->tail[c] = vec_pick(lanes, vec_pick(exclusive, second, tail), st->tail[c]);
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        s->gap[lane][gap_place(get(&number, lane))] = get(&gap, lane);
    }
}

// In some lanes the next task of a class comes to the fore: the work left of it.
VEC_INLINE vec
take_next(struct lane_state *s, struct lane_stage *st, const vec *left, int c, mask lanes)
{
    const mask exclusive = s->at.exclusive[c];
    mask even = mask_less(lanes, exclusive);
    vec gap = vec_all(0);
    for (; mask_any(even); mask_set(&even, mask_first(even), false)) {
        const int lane = mask_first(even);
        set(&gap, lane, s->gap[lane][gap_place(get(&st->sent[c], lane) + 1)]);
    }
    const vec next = vec_pick(exclusive, st->tail[c], left[c] + gap);
    const vec tail = vec_pick(exclusive, s->at.prop_len, st->tail[c] - gap);
    st->tail[c] = vec_pick(lanes, tail, st->tail[c]);
    return next;
}

// ---- one lane -------------------------------------------------------------------------------

static double lane_time(const struct lane_state *s, int lane)
{
    return get(&s->epoch, lane) + get(&s->now, lane);
}

// Brings the work left at a stage of a lane up to now.
static void advance_stage(const struct lane_state *s, int lane, struct many_stage *st)
{
    const double now = get(&s->now, lane), step = now - st->since;
    for (int k = 0; k < N_SLOTS; k++)
        st->left[k] -= st->rate[k] * step;
    for (int c = 0; c < 2; c++)
        st->tail[c] -= st->second[c] * step;
    st->since = now;
}

// What a stage of a lane is like now.
static void take_stage(const struct lane_state *s, int lane, int j, struct look_stage *to)
{
    struct many_stage st = *look_stage_of(s, lane, j);
    advance_stage(s, lane, &st);
    for (int k = 0; k < N_SLOTS; k++)
        to->left[k] = st.left[k];
    for (int c = 0; c < 2; c++) {
        to->count[c] = (int32_t)st.count[c];
        to->ready[c] = (int32_t)st.ready[c];
        to->tail[c] = st.count[c] > 1 ? st.tail[c] : 0;
    }
    to->until_sync = st.until_sync;
    to->pending = st.pending;
    to->forward = st.left[COMPUTE] < HUGE_VAL && st.forwards > 0;
}

static double lane_gap(const struct lane_state *s, int lane, int j, int c, int k)
{
    return s->gap[lane][gap_place(look_stage_of(s, lane, j)->sent[c] + k + 1)];
}

// The synchronisations of a stage are others now.
static void set_syncs(struct lane_state *s, int lane, int j, double left, double pending)
{
    struct many_stage *st = stage_of(s, lane, j);
    advance_stage(s, lane, st);
    st->left[SYNC] = left;
    st->pending = pending;
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
