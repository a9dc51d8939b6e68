// SPDX-License-Identifier: Apache-2.0
// Reads plans of steps and replays them: the instructions of every replica must be valid, fit in memory, and take the time
// and the memory that the plan states.
#pragma once

#include "ppsweep/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct cJSON;

// What a plan holds.
struct plan_checked {
    int32_t replicas, devices, stages;
    int64_t micro_batches, instructions;
    double makespan; // ms, of the slowest replica, as replayed
    double peak;     // MB, the largest
    double slack;    // MB, the least that a device has left; INFINITY: no limit
};

// Checks a plan as plan_write writes it. Returns false with a fault; *is_wrong: the document is a plan, but it does not
// hold what it states; an empty fault->text means out of memory.
bool plan_check(const struct cJSON *root, struct plan_checked *checked, bool *is_wrong,
                struct pps_fault *fault);
