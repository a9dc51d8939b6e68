// SPDX-License-Identifier: Apache-2.0
// Builds orders from a repeated pattern: one micro-batch runs through the pipeline at fixed slots, and the
// next one does so a period later (Qi, Wan, Amar, Lin: Pipeline parallelism with controllable memory,
// 2024). A slot holds one operation. For the placements linear (stage s on device s) and V.
#pragma once

#include "kernels/common/plan/order.h"

enum {
    PATTERN_PHASES = 4, // V: F down, F up, B down, B up; linear: F down, B up
    PATTERN_PERIOD_MAX = 16,
};

// A pattern. The step of a phase is the distance of its slots on neighbouring devices.
struct pattern {
    int32_t period; // slots
    int32_t step,
        late_step; // of the phases down: on the first `devices` devices, and after them
    int32_t devices;
    int32_t up_step;              // of the phases up
    int32_t turn[PATTERN_PHASES]; // empty slots before each phase; [0] is 0
};

struct pattern_memory; // lies in a room

// NULL: the room only counts.
struct pattern_memory *pattern_take(const struct pipeline_shape *most, struct room *room);

// Returns the number of phases: 2 (linear), 4 (V) or 0: another placement, slices or directions.
int pattern_phases(const struct pipeline *pipeline);

// Writes the order, which is empty. Returns false, without an order, if two operations of a device
// share a slot, or a device exceeds its limit of memory while the pattern repeats.
bool pattern_build(struct pattern_memory *memory, const struct pipeline *pipeline,
                   const struct pattern *pattern, struct order *order);

// Writes the slots of micro-batch 0 in the pattern that was built last, of placement V:
// [phase * devices + device].
void pattern_first_slots(const struct pattern_memory *memory, const struct pipeline *pipeline,
                         int32_t *first);

// The patterns of a period, one after the other.
struct pattern_walk {
    int phases;
    int32_t n_devices;
    struct pattern next;
};

// The patterns of a pipeline with phases; period: 3 (linear) or 6 (V) to PATTERN_PERIOD_MAX.
struct pattern_walk pattern_first(const struct pipeline *pipeline, int32_t period);
bool pattern_next(struct pattern_walk *walk); // false: that was the last one
