// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of replicates that know all their times and keep the memory limits, for orders in
// which the F of a stage run in the order of the micro-batches, and so do its B and its W: all orders of
// the environment. model.md, Bounds of replicates, has the definition and the proof.
#pragma once

#include "kernels/common/executor/executor_times.h"

struct limited;

// Takes memory for pipelines of at most this shape. NULL: the room only counts.
struct limited *limited_take(const struct pipeline_shape *most, struct room *room);

// Sets the pipeline, which must not change or end before the last call for it.
void limited_open(struct limited *limited, const struct pipeline *pipeline);

// Computes the bounds of the makespan. with_limits: false: as if memory had no limits, "clairvoyant" for these
// orders. bound: [EXECUTOR_LANES]; all 0 for pipelines with two directions, slices or pairs, and if the
// times depend on the start.
void limited_bounds(struct limited *limited, const struct executor_times *times,
                    bool with_limits, double *bound);
