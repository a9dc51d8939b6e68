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

// ---- the ends of the model ------------------------------------------------------------------------

// What the first stage and the last stage of a plan have besides their layers.
struct ends {
    struct pipeline_stage work[2]; // of the head, of the tail: f, b, w, r
    double bytes[2];
};

// Returns the work of an end, of which its stage in the plan consists in part. With slices: of a slice.
static struct pipeline_stage work_of_end(const struct plan_end *end,
                                         const struct pipeline_stage *stage, int32_t slices)
{
    const double backward = stage->b + stage->w,
                 part = backward > 0 ? fmin(end->b / slices / backward, 1) : 0,
                 f = fmin(end->f / slices, stage->f);
    return (struct pipeline_stage){.f = f,
                                   .b = part * stage->b,
                                   .w = part * stage->w,
                                   .r = fmin(f, stage->r)};
}

static struct ends ends_of(const struct plan *plan)
{
    const struct pipeline *of = plan->pipeline;
    const struct plan_layers *layers = plan->layers;
    if (layers == NULL)
        return (struct ends){.bytes = {0}};
    return (struct ends){.work = {work_of_end(&layers->head, &of->stage[0], of->shape.slices),
                                  work_of_end(&layers->tail, &of->stage[of->shape.stages - 1],
                                              of->shape.slices)},
                         .bytes = {layers->head.bytes, layers->tail.bytes}};
}

// Returns the device of the first or the last stage.
static int32_t device_of_end(const struct pipeline *pipeline, int32_t direction, int end)
{
    return pipeline_device(pipeline, direction, end == 0 ? 0 : pipeline->shape.stages - 1);
}

static void add_work(struct pipeline_stage *to, const struct pipeline_stage *work, double sign)
{
    to->f = fmax(0, to->f + sign * work->f);
    to->b = fmax(0, to->b + sign * work->b);
    to->w = fmax(0, to->w + sign * work->w);
    to->r = fmax(0, to->r + sign * work->r);
}

// Returns what each of the stages of a device costs: the work of the device in the plan without the ends,
// divided equally, and the ends that the stage has.
static struct pipeline_stage moved(const struct pipeline *pipeline, const struct pipeline *of,
                                   const struct ends *ends, int32_t s)
{
    const int32_t d = pipeline->device_of[s];
    struct pipeline_stage stage = device_total(of, d);
    for (int end = 0; end < 2; end++)
        if (device_of_end(of, 0, end) == d)
            add_work(&stage, &ends->work[end], -1);
    multiply(&stage, &(struct plan_scale){1, 1, 1, 1, 1}, 1.0 / stages_on(pipeline, d));
    if (s == 0)
        add_work(&stage, &ends->work[0], 1);
    if (s == pipeline->shape.stages - 1)
        add_work(&stage, &ends->work[1], 1);
    return stage;
}

// Returns what a device of the plan holds all the time, without the ends.
static double fixed_of_body(const struct pipeline *of, const struct ends *ends, int32_t d)
{
    double fixed = of->fixed[d];
    for (int end = 0; end < 2; end++)
        if (device_of_end(of, 0, end) == d)
            fixed -= ends->bytes[end];
    return fixed;
}

// Returns what a device holds all the time: in each direction the layers of a device of the plan, and the ends
// of the model that are on it. A plan with two directions holds both copies already.
static double fixed_of(const struct pipeline *pipeline, const struct pipeline *of,
                       const struct ends *ends, int32_t d)
{
    double fixed = 0;
    if (of->shape.directions == 2)
        return of->fixed[d];
    for (int32_t k = 0; k < pipeline->shape.directions; k++) {
        fixed += fixed_of_body(of, ends, k == 0 ? d : pipeline->shape.devices - 1 - d);
        for (int end = 0; end < 2; end++)
            if (device_of_end(pipeline, k, end) == d)
                fixed += ends->bytes[end];
    }
    return fixed;
}

// ---- the pipeline -------------------------------------------------------------------------------

void plan_costs_set(struct pipeline *pipeline, const struct plan *plan,
                    const struct plan_scale *scale)
{
    const struct pipeline *of = plan->pipeline;
    const bool same = has_same_stages(pipeline, of);
    const double slices = (double)of->shape.slices / pipeline->shape.slices;
    const struct ends ends = ends_of(plan);
    for (int32_t s = 0; s < pipeline->shape.stages; s++) {
        pipeline->stage[s] = same ? of->stage[s] : moved(pipeline, of, &ends, s);
        multiply(&pipeline->stage[s], scale, slices);
    }
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        const double chunks = same ? 1 : (double)stages_on(of, d) / stages_on(pipeline, d);
        pipeline->pair[d] = of->pair[d] * chunks * slices;
        pipeline->fixed[d] = fixed_of(pipeline, of, &ends, d);
        pipeline->limit[d] = of->limit[d];
    }
}
