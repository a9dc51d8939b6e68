// SPDX-License-Identifier: Apache-2.0
// Batches evaluate many points, each in the fastest way: recalled from an equal point,
// simulated in lanes with other points, or simulated alone.
#pragma once

#include "kernels/contention/lanes/lanes.h"
#include "kernels/contention/memo.h"

enum {
    BATCH_POINTS = LANE_JOBS_MAX, // maximum number of points in a batch
};

// The state that a worker keeps between batches. All zero: empty.
struct contention_batch {
    enum contention_lanes_set set; // of the lanes
    struct contention_memo memo;
    struct contention_lane_job job[BATCH_POINTS];
    struct contention_memo_place *awaits[BATCH_POINTS];    // by job; NULL: none
    double unit[BATCH_POINTS];                             // of the job's point
    uint32_t point_of[BATCH_POINTS], job_of[BATCH_POINTS]; // by job; by point
};

// One point of a batch.
struct contention_outcome {
    // Without wish.metrics only total_time, n_events, sensitivity and wished slopes are defined; metrics that are
    // not wanted may be undefined.
    struct contention_result result;
    enum contention_status status;
    bool recalled; // copied from an equal point, not simulated
};

// Returns the bytes of scratch for every point with at most the n and gpus of `largest`;
// rules and errors as for contention_scratch_bytes.
size_t contention_batch_scratch_bytes(const struct contention_point *largest);

// The results that are wanted in addition to total_time.
struct contention_wish {
    unsigned metrics; // of enum contention_metrics
    bool sensitivity, slopes;
};

// Simulates n <= BATCH_POINTS points. Results equal the results of contention_simulate to rounding
// (1e-9 relative). The result of a point depends only on the point, `wish` and `exact`, bit for
// bit. All calls with one batch must have points with the same most_events. `exact` disables
// recalling and jumps over periods. `scratch` is 64-byte aligned and has
// contention_batch_scratch_bytes bytes. After the stop flag is up, outcomes are
// CONTENTION_STOPPED.
void contention_simulate_batch(struct contention_batch *batch,
                               const struct contention_point *points, size_t n,
                               struct contention_wish wish, bool exact, void *scratch,
                               const atomic_bool *stop, struct contention_outcome *outcomes);
