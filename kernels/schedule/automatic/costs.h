// SPDX-License-Identifier: Apache-2.0
// Holds what the automatic schedulers look at besides the times of the stages: delays of messages,
// room for memory, and the tolerance of comparisons of times.
#pragma once

#include "kernels/common/plan/pipeline.h"

struct costs {
    const struct pipeline *pipeline;
    double *forward, *backward; // [stages]: delay of the message that the stage sends
    double *limit;              // [devices]: memory for operations, with a tolerance of 1e-9
    double epsilon;             // times that differ by no more are equal
};

// Takes the arrays; costs_set fills them.
void costs_take(struct costs *costs, const struct pipeline_shape *shape, struct room *room);

// Reads the pipeline, which must not change or end before `costs`. Returns false if a device has no
// room for one forward of each of its stages at the same time.
bool costs_set(struct costs *costs, const struct pipeline *pipeline);

// Returns the memory that a forward of the stage takes.
static inline double costs_memory(const struct costs *costs, int32_t stage)
{
    const struct pipeline_stage *at = &costs->pipeline->stage[stage];
    return at->kept_until_b + at->kept_until_w;
}

// Tells whether time a is before time b, and whether it is not after b.
static inline bool costs_before(const struct costs *costs, double a, double b)
{
    return a < b - costs->epsilon;
}

static inline bool costs_by(const struct costs *costs, double a, double b)
{
    return a <= b + costs->epsilon;
}
