// SPDX-License-Identifier: Apache-2.0
// Runs one order with the times of many replicates: as it is (static), and under the rule of the point.
// Computes bounds of every replicate.
#pragma once

#include "kernels/common/executor/executor_lanes.h"
#include "kernels/schedule/online/limited.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/policy/policy_run.h"

// Memory of one thread.
struct replicates {
    const struct schedule_point *point;
    const struct pipeline *pipeline;
    const struct order *order;
    struct executor *executor;
    struct noise noise;
    double *slow; // [devices]
    struct executor_times times;
    struct executor_lanes *lanes;
    struct pipeline limited; // the pipeline with a limit on every device
    struct limited *limit;
    bool without_bounds; // replicates_measure leaves them 0
    bool in_order;       // the bounds of `limit` hold for the order
    double *bounds_room;
    struct pull *pull;         // rules that move W
    struct online *online;     // the same in the environment
    struct policy_run *policy; // learned policies
    uint8_t *waits;
};

// Returns whether all replicates of the point are equal: one is enough. With RULE_STATIC, replicates_plain gives
// the figures without any memory.
bool replicates_are_equal(const struct schedule_point *point);

// Takes the memory of points of at most this shape. NULL memory: the room only counts.
void replicates_take(struct replicates *r, const struct schedule_point *most,
                     struct room *room);

// Sets the order that the executor has run last, with EXECUTOR_DONE. peak: [devices], of the order. Returns why the
// rule of the point cannot run it; NULL: it can. All of these must outlive the last
// call.
const char *replicates_open(struct replicates *r, const struct schedule_point *point,
                            const struct pipeline *pipeline, const struct order *order,
                            struct executor *executor, const double *peak);

// The makespans of a chunk of replicates, and their bounds.
struct replicates_chunk {
    double fixed[EXECUTOR_LANES];       // of the static order
    double ruled[EXECUTOR_LANES];       // under the rule
    double clairvoyant[EXECUTOR_LANES]; // no order takes less time
    double
        memory[EXECUTOR_LANES]; // nor within the limits; the order's peak where there is none
};

// Draws replicates `first` to first + EXECUTOR_LANES - 1. replicates_run and replicates_bounds use them.
// replicates_run returns false if the poll ended it; poll may be NULL.
void replicates_draw(struct replicates *r, uint32_t first);
bool replicates_run(struct replicates *r, struct poll *poll, struct replicates_chunk *chunk);
void replicates_bounds(struct replicates *r, struct replicates_chunk *chunk);

// Runs lane 0 of the replicates drawn and writes the start and the end of each operation at [order_at] of the order
// that it returns: the order, or what the rule made of it. NULL: the environment cannot run the pipeline.
// lines: [2 * EXECUTOR_LANES] for each operation, aligned to ROOM_ALIGNMENT.
const struct order *replicates_step(struct replicates *r, double *lines, double *starts,
                                    double *ends);

// The figures of the columns.
struct replicates_figures {
    double mean, half, p50, p95, p99;
    double vs_static, vs_static_half, won;
    double clairvoyant, memory;
};

// Sets the figures of a step with the nominal times in the static order. peak: [devices], of the
// order; overwritten.
void replicates_plain(const struct pipeline *pipeline, double *peak, double makespan,
                      struct replicates_figures *figures);

// Runs all replicates of the point, or one if they are equal. samples: [2 * that number]; the first half holds the
// makespans under the rule afterwards. Returns false if the poll ended it, or, with `plain` (replicates_refer), if
// memory ran out.
bool replicates_measure(struct replicates *r, bool plain, double *samples, struct poll *poll,
                        struct replicates_figures *figures);
