// SPDX-License-Identifier: Apache-2.0
// Lanes simulate many points at the same time, one point per lane of a vector. All vector
// widths do the same arithmetic, so a point has the same bits in all of them. Points of few
// stages and of many stages have separate code, each in all widths. contention_lanes_fit
// selects the points. model.md explains the method and proves that it is correct.
#pragma once

#include "kernels/contention/model/model.h"

struct sim;

enum {
    LANE_GPUS_FEW = 4, // stages up to which every step works on all of them
    LANE_GPUS_MAX = 64,
    LANE_JOBS_MAX = 256,
    LANES_MAX = 8,
};

// Returns the largest number of micro-batches that lanes simulate without a period. Longer
// points without a period leave the lanes: contention_simulate finds periods that lanes do not
// find.
static inline int32_t contention_lanes_n_whole(int32_t gpus)
{
    return gpus <= LANE_GPUS_FEW ? 2048 : 8192;
}

// The constants of a point, computed before its first event. Shares are of a port; [0] stands
// for fwd_prop, [1] for grad_prop, [2] for grad_sync.
struct contention_lane_point {
    int32_t gpus;
    double n;
    double eps_work, span; // span: after this time the clock of many stages is set back
    double prop_len;
    double len[2], impact[2];               // of a forward, of a backward
    double sync_work, sync_freq, left_work; // left_work: of the leftover; 0: there is none
    double share_of_three[3];               // if all kinds are present
    double share_of_two[3][3]; // [kind][other]: of a kind, if one other kind is present
    bool equal_of_three;       // with one task per kind; all tasks have equal shares
    bool equal_of_two[3][3];
    bool exclusive[3]; // only the head of the kind gets bandwidth
    bool apart;        // fwd_props have a port of their own
    bool ideal;        // every transfer has rate 1
    bool congestion;
    bool jumps; // the point may jump over periods
};

enum contention_lane_status {
    LANE_DONE,
    LANE_LEFT, // no result: contention_simulate must simulate the point
};

struct contention_lane_job {
    struct contention_lane_point point;
    unsigned watch; // CONTENTION_WATCHED that are wanted: equal for all jobs of a call
    struct contention_watch watched;
    double total_time;
    int64_t n_events;
    enum contention_lane_status status;
};

// Returns whether lanes can simulate the point whose constants are in `s`; then fills *lane.
// The answer depends only on the point and on `exact` (no jumps).
bool contention_lanes_fit(const struct sim *s, bool exact, struct contention_lane_point *lane);

// begin_alike returns whether two points are equal but for the tables of their port shares, so
// that both take the same steps until several kinds of transfers meet. share_alike returns whether
// the tables are equal, too.
bool contention_lanes_begin_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b);
bool contention_lanes_share_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b);

// Returns the bytes of room for points with at most this number of stages.
size_t contention_lanes_room_bytes(int32_t gpus);

// Simulates n <= LANE_JOBS_MAX jobs whose points all have the same gpus, and fills their
// results. Reorders the jobs. Neighbours with an equal beginning share its simulation. false:
// the stop flag went up and results are undefined. `room` is 64-byte aligned and has
// contention_lanes_room_bytes bytes; its contents do not matter.
typedef bool contention_lanes_run(struct contention_lane_job **jobs, size_t n, void *room,
                                  const atomic_bool *stop);

// Instruction sets, from narrow to wide.
enum contention_lanes_set {
    LANES_WIDEST, // the widest set of this machine
    LANES_PAIR,   // two lanes, everywhere
    LANES_AVX2,
    LANES_AVX512,
    LANES_N_SETS,
};

// Returns the lanes of an instruction set for this number of stages; NULL: not on this machine.
contention_lanes_run *contention_lanes_of(enum contention_lanes_set set, int32_t gpus);

// Private: the compilations of instance.c, for few stages and for many.
contention_lanes_run contention_lanes_few_pair;
contention_lanes_run contention_lanes_few_avx2;
contention_lanes_run contention_lanes_few_avx512;
contention_lanes_run contention_lanes_many_pair;
contention_lanes_run contention_lanes_many_avx2;
contention_lanes_run contention_lanes_many_avx512;
