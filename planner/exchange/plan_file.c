// SPDX-License-Identifier: Apache-2.0
// Writes a split of the pipeline program as a plan of the training step.
#include "planner/exchange/plan_file.h"

#include "base/math/units.h"
#include "kernels/common/split/chunk.h"
#include "kernels/common/split/playback.h"

#include <math.h>

// The index [chunk * stages + stage] is the number of the stage in the model.
static void set_stages(struct pipeline *pipeline,
                       const struct nd_program *program,
                       const struct nd_choice *choice,
                       const struct passes *passes,
                       const struct nd_plan_units *units)
{
    for (int32_t k = 0; k < pipeline->shape.stages; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        const double plain =
            passes->backward[k] - nd_chunk_growth(program, &chunk) / program->splits;
        const double w = units->weights_time * plain * units->layer_s,
                     kept = passes->kept[k] * UNITS_MIB / program->splits;
        pipeline->stage[k] =
            (struct pipeline_stage){.f = passes->forward[k] * units->layer_s,
                                    .b = passes->backward[k] * units->layer_s - w,
                                    .w = w,
                                    .r = passes->forward[k] * units->layer_s,
                                    .kept_until_b = kept - units->weights_memory * kept,
                                    .kept_until_w = units->weights_memory * kept};
    }
    for (int32_t i = 0; i < program->stages; i++) {
        pipeline->fixed[i] = passes->fixed[i] * UNITS_MIB;
        pipeline->limit[i] = passes->limit[i] * UNITS_MIB;
    }
    pipeline->links.latency = passes->hop * units->layer_s;
}

// The passes are listed stage after stage, each in its order.
static void set_order(struct order *order, const struct passes *passes)
{
    for (int32_t k = 0; k < passes->n; k++) {
        const struct orders_task *task = &passes->list[k].task;
        const int32_t stage = passes->list[k].stage;
        order_add(order, stage, task->kind == ORDERS_FORWARD ? OPERATION_F : OPERATION_BW,
                  task->micro_batch * passes->shape.splits + task->split,
                  task->chunk * passes->shape.stages + stage);
    }
}

static struct plan *make(const struct nd_program *program,
                         const struct nd_choice *choice,
                         const struct passes *passes,
                         const struct nd_plan_units *units)
{
    const struct pipeline_shape shape = {.devices = program->stages,
                                         .stages = program->stages * program->chunks,
                                         .micro_batches = program->micro_batches,
                                         .slices = program->splits,
                                         .directions = 1};
    struct plan *plan = NULL;
    struct pipeline *pipeline = pipeline_new(&shape);
    struct order *order = order_new(shape.devices, orders_length(&passes->shape));
    if (pipeline != NULL && order != NULL) {
        pipeline_place(pipeline, PIPELINE_LOOP);
        set_stages(pipeline, program, choice, passes, units);
        set_order(order, passes);
        plan = plan_new(pipeline, order);
    }
    pipeline_free(pipeline);
    order_free(order);
    if (plan == NULL)
        return NULL;
    plan_made_by(plan, PLAN_PLACEMENT, "nd pipeline", "", (double)NAN, (double)NAN);
    plan_made_by(plan, PLAN_TIMES, units->times, "", (double)NAN, (double)NAN);
    plan_made_by(plan, PLAN_ORDER, program->chunks > 1 ? "interleaved 1F1B" : "1F1B",
                 "makespan", passes->makespan * units->layer_s, (double)NAN);
    return plan;
}

struct plan *nd_plan_of_choice(const struct nd_program *program,
                               const struct nd_choice *choice,
                               const struct nd_plan_units *units)
{
    const struct orders_shape shape = nd_program_shape(program);
    struct passes passes;
    struct plan *plan = NULL;
    if (nd_play(program, choice, &shape, &passes) == ND_DONE)
        plan = make(program, choice, &passes, units);
    passes_free(&passes);
    return plan;
}
