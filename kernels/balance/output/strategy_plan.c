// SPDX-License-Identifier: Apache-2.0
// Writes strategies as plans.
#include "kernels/balance/output/strategy_plan.h"

#include "kernels/balance/documents/plan_layers_read.h"
#include "kernels/common/plan/plan_json.h"

#include <math.h>

#define MIB 1048576.0

static struct pipeline_stage stage_of(const struct balance_plan *of, int32_t k)
{
    const int32_t p = of->shape->stages;
    const struct balance_chunk chunk = balance_chunk_of(of->layers, of->strategy, k / p, k % p);
    const double w = fmin(chunk.forward, chunk.backward);
    return (struct pipeline_stage){.f = chunk.forward * of->seconds,
                                   .b = (chunk.backward - w) * of->seconds,
                                   .w = w * of->seconds,
                                   .r = chunk.forward * of->seconds,
                                   .kept_until_w = chunk.activation_mb * MIB};
}

static void name_makers(const struct balance_plan *of, struct plan *plan)
{
    const double none = (double)NAN;
    plan_made_by(plan, PLAN_PLACEMENT, of->by, "", none, none);
    plan_made_by(plan, PLAN_TIMES, of->by, "", none, none);
    plan_made_by(plan, PLAN_MEMORY, of->by, "", none, none);
    plan_made_by(plan, PLAN_ORDER, of->by, "makespan", of->makespan * of->seconds,
                 of->bound * of->seconds);
}

// Layers whose micro-batches are cut along the sequence are not those of the model.
static bool add_layers(const struct balance_plan *of, struct plan *plan)
{
    struct plan_layers layers;
    if (of->shape->pieces > 1)
        return true;
    balance_layers_to_plan(of->layers, of->seconds, &layers);
    return plan_set_layers(plan, &layers);
}

struct plan *balance_plan_of(const struct balance_plan *of)
{
    const struct pipeline_shape shape = balance_pipeline(of->shape);
    struct pipeline *pipeline = pipeline_new(&shape);
    if (pipeline == NULL)
        return NULL;
    pipeline_place(pipeline, PIPELINE_LOOP);
    for (int32_t k = 0; k < shape.stages; k++)
        pipeline->stage[k] = stage_of(of, k);
    for (int32_t s = 0; s < shape.devices; s++) {
        pipeline->fixed[s] = balance_static_mb(of->layers, of->strategy, s) * MIB;
        if (isfinite(of->limit_mb))
            pipeline->limit[s] = of->limit_mb * MIB;
    }
    pipeline->links.latency = of->shape->transfer * of->seconds;
    struct plan *plan = plan_new(pipeline, balance_replay_order(of->replay));
    pipeline_free(pipeline);
    if (plan == NULL || !add_layers(of, plan)) {
        plan_free(plan);
        return NULL;
    }
    name_makers(of, plan);
    return plan;
}

bool balance_plan_write(const struct balance_plan *of, struct text_buffer *text)
{
    struct plan *plan = balance_plan_of(of);
    if (plan == NULL)
        return false;
    plan_json_write(plan, text);
    plan_free(plan);
    return !text->failed;
}
