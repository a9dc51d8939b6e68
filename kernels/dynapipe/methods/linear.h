// SPDX-License-Identifier: Apache-2.0
// Evaluates plans of linear pipelines, stage s on device s, in one sweep without lists of operations. A plan is an
// order of the micro-batches, how many forwards each device runs before its first backward, and what each stage
// recomputes of each micro-batch. After the warm-up, backwards and forwards take turns, a backward first: warm-ups of
// D - s are 1F1B, 2 (D - s) - 1 the wait-free cyclic method without limits, and all micro-batches "all forwards first".
// Times are in us, memory in MB.
#pragma once

#include "kernels/dynapipe/methods/lanes.h"

struct linear_plan {
    int32_t *order; // [count]: position -> micro-batch
    int32_t *
        warm_up; // [stages]: 1 to count, not increasing; otherwise the devices wait for each other forever
    uint8_t *recompute; // [micro_batch * stages + stage]: enum dynapipe_recompute
};

void linear_plan_take(struct linear_plan *plan, int32_t count, int32_t stages,
                      struct room *room);
void linear_plan_copy(struct linear_plan *to, const struct linear_plan *from, int32_t count,
                      int32_t stages);

struct linear; // one thread

struct linear *linear_take(int32_t count, int32_t stages, struct room *room);

// Opens a pipeline for evaluations. of[type]: the micro-batches with this recomputation of all layers, NULL where a type
// is not allowed; of[DYNAPIPE_KEEP] is always given, its transfers hold for all types. The caller keeps all arguments valid until its last evaluation.
void linear_open(struct linear *linear, const struct dynapipe_pipeline *pipeline,
                 const struct micro_batches *const of[DYNAPIPE_RECOMPUTE_TYPES]);

// Returns the makespan of a plan, whose types are allowed; INFINITY: it cannot run, or may be longer than `at_most` and is.
double linear_evaluate(struct linear *linear, const struct linear_plan *plan, double at_most);

// The largest memory of a device, and the positions that are in flight there then: first to end - 1, with the one that
// runs.
struct linear_peak {
    double memory;
    int32_t first, end, running;
};

// Returns the largest memory of a device under a plan, without an evaluation: it depends on the order and on the
// warm-up and recomputation of this device alone. changed: the position whose recomputation alone has changed since the last
// call, which was for the same device; -1: all may have.
struct linear_peak linear_peak_of(struct linear *linear, const struct linear_plan *plan,
                                  int32_t stage, int32_t changed);

// Writes the micro-batches of a plan, in its order and with its recomputation, and its lanes: for other users of
// schedules, and as an oracle. batches and lanes have the size of the pipeline.
void linear_write(const struct linear *linear, const struct linear_plan *plan,
                  struct micro_batches *batches, struct lanes *lanes);
