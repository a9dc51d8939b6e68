// SPDX-License-Identifier: Apache-2.0
// What lanes hold of points of many stages. At an event hardly more than one stage of a point
// changes, in each lane another one. So stages lie in memory as records, one for each lane and stage,
// and a pass takes one of every lane into vectors, works on it, and puts it back. A record's work
// left is that of some moment before; of every stage and lane there is the time at which its first
// task ends. Included once for each instruction set, after lane_common.h. More: model.md, Lanes.
typedef struct many_snapshot lane_snapshot;
typedef uint64_t stages; // a bit a stage

// One stage of every lane, each another: the numbers of a record, and what follows from them.
struct lane_stage {
    union {
        vec number[LANE_NUMBERS];
        struct {
            vec left[N_SLOTS]; // work left at time `since`; HUGE_VAL: no task
            vec rate
                [N_SLOTS]; // of the heads; that of compute follows, and `since` stands there
            vec share[2];  // of a class, all tasks together
            vec second[2]; // rate of an exclusive class's second task
            vec tail[2];   // of two or more: work left of the last beyond that of the head;
                           // of an exclusive class: work left of the second
            bits counts, waiting;
        };
    };
    vec since;
    mask syncs, busy; // there is a synchronisation; something is computed
    mask forward, has_pending;
};

_Static_assert(offsetof(struct lane_stage, since) == LANE_NUMBERS * sizeof(vec) &&
                   sizeof(struct many_stage) == LANE_NUMBERS * sizeof(double),
               "the numbers of a record");

enum { SINCE = N_SLOTS + COMPUTE }; // which number it is

// Small numbers share one of the record. `counts` has, from its first bit on, for each class: how many
// tasks are active; how many forwards, backwards could start but for the stage; how many transfers
// have ended, which is the number of the head, as far as it fits.
enum {
    COUNT_BITS = 8,
    READY_AT = 2 * COUNT_BITS,
    SENT_AT = 4 * COUNT_BITS,
    SENT_BITS = 16,
};

#define COUNT_MAX ((UINT64_C(1) << COUNT_BITS) - 1)
#define SENT_MAX  ((UINT64_C(1) << (SENT_BITS - 1)) - 1) // the bit beyond catches what overflows

// `waiting` has how many synchronisations are due that wait for the one before, whether a forward is
// computed, if anything, and how many backwards to go until one is due.
enum { FORWARD_AT = 31, UNTIL_AT = 32 };

#define PENDING_MAX ((UINT64_C(1) << FORWARD_AT) - 1)
#define UNTIL_MAX   UINT64_C(0xffffffff)

VEC_INLINE int count_at(int c)
{
    return c * COUNT_BITS;
}

VEC_INLINE int ready_at(int c)
{
    return READY_AT + c * COUNT_BITS;
}

VEC_INLINE int sent_at(int c)
{
    return SENT_AT + c * SENT_BITS;
}

enum {
    STAGE_PAD = 2, // stages of nothing before the first and after the last
    NOWHERE = LANE_GPUS_MAX + STAGE_PAD, // a stage for lanes that a pass leaves out
    CHAINS = 4,                          // of dependent steps in a search through all stages
    AT_ONCE = 8,                         // stages looked at between two jumps
    N_PLACES = LANE_GPUS_MAX + AT_ONCE,
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
    mask held;                // lanes in which stages are left to end at the event of now
    bits left;                // these stages
    stages due[LANES];        // the stages at which something has ended at it
    stages todo[LANES];       // and those at which something may start
    vec repeats;              // steps that left the rest of an event to the next
    stages unsettled[LANES];  // have shares, rates and times to be set
    stages region[LANES];     // receivers that hold their senders back
    double part[LANES][8][4]; // [kinds present][kind]: its share, where each has one task
    uint8_t equal[LANES];     // bit `kinds`: all tasks have equal shares
    vec finish[N_PLACES];     // when the first task of the stage ends
    vec early[N_PLACES];      // when one first comes within eps_work of its end
    _Alignas(sizeof(
        struct many_stage)) struct many_stage record[LANES][STAGE_PAD + N_PLACES + STAGE_PAD];
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
    bits one;      // its bit
    int at[LANES]; // the same as `stage`
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
VEC_INLINE struct places take_places(struct lane_state *s, bits *sets)
{
    const bits one = *sets & -*sets;
    struct places p = places_at(s, bits_number(one, NOWHERE));
    *sets ^= one;
    p.one = one;
    return p;
}

// The rate of the compute task.
VEC_INLINE vec compute_rate(const struct lane_state *s, const struct lane_stage *st)
{
    const vec impact = vec_pick(st->forward, s->at.impact[FWD], s->at.impact[GRAD]);
    return vec_all(1) - st->rate[SYNC] * impact;
}

// Takes records into vectors, and puts them back.
VEC_INLINE void load_stages(const struct lane_state *s,
                            const struct places *p,
                            struct lane_stage *st)
{
    const double *row[LANES];
    for (int lane = 0; lane < LANES; lane++)
        row[lane] = p->record[lane]->left;
    for (int k = 0; k < LANE_NUMBERS; k += 8)
        vec_load_rows(&st->number[k], row, k);
    st->syncs = vec_gt(vec_all(HUGE_VAL), st->left[SYNC]);
    st->busy = vec_gt(vec_all(HUGE_VAL), st->left[COMPUTE]);
    st->forward = bits_test(st->waiting, UINT64_C(1) << FORWARD_AT);
    st->has_pending = bits_test(st->waiting, PENDING_MAX);
    st->since = st->number[SINCE];
    st->rate[COMPUTE] = compute_rate(s, st);
}

VEC_INLINE void store_stages(const struct places *p, struct lane_stage *st)
{
    const uint64_t forward = UINT64_C(1) << FORWARD_AT;
    double *row[LANES];
    st->number[SINCE] = st->since;
    st->waiting = bits_or_where(st->forward, st->waiting & ~forward, bits_all(forward));
    st->counts &= ~((SENT_MAX + 1) << sent_at(FWD));
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

// Lanes in which a class has tasks.
VEC_INLINE mask has_tasks(const struct lane_stage *st, int c)
{
    return bits_test(st->counts, COUNT_MAX << count_at(c));
}

VEC_INLINE vec n_tasks(const struct lane_stage *st, int c)
{
    return vec_of_bits(st->counts >> count_at(c) & COUNT_MAX);
}

// 1 / n_tasks; of none, 1.
VEC_INLINE vec part_of_task(const struct lane_stage *st, int c)
{
    return vec_all(1) / vec_pick(has_tasks(st, c), n_tasks(st, c), vec_all(1));
}

VEC_INLINE mask has_ready(const struct lane_stage *st, int c)
{
    return bits_test(st->counts, COUNT_MAX << ready_at(c));
}

VEC_INLINE void add_ready(struct lane_stage *st, int c, mask lanes)
{
    st->counts = bits_add_where(lanes, st->counts, UINT64_C(1) << ready_at(c));
}

VEC_INLINE void take_ready(struct lane_stage *st, int c, mask lanes)
{
    st->counts = bits_sub_where(lanes, st->counts, UINT64_C(1) << ready_at(c));
}

// ---- synchronisations -----------------------------------------------------------------------

// Some lanes have ended a backward: those in which that makes a synchronisation due.
VEC_INLINE mask count_backwards(const struct lane_state *s, struct lane_stage *st, mask ended)
{
    st->waiting = bits_sub_where(ended, st->waiting, UINT64_C(1) << UNTIL_AT);
    const mask due = mask_less(ended, bits_test(st->waiting, UNTIL_MAX << UNTIL_AT));
    st->waiting = bits_or_where(due, st->waiting, bits_of(s->at.sync_freq) << UNTIL_AT);
    return due;
}

// In some lanes one more waits, in others one fewer.
VEC_INLINE void change_pending(struct lane_stage *st, mask more, mask fewer)
{
    st->waiting = bits_add_where(more, bits_sub_where(fewer, st->waiting, 1), 1);
    st->has_pending = bits_test(st->waiting, PENDING_MAX);
}

// ---- a class --------------------------------------------------------------------------------

// Lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    (void)of;
    return bits_test(st->counts, (COUNT_MAX - 1) << count_at(c));
}

// A task comes: the only one, or another.
VEC_INLINE void add_first(struct lane_stage *st, int c, mask lanes)
{
    st->counts = bits_add_where(lanes, st->counts, UINT64_C(1) << count_at(c));
}

VEC_INLINE void add_another(struct lane_stage *st, int c, mask lanes)
{
    add_first(st, c, lanes);
}

// The head goes; the same where it is the only one.
VEC_INLINE void drop_head(struct lane_stage *st, int c, mask lanes)
{
    const uint64_t sent = UINT64_C(1) << sent_at(c), count = UINT64_C(1) << count_at(c);
    st->counts = bits_add_where(lanes, st->counts, sent - count);
}

VEC_INLINE void drop_last(struct lane_stage *st, int c, mask lanes)
{
    drop_head(st, c, lanes);
}

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
    const vec second = vec_pick(third, st->tail[c], s->at.prop_len);
    st->tail[c] = vec_pick(lanes, vec_pick(exclusive, second, tail), st->tail[c]);
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        const uint64_t counts = st->counts[lane];
        const int last = (int)(counts >> count_at(c) & COUNT_MAX);
        s->gap[lane][gap_place(counts, c, last)] = get(&gap, lane);
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
        set(&gap, lane, s->gap[lane][gap_place(st->counts[lane], c, 1)]);
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
