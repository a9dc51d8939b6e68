// SPDX-License-Identifier: Apache-2.0
// Schedules micro-batches that differ, by closed rules: lane orders and their times. Micro-batches run in the order of
// their indices. The rules are those of the published planner (DynaPipe, Jiang et al., EuroSys 2024), their faults
// mended; kernels/dynapipe/model.md has the equations.
#pragma once

#include "kernels/dynapipe/methods/lanes.h"
#include "kernels/dynapipe/model/assignment.h"

enum method {
    METHOD_WAIT_FREE_CYCLIC, // the orders of the cyclic rule, without its cycles
    METHOD_1F1B,             // linear assignments only
    METHOD_INTERLEAVED,      // interleaved 1F1B; interleaved assignments only
    METHOD_CYCLIC,           // its times are those of whole cycles
    METHOD_FIFO,             // a lane runs what has waited longest
    METHODS,
};

extern const char *const method_names[METHODS]; // "wait-free-cyclic", "1F1B", ...

// Returns whether a method exists for an assignment. The published planner offers the first three alone, and 1F1B only
// with more than one device.
bool method_allows(enum method method, enum assignment assignment);

// Limits of the cyclic rule; other methods ignore them.
struct method_limits {
    bool by_memory;    // a forward waits if the memory of its device would exceed the limit
    int32_t in_flight; // micro-batches that a device holds at most; 0: any number
    const int32_t *
        in_flight_of; // [devices]: the same for each device, in place of in_flight; may be NULL
    bool as_published; // counts by indices: 0 means micro-batch 0 as well as none
};

struct method_room; // memory of the rules; one thread

// lane_room: the most operations of a lane, twice the micro-batches for each stage of the device with most stages.
struct method_room *method_room_take(int32_t devices, int32_t stages, int32_t lane_room,
                                     struct room *room);

enum method_outcome {
    METHOD_DONE,
    METHOD_NO_SCHEDULE, // limits or the rule itself leave operations behind
    METHOD_STOPPED,     // by the poll
};

// Writes the lanes of a schedule and executes them. limits: may be NULL. poll: may be NULL.
enum method_outcome method_run(enum method method, const struct dynapipe_pipeline *pipeline,
                               const struct micro_batches *batches,
                               const struct method_limits *limits, struct method_room *room,
                               struct lanes *lanes, struct lanes_times *times,
                               struct poll *poll);

// Returns a lower bound of the makespans of all schedules without recomputation: of every device its own work between
// the shortest way to its first stage and the shortest way back, and of every micro-batch its chain. Memory is
// ignored.
double method_bound(const struct dynapipe_pipeline *pipeline,
                    const struct micro_batches *batches);
