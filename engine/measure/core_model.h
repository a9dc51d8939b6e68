// SPDX-License-Identifier: Apache-2.0
// Simulates a run on many cores: workers with given times per task, directed by the scheduler
// of real runs (work_schedule.h). Deterministic; uses no clock and no threads.
#pragma once

#include "engine/run/work_schedule.h"

#include <stdatomic.h>

// Costs of the blocks; all times are in seconds.
struct pps_corecosts {
    const void *self;
    struct pps_foretold (*foretold)(const void *self, uint64_t block);
    // Time to make a part of a block: to compute its points and to format their rows.
    double (*make_s)(const void *self, const struct pps_task *task);
    // Time to compress the whole block, and to write the block; one worker writes at a time.
    double (*pack_s)(const void *self, uint64_t block);
    double (*write_s)(const void *self, uint64_t block);
    uint64_t (*bytes)(const void *self, uint64_t block);
    double foretell_s; // per block
};

struct pps_coremodel {
    double wall_s;
    double made_s;       // time of all workers spent on making and compressing
    double utilisation;  // made_s divided by wall_s and by the number of workers
    double write_share;  // share of the time in which a worker writes
    uint64_t most_bytes; // maximum size of the blocks that wait to be written
};

// Runs the model with plan->threads workers, each on its own core. Returns PPS_E_STOPPED if the
// stop flag is set.
PPS_MUST_CHECK enum pps_status pps_coremodel_run(const struct pps_work_schedule_plan *plan,
                                                 const struct pps_corecosts *costs,
                                                 const atomic_bool *stop,
                                                 struct pps_coremodel *model,
                                                 struct pps_error *err);
