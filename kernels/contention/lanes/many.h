// SPDX-License-Identifier: Apache-2.0
// The state of lanes for many stages. At an event usually one stage of a point changes, a
// different one in each lane. So stages are records in memory, one per lane and stage; a pass
// loads one record of every lane into vectors, works on them, and stores them. The work left in
// a record is that of some earlier moment; for every stage and lane the time at which its first
// task ends is known. Included once for each instruction set, after common.h. See
// model.md, Lanes.
typedef struct many_snapshot lane_snapshot;
typedef struct many_look lane_look;
typedef uint64_t stages; // a bit a stage

// One stage of every lane, each another: the numbers of a record, and what follows from them.
struct lane_stage {
    union {
        vec number[LANE_NUMBERS];
        struct {
            vec left[N_SLOTS]; // work left at time `since`; HUGE_VAL: no task
            vec rate[N_SLOTS]; // of the heads. Records have `since` where that of compute is
            vec share[2];      // of a class, all tasks together
            vec second[2];     // rate of an exclusive class's second task
            vec tail[2]; // of two or more: work left of the last beyond that of the head; of an
                         // exclusive class: work left of the second
            bits counts, waiting; // small numbers
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

// Bits of `counts`: for each class how many tasks are active; how many forwards, backwards
// could start but for the stage; for each class how many have ended, which is the number of the
// head, as far as it fits.
enum {
    COUNT_BITS = 8,
    READY_AT = 2 * COUNT_BITS,
    SENT_AT = 4 * COUNT_BITS,
    SENT_BITS = 16,
};

#define COUNT_MAX ((UINT64_C(1) << COUNT_BITS) - 1)
#define SENT_MAX  ((UINT64_C(1) << (SENT_BITS - 1)) - 1) // the bit beyond catches what overflows

// Bits of `waiting`: how many synchronisations are due that wait for the one before; whether a
// forward is computed, if anything; how many backwards there are until one is due.
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
    AT_ONCE = 8,                         // stages looked at between two jumps
    N_PLACES = LANE_GPUS_MAX + AT_ONCE,
    N_RECORDS = STAGE_PAD + N_PLACES + STAGE_PAD,
    CACHE_LINE = 64, // bytes
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
    _Alignas(CACHE_LINE) struct many_stage record[LANES][N_RECORDS];
    // By number of a transfer: its work left beyond that of the one before it in its class.
    double gap[LANES][LANE_GPUS_MAX];
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
    bits one, stage;    // its bit; its number
    uint64_t at[LANES]; // the same
    struct many_stage *record[LANES];
};

// Leaves p->one to others.
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

// Whether it is a certain stage.
VEC_INLINE mask is_at(const struct places *p, int j)
{
    return bits_test(p->one, UINT64_C(1) << j);
}

// Takes the first stage of the set of each lane out of it.
VEC_INLINE void take_places(struct lane_state *s, bits *sets, struct places *p)
{
    p->one = *sets & -*sets;
    *sets ^= p->one;
    go_to(s, bits_number(p->one, NOWHERE), p);
}
