// SPDX-License-Identifier: Apache-2.0
// Sets the work of a pipeline from a plan.
#include "kernels/schedule/plan_costs.h"

#include <math.h>

static bool has_same_stages(const struct pipeline *pipeline, const struct pipeline *of)
{
    if (pipeline->shape.stages != of->shape.stages)
        return false;
    for (int32_t s = 0; s < of->shape.stages; s++)
        if (pipeline->device_of[s] != of->device_of[s])
            return false;
    return true;
}

static int32_t stages_on(const struct pipeline *pipeline, int32_t device)
{
    int32_t n = 0;
    for (int32_t s = 0; s < pipeline->shape.stages; s++)
        n += pipeline->device_of[s] == device;
    return n;
}

// Returns the sum of the plan's stages on a device; of messages the largest.
static struct pipeline_stage device_total(const struct pipeline *of, int32_t device)
{
    struct pipeline_stage total = {.f = 0};
    for (int32_t s = 0; s < of->shape.stages; s++) {
        const struct pipeline_stage *stage = &of->stage[s];
        if (of->device_of[s] != device)
            continue;
        total.f += stage->f;
        total.b += stage->b;
        total.w += stage->w;
        total.r += stage->r;
        total.kept_until_b += stage->kept_until_b;
        total.kept_until_w += stage->kept_until_w;
        total.forward_bytes = fmax(total.forward_bytes, stage->forward_bytes);
        total.backward_bytes = fmax(total.backward_bytes, stage->backward_bytes);
    }
    return total;
}

static void multiply(struct pipeline_stage *stage, const struct plan_scale *scale, double part)
{
    stage->f *= scale->f * part;
    stage->b *= scale->b * part;
    stage->w *= scale->w * part;
    stage->r *= scale->f * part;
    stage->kept_until_b *= scale->memory_b * part;
    stage->kept_until_w *= scale->memory_w * part;
}

void plan_costs_set(struct pipeline *pipeline,
                    const struct plan *plan,
                    const struct plan_scale *scale)
{
    const struct pipeline *of = plan->pipeline;
    const bool same = has_same_stages(pipeline, of);
    const double slices = (double)of->shape.slices / pipeline->shape.slices;
    for (int32_t s = 0; s < pipeline->shape.stages; s++) {
        const int32_t d = pipeline->device_of[s];
        pipeline->stage[s] = same ? of->stage[s] : device_total(of, d);
        multiply(&pipeline->stage[s], scale, same ? slices : slices / stages_on(pipeline, d));
    }
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        const int32_t other = pipeline->shape.devices - 1 - d;
        const double chunks = same ? 1 : (double)stages_on(of, d) / stages_on(pipeline, d);
        const bool two = pipeline->shape.directions > of->shape.directions;
        pipeline->pair[d] = of->pair[d] * chunks * slices;
        pipeline->fixed[d] = of->fixed[d] + (two ? of->fixed[other] : 0);
        pipeline->limit[d] = of->limit[d];
    }
}
