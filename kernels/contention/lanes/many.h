// SPDX-License-Identifier: Apache-2.0
// The state of lanes for many stages consists of records. At an event usually one stage of a
// point changes, a different one in each lane. So stages are records in memory, one per lane
// and stage; a pass loads one record of every lane into vectors, works on them, and stores
// them. A record holds the work left at some earlier moment; for every stage and lane the time
// at which its first task ends is known. Included once for each instruction set, after
// common.h. See model.md, Lanes.
typedef struct many_snapshot lane_snapshot;
typedef struct many_look lane_look;
typedef uint64_t stages; // one bit per stage

// One stage of every lane, a different one in each: the numbers of a record, and masks computed
// from them.
struct lane_stage {
    union {
        vec number[LANE_NUMBERS];
        struct {
            vec left[N_SLOTS]; // work left at time `since`; HUGE_VAL: no task
            vec rate[N_SLOTS]; // of the heads; records have `since` for compute
            vec share[2];      // of a class, all tasks together
            vec second[2];     // rate of an exclusive class's second task
            // With two or more tasks: work left of the last minus work left of the head; of an
            // exclusive class: work left of the second.
            vec tail[2];
            bits counts, waiting; // small numbers
        };
    };
    vec since;
    mask syncs, busy; // a synchronisation is active; a compute task is active
    mask forward, has_pending;
};

_Static_assert(offsetof(struct lane_stage, since) == LANE_NUMBERS * sizeof(vec) &&
                   sizeof(struct many_stage) == LANE_NUMBERS * sizeof(double),
               "the numbers of a record");

enum { SINCE = N_SLOTS + COMPUTE }; // its index in the numbers

// Bits of `counts`: the active tasks of each class; the forwards and backwards that wait only
// for the stage; the ended tasks of each class, which is the number of the head, truncated to
// its bits.
enum {
    COUNT_BITS = 8,
    READY_AT = 2 * COUNT_BITS,
    SENT_AT = 4 * COUNT_BITS,
    SENT_BITS = 16,
};

#define COUNT_MAX ((UINT64_C(1) << COUNT_BITS) - 1)
#define SENT_MAX  ((UINT64_C(1) << (SENT_BITS - 1)) - 1) // the next bit catches an overflow

// Bits of `waiting`: the due synchronisations that wait for the previous one; whether the
// compute task, if any, is a forward; the backwards until a synchronisation is due.
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
    STAGE_PAD = 2,                       // empty stages before the first and after the last
    NOWHERE = LANE_GPUS_MAX + STAGE_PAD, // a stage for lanes that a pass skips
    AT_ONCE = 8,                         // stages examined between two branches
    N_PLACES = LANE_GPUS_MAX + AT_ONCE,
    N_RECORDS = STAGE_PAD + N_PLACES + STAGE_PAD,
    CACHE_LINE = 64, // bytes
};

struct lane_state {
    struct constants at;
    vec now, epoch; // time since `epoch`, which keeps it small
    vec to_come;    // backwards that stage 0 has not ended
    mask leaves;    // lanes whose point this simulation cannot finish
    // By set of kinds: the set has been together, or its shares do not matter.
    mask known[N_SETS];
    mask meets[N_SETS]; // the set is together for the first time
    mask alone;         // lanes with a single point, which never separates
    mask forks;         // lanes in which kinds have met for the first time at the last event
    int64_t steps;
    vec look_at;    // `to_come` at the next look; negative: no look
    bool any_looks; // false: no lane has a look
    bool any_unsettled;
    unsigned watch;          // 0: metrics are of few stages
    mask held;               // lanes in which other stages end at the present event
    bits left;               // these stages
    stages due[LANES];       // the stages at which a task has ended at this event
    stages todo[LANES];      // the stages at which a task may start
    vec repeats;             // steps that left the rest of an event to the next step
    stages unsettled[LANES]; // stages whose shares, rates and times are not set yet
    stages region[LANES];    // receivers that hold their senders back
    double part[LANES][8]
               [4];       // [kinds present][kind]: share of the kind if each kind has one task
    uint8_t equal[LANES]; // bit `kinds`: all tasks have equal shares
    vec finish[N_PLACES]; // when the first task of the stage ends
    vec early[N_PLACES];  // when a task first comes within eps_work of its end
    _Alignas(CACHE_LINE) struct many_stage record[LANES][N_RECORDS];
    // By number of a transfer: its work left minus the work left of the previous transfer of
    // its class.
    double gap[LANES][LANE_GPUS_MAX];
};

_Static_assert((LANE_GPUS_MAX & (LANE_GPUS_MAX - 1)) == 0 && LANE_GPUS_MAX <= 64,
               "numbers of transfers are taken modulo it; a bit a stage");

// All kinds. A stage that cannot have a kind never has its tasks.
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
    bits one, stage;    // the bit and the number of the stage
    uint64_t at[LANES]; // the same
    struct many_stage *record[LANES];
};

// Sets all members except p->one.
VEC_INLINE void go_to(struct lane_state *s, bits stage, struct places *p)
{
    p->stage = stage;
    bits_store(p->at, stage);
    for (int lane = 0; lane < LANES; lane++)
        p->record[lane] = stage_of(s, lane, (int)p->at[lane]);
}

VEC_INLINE mask is_somewhere(const struct places *p)
{
    return bits_any(p->one);
}

// Returns the lanes in which the pass works on this stage.
VEC_INLINE mask is_at(const struct places *p, int j)
{
    return bits_test(p->one, UINT64_C(1) << j);
}

// Removes the first stage from the set of each lane.
VEC_INLINE void take_places(struct lane_state *s, bits *sets, struct places *p)
{
    p->one = *sets & -*sets;
    *sets ^= p->one;
    go_to(s, bits_number(p->one, NOWHERE), p);
}
