// SPDX-License-Identifier: Apache-2.0
// Many points at once, one a lane of the processor's vectors. Every width does the same
// arithmetic, so that a point has the same bits in all of them. Points of few stages and of many go
// different ways, each in all widths. Only for the points that sweeps consist of:
// contention_lanes_fit says which. What it does and why it is right: model.md.
#ifndef PPS_CONTENTION_LANES_H
#define PPS_CONTENTION_LANES_H

#include "model.h"

struct sim;

enum {
    LANE_GPUS_FEW = 4, // stages up to which every step works on all of them
    LANE_GPUS_MAX = 64,
    LANE_JOBS_MAX = 256,
    LANES_MAX = 8,
};

// Most micro-batches that lanes simulate where nothing repeats. Longer points leave them then:
// contention_simulate finds periods that lanes do not.
static inline int32_t contention_lanes_n_whole(int32_t gpus)
{
    return gpus <= LANE_GPUS_FEW ? 2048 : 8192;
}

// What is worked out of a point before its first event. Shares are of a port; [0] stands for
// fwd_prop, [1] for grad_prop, [2] for grad_sync.
struct contention_lane_point {
    int32_t gpus;
    double n;
    double eps_work, span; // span: of time, after which the clock of many stages starts again
    double prop_len;
    double len[2], impact[2]; // of a forward, of a backward
    double sync_work, sync_freq;
    double share_of_three[3];  // where all kinds are present
    double share_of_two[3][3]; // [kind][other]: of a kind, beside one other
    bool equal_of_three;       // so with one task a kind; all tasks have equal shares
    bool equal_of_two[3][3];
    bool exclusive[3]; // only the head of the kind gets anything
    bool congestion;
    bool jumps; // over what repeats
};

enum contention_lane_status {
    LANE_DONE,
    LANE_LEFT, // nothing is known: the point is one for contention_simulate
};

struct contention_lane_job {
    struct contention_lane_point point;
    double total_time;
    int64_t n_events;
    enum contention_lane_status status;
};

// Whether lanes can take the point of which `s` holds the constants; then fills *lane. It depends
// on the point alone, and on whether the result must be `exact`: without jumps.
bool contention_lanes_fit(const struct sim *s, bool exact, struct contention_lane_point *lane);

// Whether two points differ in nothing but shares of sets of kinds; whether those are the same.
bool contention_lanes_begin_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b);
bool contention_lanes_share_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b);

// Bytes of room that do for points with no more stages.
size_t contention_lanes_room_bytes(int32_t gpus);

// Simulates n <= LANE_JOBS_MAX jobs, all of points with as many gpus, filling their results; puts
// them in another order. Neighbours that begin alike share their beginning. false: the stop flag
// went up, and results are undefined. `room` is 64-byte aligned, as large as
// contention_lanes_room_bytes says; what is in it does not matter.
typedef bool contention_lanes_run(struct contention_lane_job **jobs,
                                  size_t n,
                                  void *room,
                                  const atomic_bool *stop);

// Instruction sets, from narrow to wide.
enum contention_lanes_set {
    LANES_PAIR, // two lanes, everywhere
    LANES_AVX2,
    LANES_AVX512,
    LANES_N_SETS,
};

// The lanes of a set for points of so many stages; NULL where the machine lacks it.
contention_lanes_run *contention_lanes_of(enum contention_lanes_set set, int32_t gpus);

// The widest there are.
contention_lanes_run *contention_lanes(int32_t gpus);

// Private: one a file, each for its instruction set; few stages, and many.
contention_lanes_run contention_lanes_pair;
contention_lanes_run contention_lanes_avx2;
contention_lanes_run contention_lanes_avx512;
contention_lanes_run contention_lanes_many_pair;
contention_lanes_run contention_lanes_many_avx2;
contention_lanes_run contention_lanes_many_avx512;

#endif
