// SPDX-License-Identifier: Apache-2.0
// What lanes hold: of each point what its future depends on, relative to now. Included once for
// each instruction set, after the vec_*.h that defines `vec`, `mask` and `tally`. Why this is all
// that is needed: model.md, Lanes.
#include "lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNROLL _Pragma("GCC unroll 8")

// What a stage works on. FWD and GRAD are classes of transfers, of which the head, the earliest
// task, has its work left in `left`.
enum slot {
    FWD,
    GRAD,
    SYNC,
    COMPUTE,
    N_SLOTS,
};

struct lane_stage {
    vec left[N_SLOTS]; // work left; HUGE_VAL: no task
    mask syncs, busy;  // there is a synchronisation; something is computed
    mask forward;      // a forward is, if anything
    tally count[2];    // active tasks of a class
    tally ready[2];    // forwards, backwards that could start but for the stage
    vec tail[2];       // of two or more: work left of the last beyond that of the head
    vec gap[2][LANE_GPUS_MAX - 1]; // the same of a task beyond the one before it
    vec until_sync;                // backwards until a synchronisation is due
    vec pending;                   // due ones that wait for the one before
    mask has_pending;
};

// Sets of several kinds, whose shares are what points of a sweep differ in. All three stand for
// the others, too: congestion can take a kind out of them.
enum set {
    FWD_GRAD,
    FWD_SYNC,
    GRAD_SYNC,
    ALL_THREE,
    N_SETS,
};

// The points of the lanes.
struct constants {
    vec eps_work, prop_len, len[2], impact[2], sync_work, sync_freq;
    vec of_three[3], of_two[3][3];
    mask equal_of_three, equal_of_two[3][3];
    mask exclusive[2], congestion;
    bool any_equal;  // rule 3 may matter in some lane
    bool any_counts; // in some lane a synchronisation covers several micro-batches
};

// The work left of all stages, while steps are taken.
typedef vec lefts[LANE_GPUS_MAX][N_SLOTS];

struct lane_state {
    struct constants at;
    vec now, carry; // time, and what rounding has cost it
    vec to_come;    // backwards that stage 0 has still to end
    struct lane_stage stage[LANE_GPUS_MAX];
    mask leaves;        // lanes whose point is none for this simulation
    mask known[N_SETS]; // by set of kinds: it has been together, or it does not matter whether
    mask meets[N_SETS]; // it is together now, for the first time
    mask alone;         // lanes of one point, which has none to part from
    int64_t steps;
};

// What a step is compiled for. Classes rarely have several tasks; where all lanes are free of
// that, a step is shorter.
struct shape {
    int gpus;
    bool crowded; // else no class has several
};

// ---- how many -------------------------------------------------------------------------------

// Lanes with at least one.
VEC_INLINE mask some(tally t)
{
    return tally_over(t, 0);
}

VEC_INLINE vec as_numbers(tally t)
{
    vec n = vec_all(0);
    for (int k = 0; k < LANE_GPUS_MAX; k++)
        n = vec_pick(tally_over(t, k), vec_all(k + 1), n);
    return n;
}

// 1 / t; of none, 1.
VEC_INLINE vec reciprocal(tally t)
{
    vec r = vec_all(1);
    for (int k = 1; k < LANE_GPUS_MAX; k++)
        r = vec_pick(tally_over(t, k), vec_all(1.0 / (k + 1)), r);
    return r;
}

// Lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    return of.crowded ? tally_over(st->count[c], 1) : mask_none();
}

// ---- one lane -------------------------------------------------------------------------------

static void set(vec *v, int lane, double value)
{
    ((double *)v)[lane] = value;
}

static double get(const vec *v, int lane)
{
    return ((const double *)v)[lane];
}
