// SPDX-License-Identifier: Apache-2.0
// Many points at once, one a lane of the processor's vectors. Every width does the same
// arithmetic, so that a point has the same bits in all of them. Only for the points that sweeps
// consist of: contention_lanes_fit says which. What it does and why it is right: model.md.
#ifndef PPS_CONTENTION_LANES_H
#define PPS_CONTENTION_LANES_H

#include "model.h"

struct sim;

enum {
    LANE_GPUS_MAX = 4,
    LANE_JOBS_MAX = 256,
    LANES_MAX = 8,
    LANE_N_WHOLE = 512, // most micro-batches that are simulated where nothing repeats
    LANE_LOOKS = 16,    // states of a lane remembered, hence the longest period found
};

// What is worked out of a point before its first event. Shares are of a port; [0] stands for
// fwd_prop, [1] for grad_prop, [2] for grad_sync.
struct contention_lane_point {
    int32_t gpus;
    double n;
    double eps_work;
    double prop_len;
    double len[2], impact[2]; // of a forward, of a backward
    double sync_work, sync_freq;
    double share_of_three[3];  // where all kinds are present
    double share_of_two[3][3]; // [kind][other]: of a kind, beside one other
    bool equal_of_three;       // so with one task a kind; all tasks have equal shares
    bool equal_of_two[3][3];
    bool exclusive[2]; // only the head of the class gets anything
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

// The state of a point on its way: what lane_steps.h has of it in a lane.
struct contention_lane_stage {
    double left[4];
    int32_t count[2], ready[2];
    double tail[2], gap[2][LANE_GPUS_MAX - 1];
    double until_sync, pending;
    bool forward;
};

struct contention_lane_snapshot {
    double now, carry, to_come;
    int64_t n_events;
    struct contention_lane_stage stage[LANE_GPUS_MAX];
};

// Jobs that are one up to a snapshot.
struct contention_lane_task {
    uint32_t first_job, n_jobs;
    uint32_t snapshot;
    bool known[4]; // sets of kinds that the jobs share alike
};

// What a lane was like when it was looked at, save for what was still to come; `tail` and `gap`
// only where there are such tasks.
struct contention_lane_look {
    double now, carry;
    struct contention_lane_stage stage[LANE_GPUS_MAX];
};

// The last looks at a lane, since sets of kinds last met in it: look k at k % LANE_LOOKS.
struct contention_lane_history {
    int32_t stride; // micro-batches from look to look
    int32_t n_looks;
    int32_t period, streak;  // looks; how many in a row equal the one a period before
    double mark[LANE_LOOKS]; // of few looks the same: a first guess at equal ones
    struct contention_lane_look look[LANE_LOOKS];
};

// Room for what waits for a lane, and for what lanes were like.
struct contention_lane_room {
    struct contention_lane_history history[LANES_MAX];
    uint32_t n_tasks, n_snapshots;
    struct contention_lane_task task[LANE_JOBS_MAX];
    struct contention_lane_snapshot snapshot[LANE_JOBS_MAX];
};

// Whether lanes can take the point of which `s` holds the constants; then fills *lane. It depends
// on the point alone, and on whether the result must be `exact`: without jumps.
bool contention_lanes_fit(const struct sim *s, bool exact, struct contention_lane_point *lane);

// Whether two points differ in nothing but shares of sets of kinds; whether those are the same.
bool contention_lanes_begin_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b);
bool contention_lanes_share_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b);

// Simulates n <= LANE_JOBS_MAX jobs, all of points with as many gpus, filling their results; puts
// them in another order. Neighbours that begin alike share their beginning. false: the stop flag
// went up, and results are undefined. What is in *room does not matter.
typedef bool contention_lanes_run(struct contention_lane_job **jobs,
                                  size_t n,
                                  struct contention_lane_room *room,
                                  const atomic_bool *stop);

// Instruction sets, from narrow to wide.
enum contention_lanes_set {
    LANES_PAIR, // two lanes, everywhere
    LANES_AVX2,
    LANES_AVX512,
    LANES_N_SETS,
};

// The lanes of a set; NULL where the machine lacks it.
contention_lanes_run *contention_lanes_of(enum contention_lanes_set set);

// The widest there are.
contention_lanes_run *contention_lanes(void);

// Private: one a file, each for its instruction set.
contention_lanes_run contention_lanes_pair;
contention_lanes_run contention_lanes_avx2;
contention_lanes_run contention_lanes_avx512;

#endif
