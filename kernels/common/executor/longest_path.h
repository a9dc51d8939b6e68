// SPDX-License-Identifier: Apache-2.0
// Finds longest paths through the operations of an executed order: each starts when the one before it
// on its device has ended, or when its message has arrived.
#pragma once

#include "kernels/common/executor/executor.h"

// The inputs of the operations of an order without units, on a pipeline with PIPELINE_FREE links.
struct longest_path {
    const struct pipeline *pipeline;
    const struct order *order;
    int32_t n;
    int32_t *sequence; // [n]: order_at; each operation comes after its inputs
    int32_t *sender;   // [order_at]: order_at of the operation that sends the message; -1: none
    int32_t *sent;     // temporary
};

// Takes the arrays for pipelines of at most this shape and orders with room for `operations` per device.
void longest_path_take(struct longest_path *path, const struct pipeline_shape *most,
                       int32_t operations, struct room *room);

// Takes the inputs from the last run of an executor, which returned EXECUTOR_DONE. They hold for any
// times. Returns false if the poll (may be NULL) ended the loop.
bool longest_path_set(struct longest_path *path, const struct executor *executor,
                      struct poll *poll);

// Finds the critical path up to the operation that ends last, with the starts and ends of a run: an
// operation whose message arrives when it starts waited for the message, also if its device was
// free only then. Writes order_at of the last `room` operations of the path. Returns the length of
// the whole path; -1 if the poll (may be NULL) ended the loop.
int32_t longest_path_critical(const struct longest_path *path, const double *starts,
                              const double *ends, int32_t *operations, int32_t room,
                              struct poll *poll);

// Computes for each operation the least time from the start of operation `source`, order_at, to its
// start: the longest path, by the present times of the pipeline; -HUGE_VAL without a path. starts:
// [order_at]. Returns false if the poll (may be NULL) ended the loop.
bool longest_path_from(const struct longest_path *path, int32_t source, double *starts,
                       struct poll *poll);
