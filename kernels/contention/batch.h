// SPDX-License-Identifier: Apache-2.0
// Many points at once, each by the fastest way that gives its result: recalled from an equal one,
// in lanes with others, or alone.
#ifndef PPS_CONTENTION_BATCH_H
#define PPS_CONTENTION_BATCH_H

#include "lanes.h"
#include "memo.h"

enum {
    BATCH_POINTS = LANE_JOBS_MAX, // most points in a batch
};

// What a worker keeps from batch to batch. Zeroed, it knows nothing.
struct contention_batch {
    struct contention_memo memo;
    struct contention_lane_job job[BATCH_POINTS];
    struct contention_memo_place *awaits[BATCH_POINTS];    // by job; NULL: none
    double unit[BATCH_POINTS];                             // of the job's point
    uint32_t point_of[BATCH_POINTS], job_of[BATCH_POINTS]; // by job; by point
};

// One point of a batch.
struct contention_outcome {
    // Without wish.metrics only total_time, n_events and sensitivity are defined.
    struct contention_result result;
    enum contention_status status;
    bool recalled; // known from an equal point, not simulated
};

// Bytes of scratch that do for every point with no more n and gpus than `largest`, as
// contention_scratch_bytes has them.
size_t contention_batch_scratch_bytes(const struct contention_point *largest);

// What is asked of points besides total_time.
struct contention_wish {
    bool metrics, sensitivity;
};

// Simulates n <= BATCH_POINTS points as contention_simulate would, to rounding (1e-9 relative);
// the result of a point depends on itself and `wish` and `exact` alone, bit for bit. All calls
// with one batch have the same wish and points with the same most_events. `exact`:
// without recalling, and without jumping over what repeats. `scratch` is 64-byte aligned, as large as
// contention_batch_scratch_bytes says. Once the stop flag is up, outcomes are CONTENTION_STOPPED.
void contention_simulate_batch(struct contention_batch *batch,
                               const struct contention_point *points,
                               size_t n,
                               struct contention_wish wish,
                               bool exact,
                               void *scratch,
                               const atomic_bool *stop,
                               struct contention_outcome *outcomes);

#endif
