// SPDX-License-Identifier: Apache-2.0
// Reads what the automatic schedulers look at from a pipeline.
#include "kernels/schedule/automatic/costs.h"

#include <math.h>

void costs_take(struct costs *costs, const struct pipeline_shape *shape, struct room *room)
{
    const size_t stages = (size_t)shape->stages;
    *costs = (struct costs){.pipeline = NULL};
    costs->forward = room_take(room, stages, sizeof(double));
    costs->backward = room_take(room, stages, sizeof(double));
    costs->limit = room_take(room, (size_t)shape->devices, sizeof(double));
}

// Returns a time that is not much longer than the step, and not 0 unless all times are.
static double length_of(const struct costs *costs)
{
    const struct pipeline *p = costs->pipeline;
    double length = 0;
    for (int32_t s = 0; s < p->shape.stages; s++) {
        const struct pipeline_stage *at = &p->stage[s];
        length = fmax(length, (at->f + at->b + at->w) * p->shape.micro_batches);
    }
    return length;
}

bool costs_set(struct costs *costs, const struct pipeline *pipeline)
{
    const struct pipeline_shape *shape = &pipeline->shape;
    bool fits = true;
    costs->pipeline = pipeline;
    for (int32_t d = 0; d < shape->devices; d++) {
        const double limit = pipeline->limit[d];
        costs->limit[d] = isinf(limit) ? limit : limit * (1 + 1e-9) - pipeline->fixed[d];
    }
    for (int32_t d = 0; d < shape->devices; d++) {
        double needed = 0;
        for (int32_t s = 0; s < shape->stages; s++)
            needed += pipeline->device_of[s] == d ? costs_memory(costs, s) : 0;
        fits = fits && needed <= costs->limit[d];
    }
    for (int32_t s = 0; s < shape->stages; s++) {
        const int32_t here = pipeline->device_of[s];
        costs->forward[s] = costs->backward[s] = 0;
        if (s + 1 < shape->stages)
            costs->forward[s] = pipeline_delay(pipeline, here, pipeline->device_of[s + 1],
                                               pipeline->stage[s].forward_bytes);
        if (s > 0)
            costs->backward[s] = pipeline_delay(pipeline, here, pipeline->device_of[s - 1],
                                                pipeline->stage[s].backward_bytes);
    }
    costs->epsilon = 1e-9 * length_of(costs);
    return fits;
}
