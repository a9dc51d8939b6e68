// SPDX-License-Identifier: Apache-2.0
// Defines constants and helpers shared by lanes for few stages and for many stages. Included
// once in each of their files, after the vector_*.h that defines `vec`, `mask` and `tally`.
#include "kernels/contention/lanes/records.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNROLL    _Pragma("GCC unroll 8")
#define NO_UNROLL _Pragma("GCC unroll 1")

// The slots of a stage. FWD and GRAD are classes of transfers; `left` holds the work left of
// the head of a class, which is its earliest task.
enum slot {
    FWD,
    GRAD,
    SYNC,
    COMPUTE,
    N_SLOTS,
};

// Sets of several kinds; points of a sweep differ in the shares of these sets. The set of all
// three kinds includes the other sets, because congestion can remove a kind from the set.
enum set {
    FWD_GRAD,
    FWD_SYNC,
    GRAD_SYNC,
    ALL_THREE,
    N_SETS,
};

// Constants of the points in the lanes.
struct constants {
    vec eps_work, prop_len, len[2], impact[2], sync_work, sync_freq;
    vec of_three[3], of_two[3][3];
    mask equal_of_three, equal_of_two[3][3];
    mask exclusive[3], congestion; // exclusive: only the head of the kind gets bandwidth
    mask divided[2];               // several tasks of the class divide its bandwidth
    mask apart;                    // fwd_props have a port of their own
    mask beside[2];                // synchronisations are in the way of the class
    mask ports;                    // transfers share ports
    bool any_ports;                // in some lane; otherwise all rates are 1
    mask has_left;                 // there is a leftover synchronisation
    bool any_left;                 // in some lane
    vec left_work;
    bool any_equal;  // rule 3 may matter in some lane
    bool any_counts; // in some lane a synchronisation covers several micro-batches
    vec span;
    bool any_exclusive; // a class is exclusive in some lane
    const struct contention_lane_point *point[LANES];
};

// The variants of a step. Classes rarely have several tasks; a step is shorter if no class of
// any lane has several tasks.
struct shape {
    int gpus;
    bool crowded; // false: no class has several tasks
    bool more;    // metrics are watched, or there are leftover synchronisations
    bool ideal;   // all rates are 1
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

// Returns the number that a compute task adds to the mark of a look. Marks of different states
// mostly differ.
static double mark_of(double left, int j)
{
    return left < HUGE_VAL ? left * (j + 1) : 0;
}

// ---- steps ----------------------------------------------------------------------------------

#define SUM_SLACK                                                                              \
    1e-9 // a sum of a receiver beyond 1 by at most this is rounding, not congestion
#define LEAST_REST 1e-9 // a smaller rest of a port is not distributed again
#define POLL_STEPS 4096 // steps between two polls of the stop flag: one or two milliseconds

// Lanes that need attention after a step.
struct news {
    mask ended; // the point has ended, or leaves the lanes
    mask forks; // kinds meet for the first time
    mask looks; // a look is due
};
