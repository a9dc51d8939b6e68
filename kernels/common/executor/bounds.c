// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of the time of a step.
#include "kernels/common/executor/bounds.h"

#include <math.h>

// A unit of a forward and a backward may be shorter than its parts.
static double shortest(const struct pipeline *pipeline, int32_t device, double time)
{
    const double pair = pipeline->pair[device];
    return isnan(pair) || time < pair ? time : pair;
}

static double forward_delay(const struct pipeline *pipeline, int32_t k, int32_t stage)
{
    return pipeline_delay(pipeline, pipeline_device(pipeline, k, stage),
                          pipeline_device(pipeline, k, stage + 1),
                          pipeline->stage[stage].forward_bytes);
}

static double backward_delay(const struct pipeline *pipeline, int32_t k, int32_t stage)
{
    return pipeline_delay(pipeline, pipeline_device(pipeline, k, stage),
                          pipeline_device(pipeline, k, stage - 1),
                          pipeline->stage[stage].backward_bytes);
}

// Figures of a device over its stages of one direction.
struct device_bounds {
    double head; // earliest start
    double work; // of one micro-batch
    double area; // memory times time of one micro-batch
};

// Returns the least time from the start of a forward to the end of the backward of its input.
static double round_trip(const struct pipeline *pipeline, int32_t k, int32_t stage)
{
    double time = 0;
    for (int32_t s = stage; s < pipeline->shape.stages; s++) {
        const int32_t device = pipeline_device(pipeline, k, s);
        time += shortest(pipeline, device, pipeline->stage[s].f) +
                shortest(pipeline, device, pipeline->stage[s].b);
        if (s + 1 < pipeline->shape.stages)
            time += forward_delay(pipeline, k, s) + backward_delay(pipeline, k, s + 1);
    }
    return time;
}

// Adds a stage, whose forward can start at `head`, whose round trip takes `trip`, and whose memory lives
// on for w.
static void add_stage(struct device_bounds *device, const struct pipeline_stage *stage,
                      double head, double trip, double w)
{
    device->head = fmin(device->head, head);
    device->work += stage->f + stage->b + stage->w;
    device->area +=
        (stage->kept_until_b + stage->kept_until_w) * trip + stage->kept_until_w * w;
}

static struct device_bounds of_device(const struct pipeline *pipeline, int32_t k,
                                      int32_t device)
{
    struct device_bounds bounds = {.head = HUGE_VAL};
    double head = 0, trip = round_trip(pipeline, k, 0);
    for (int32_t s = 0; s < pipeline->shape.stages; s++) {
        const struct pipeline_stage *stage = &pipeline->stage[s];
        const int32_t at = pipeline_device(pipeline, k, s);
        if (at == device)
            add_stage(&bounds, stage, head, trip, isnan(pipeline->pair[device]) ? stage->w : 0);
        const double f = shortest(pipeline, at, stage->f), b = shortest(pipeline, at, stage->b);
        if (s + 1 == pipeline->shape.stages)
            break;
        head += f + forward_delay(pipeline, k, s);
        trip -= f + b + forward_delay(pipeline, k, s) + backward_delay(pipeline, k, s + 1);
    }
    return bounds;
}

// Returns by how much units shorten the work of a micro-batch on a device at most.
static double saved_by_pairs(const struct pipeline *pipeline, int32_t device)
{
    double f = 0, backward = 0;
    int32_t n = 0;
    if (isnan(pipeline->pair[device]))
        return 0;
    for (int32_t k = 0; k < pipeline->shape.directions; k++)
        for (int32_t s = 0; s < pipeline->shape.stages; s++) {
            const struct pipeline_stage *stage = &pipeline->stage[s];
            if (pipeline_device(pipeline, k, s) != device)
                continue;
            n += k == 0;
            f = fmax(f, stage->f);
            backward = fmax(backward, stage->b + stage->w);
        }
    return n * fmax(0, f + backward - pipeline->pair[device]);
}

// A micro-batch takes the direction in which it costs less.
static struct device_bounds least_of_directions(const struct pipeline *pipeline, int32_t device)
{
    struct device_bounds least = of_device(pipeline, 0, device);
    if (pipeline->shape.directions == 2) {
        const struct device_bounds other = of_device(pipeline, 1, device);
        least.head = fmin(least.head, other.head);
        least.work = fmin(least.work, other.work);
        least.area = fmin(least.area, other.area);
    }
    least.work = fmax(0, least.work - saved_by_pairs(pipeline, device));
    return least;
}

void bounds_of(const struct pipeline *pipeline, struct bounds *out)
{
    struct bounds bounds = {.chain = HUGE_VAL};
    const double items = pipeline_items(pipeline);
    double memory_from_start = 0;
    for (int32_t k = 0; k < pipeline->shape.directions; k++) {
        const int32_t device = pipeline_device(pipeline, k, 0);
        const double w = shortest(pipeline, device, pipeline->stage[0].w);
        bounds.chain = fmin(bounds.chain, round_trip(pipeline, k, 0) +
                                              (isnan(pipeline->pair[device]) ? w : 0));
    }
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        const struct device_bounds device = least_of_directions(pipeline, d);
        const double room = pipeline->limit[d] - pipeline->fixed[d];
        bounds.work = fmax(bounds.work, items * device.work);
        if (isfinite(device.head))
            bounds.load = fmax(bounds.load, device.head + items * device.work);
        if (!isfinite(room) || !(room > 0) || !isfinite(device.head))
            continue;
        // Limits are checked to a relative 1e-9.
        const double time = items * device.area / (room * (1 + 2e-9));
        bounds.memory = fmax(bounds.memory, time);
        memory_from_start = fmax(memory_from_start, device.head + time);
    }
    bounds.span = fmax(bounds.work, fmax(bounds.chain, bounds.memory));
    bounds.makespan = fmax(bounds.load, fmax(bounds.chain, memory_from_start));
    *out = bounds;
}
