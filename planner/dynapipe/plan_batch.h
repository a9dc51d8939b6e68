// SPDX-License-Identifier: Apache-2.0
// Plans batches of samples: each becomes a plan of a step with checked instructions, or a reason why there is none.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/dynapipe/documents/batch_reader.h"
#include "kernels/dynapipe/output/plan_write.h"
#include "planner/dynapipe/request.h"

#include <stdatomic.h>

enum planned_outcome {
    PLANNED,
    PLANNED_REFUSED,    // lengths that the tables or the network do not know
    PLANNED_INFEASIBLE, // nothing fits in memory
    PLANNED_STOPPED,
    PLANNED_NO_MEMORY, // of this machine
};

// Memory that batches use one after the other; one thread. Zeroed at first.
struct plan_batch_room {
    void *division, **replica;
    size_t division_bytes, *replica_bytes;
    int32_t n;
    struct step_replica *replicas;
    struct instructions *instructions;
};

void plan_batch_room_free(struct plan_batch_room *room);

// The shortest steps of simple rules: micro-batches of so many tokens, or of so many rows, with 1F1B (interleaved 1F1B, or
// the wait-free cyclic method where there is none) in the order of the division. us; INFINITY: none fits.
struct baselines {
    double tokens, uniform;
    int64_t tokens_size, uniform_size; // the best of powers of two
    double mine; // of the training: its micro-batches, its 1F1B, its recomputation; 0: none
};

// What became of a batch.
struct planned {
    enum planned_outcome outcome;
    char reason[512];            // of PLANNED_REFUSED and PLANNED_INFEASIBLE
    int32_t sample;              // of PLANNED_REFUSED: the sample at fault; -1: none
    struct step_figures figures; // of PLANNED
    const char *method, *mode;
    double objective;           // ms, of the division
    double seconds;             // that planning took, without baselines
    struct baselines baselines; // zeroed: not asked for
    struct split_samples samples;
    // The plan; valid until the room is used again.
    struct planned_step step;
};

// Plans a batch. with_baselines: plans the simple rules, too. stop: ends the search early.
void plan_batch(const struct dynaplan_request *request, const struct batch *batch,
                bool with_baselines, struct plan_batch_room *room, const atomic_bool *stop,
                struct planned *planned);
