// SPDX-License-Identifier: Apache-2.0
// Executes one order with the times of several replicates at once, one replicate in each lane of a vector.
// Every processor computes the same bits.
#pragma once

#include "kernels/common/executor/executor_times.h"

// Memory of executor_lanes_run. One thread uses it at a time; it serves any executor of its shape.
struct executor_lanes;

// Takes the memory for pipelines of at most this shape. Returns NULL if the room only counts.
struct executor_lanes *executor_lanes_take(const struct pipeline_shape *most,
                                           struct room *room);

struct executor_lanes_result {
    double makespan[EXECUTOR_LANES], span[EXECUTOR_LANES];
    // [order_at * EXECUTOR_LANES + lane], aligned as the times; both NULL: unwanted.
    double *starts, *ends;
};

// Executes the order of the last executor_run, which has returned EXECUTOR_DONE, in every lane. A lane has
// the same bits as executor_run_again with its times. Occupied channels are allowed: the occupation of a
// message changes in the ratio of its delay. With channels or times.duration, the lanes run one after the other,
// about as fast as executor_run, and executor_starts, executor_ends, executor_makespan and executor_span
// are then those of the last lane; if the poll of executor_run ends a lane, its results are undefined.
void executor_lanes_run(struct executor *executor, struct executor_lanes *lanes,
                        const struct executor_times *times,
                        struct executor_lanes_result *result);
