// SPDX-License-Identifier: Apache-2.0
// Definitions shared by lanes for few stages and for many stages. Included once in each of
// their files, after the vec_*.h that defines `vec`, `mask` and `tally`.
#include "kernels/contention/lanes/records.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNROLL    _Pragma("GCC unroll 8")
#define NO_UNROLL _Pragma("GCC unroll 1")

// What a stage works on. FWD and GRAD are classes of transfers, of which the head, the earliest
// task, has its work left in `left`.
enum slot {
    FWD,
    GRAD,
    SYNC,
    COMPUTE,
    N_SLOTS,
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
    mask exclusive[3], congestion; // exclusive: only the head of the kind gets anything
    bool any_equal;                // rule 3 may matter in some lane
    bool any_counts; // in some lane a synchronisation covers several micro-batches
    vec span;
    bool any_exclusive; // a class is, in some lane
    const struct contention_lane_point *point[LANES];
};

// What a step is compiled for. Classes rarely have several tasks; where all lanes are free of
// that, a step is shorter.
struct shape {
    int gpus;
    bool crowded; // else no class has several
};

// ---- one lane -------------------------------------------------------------------------------

static void set(vec *v, int lane, double value)
{
    ((double *)v)[lane] = value;
}

static double get(const vec *v, int lane)
{
    return ((const double *)v)[lane];
}

// What a compute task adds to the mark of a look, by which looks at different states mostly
// differ.
static double mark_of(double left, int j)
{
    return left < HUGE_VAL ? left * (j + 1) : 0;
}

// ---- steps ----------------------------------------------------------------------------------

#define SUM_SLACK  1e-9 // a receiver's sum beyond 1 that is rounding, not congestion
#define LEAST_REST 1e-9 // less of a port than this is not handed out again
#define POLL_STEPS 4096 // steps between two looks at the stop flag: a millisecond or two

// What comes up in lanes after a step.
struct news {
    mask ended; // the point has ended, or leaves
    mask forks; // kinds meet for the first time
    mask looks; // it is time for a look
};
