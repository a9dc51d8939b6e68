// SPDX-License-Identifier: Apache-2.0
// The rules of the methods.
#pragma once

#include "kernels/dynapipe/methods/methods.h"

// A schedule that is made.
struct making {
    const struct dynapipe_pipeline *pipeline;
    const struct micro_batches *batches;
    const struct method_limits *limits;
    struct method_room *room;
    struct lanes *lanes;
    struct lanes_times *times;
    struct poll *poll;
};

// An operation that runs on a lane of FIFO.
struct running {
    struct lane_operation operation;
    enum lane lane;
    int64_t launch;
};

struct method_room {
    // Cyclic: operations of a queue that are done and that may run, [LANES][backward][stages].
    int32_t *done[LANES][2], *ready[LANES][2], *released[LANES][2];
    struct lane_operation *heads[2], *merged; // [stages]; [2 * stages]
    double *memory;                           // [devices]
    int32_t *started, *finished;              // [devices]: micro-batches, or highest indices
    // FIFO
    struct lanes queue;              // waiting operations
    int32_t *first;                  // [devices * LANES]: the head of a queue
    struct running *running, *ended; // [devices * LANES]
    double *ends;                    // likewise; INFINITY: the lane is idle
};

enum method_outcome cyclic_make(const struct making *making);
enum method_outcome fifo_make(const struct making *making);
void one_f_one_b_make(const struct making *making);

// Writes the lanes of interleaved 1F1B; `dense`: without the slots of micro-batches that do not exist.
void interleaved_make(const struct making *making, bool dense);
