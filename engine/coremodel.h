// SPDX-License-Identifier: Apache-2.0
// A run on many cores, without the cores: workers that take as long as they are told, directed by
// the schedule that directs real ones (schedule.h). Deterministic; no clock, no threads.
#ifndef PPS_COREMODEL_H
#define PPS_COREMODEL_H

#include "schedule.h"

#include <stdatomic.h>

// What the model is told of the blocks; all times in seconds.
struct pps_corecosts {
    const void *self;
    struct pps_foretold (*foretold)(const void *self, uint64_t block);
    // To make a part of a block, that is its points and their text.
    double (*make_s)(const void *self, const struct pps_task *task);
    // To compress the whole block; to write it, which one worker does at a time.
    double (*pack_s)(const void *self, uint64_t block);
    double (*write_s)(const void *self, uint64_t block);
    uint64_t (*bytes)(const void *self, uint64_t block);
    double foretell_s; // a block
};

struct pps_coremodel {
    double wall_s;
    double made_s;       // making and compressing, of all workers
    double utilisation;  // made_s for each second of each worker
    double write_share;  // of the time, that somebody writes
    uint64_t most_bytes; // of blocks that waited
};

// Runs the model; plan->threads workers, each on a core of its own. PPS_E_STOPPED where the stop
// flag went up.
PPS_MUST_CHECK enum pps_status pps_coremodel_run(const struct pps_schedule_plan *plan,
                                                 const struct pps_corecosts *costs,
                                                 const atomic_bool *stop,
                                                 struct pps_coremodel *model,
                                                 struct pps_error *err);

#endif
