// SPDX-License-Identifier: Apache-2.0
// Declares the records of lanes besides their state: points that wait for a lane, states to
// continue from, and earlier states for the search for periods. One block of memory, sized by
// the number of stages.
#pragma once

#include "kernels/contention/lanes/lanes.h"

enum {
    LANE_LOOKS = 64,   // states of a lane that are kept: the longest period found
    LANE_NUMBERS = 16, // numbers of a stage, for many stages
};

// Jobs that share their simulation up to a snapshot.
struct lane_task {
    uint32_t first_job, n_jobs;
    uint32_t snapshot;
    bool known[4]; // sets of kinds that the jobs share alike
};

// Sums of the metrics of a point, for few stages.
enum few_sum {
    SUM_LATENCY,                                      // of all tasks of a kind
    SUM_EXPOSED = SUM_LATENCY + CONTENTION_N_SHARING, // time without compute, for transfers
    SUM_THROTTLED,
    SUM_STAGES, // from here on, of each stage:
    STAGE_BUSY = 0,
    STAGE_WAIT,                  // time without compute, for each class of transfers
    STAGE_SYNC = STAGE_WAIT + 2, // the part of it that synchronisations cause
    STAGE_SUMS = STAGE_SYNC + 2,
    FEW_SUMS = SUM_STAGES + STAGE_SUMS * LANE_GPUS_FEW,
};

// The state of metrics and leftover synchronisations of a point, for few stages.
struct few_more {
    double sum[FEW_SUMS];
    struct {
        double leftover, backwards, end, last, unsettled, unsettled_sync[2];
        int32_t in_flight, peak, held[2];
    } stage[LANE_GPUS_FEW];
};

// The state of a point during its simulation, for few stages.
struct few_snapshot {
    double now, carry, to_come;
    int64_t n_events;
    struct {
        double left[4];
        int32_t count[2], ready[2];
        double tail[2], gap[2][LANE_GPUS_FEW - 1];
        double until_sync, pending;
        bool forward;
    } stage[LANE_GPUS_FEW];
    struct few_more more;
};

// A stage of one lane for many stages, in two cache lines; many.h describes it.
struct many_stage {
    double left[4], rate[3], since;
    double share[2], second[2], tail[2];
    uint64_t counts, waiting;
};

// The state of a point during its simulation, for many stages.
struct many_snapshot {
    double now, epoch, to_come;
    int64_t n_events;
    uint64_t unsettled, region; // one bit per stage
    double gap[LANE_GPUS_MAX];
    struct {
        double finish, early;
        struct many_stage record;
    } stage[];
};

// The state of a stage at a look.
struct look_stage {
    double left[4];
    int32_t count[2], ready[2];
    double tail[2]; // with several tasks
    double until_sync, pending;
    bool forward;
};

// The state of a lane at a look, without `to_come`: for few stages, computed values.
struct few_look {
    double now, carry;
    struct {
        struct look_stage is;
        double gap[2][LANE_GPUS_FEW - 1]; // with several tasks
    } stage[LANE_GPUS_FEW];
    double sum[FEW_SUMS]; // of metrics
};

// The state of a lane at a look, for many stages: copies of its records.
struct many_look {
    double now, epoch;
    double gap[LANE_GPUS_MAX];
    struct many_stage record[];
};

// The last looks at a lane, since sets of kinds last met in it: look k at k % LANE_LOOKS.
struct lane_history {
    int32_t stride; // micro-batches from look to look
    int32_t n_looks;
    int32_t period, streak; // looks; how many in a row equal the one a period before
    bool erred;             // periods between equal looks took different times
    // Rarely equal for different states: finds candidates for equal looks.
    double mark[LANE_LOOKS];
    double differs[LANE_LOOKS]; // in a streak: largest difference from the look a period before
};

// Memory for tasks that wait for a lane, for snapshots, and for looks.
struct lane_room {
    struct lane_history history[LANES_MAX];
    uint32_t n_tasks, n_snapshots;
    struct lane_task task[LANE_JOBS_MAX];
};

static inline size_t snapshot_bytes(int32_t gpus)
{
    struct many_snapshot *many;
    return gpus <= LANE_GPUS_FEW ? sizeof(struct few_snapshot)
                                 : sizeof *many + (size_t)gpus * sizeof many->stage[0];
}

static inline size_t look_bytes(int32_t gpus)
{
    struct many_look *many;
    return gpus <= LANE_GPUS_FEW ? sizeof(struct few_look)
                                 : sizeof *many + (size_t)gpus * sizeof many->record[0];
}

static inline void *snapshot_at(struct lane_room *room, int32_t gpus, uint32_t k)
{
    return (char *)(room + 1) + k * snapshot_bytes(gpus);
}

static inline void *look_at(struct lane_room *room, int32_t gpus, int lane, int k)
{
    char *looks = snapshot_at(room, gpus, LANE_JOBS_MAX);
    return looks + (size_t)(lane * LANE_LOOKS + k) * look_bytes(gpus);
}
