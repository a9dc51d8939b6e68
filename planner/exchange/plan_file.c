// SPDX-License-Identifier: Apache-2.0
// Writes a split of the pipeline program as a plan of the training step.
#include "planner/exchange/plan_file.h"

#include "base/math/units.h"
#include "kernels/common/split/chunk.h"
#include "kernels/common/split/playback.h"

#include <math.h>

// Converts the pipeline of the passes to s and bytes, and splits its backwards.
static void convert(struct passes *passes, const struct nd_program *program,
                    const struct nd_choice *choice, const struct nd_plan_units *units)
{
    struct pipeline *pipeline = &passes->timed.pipeline;
    for (int32_t k = 0; k < pipeline->shape.stages; k++) {
        struct pipeline_stage *stage = &pipeline->stage[k];
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        const double plain = stage->b - nd_chunk_growth(program, &chunk) / program->splits;
        const double w = units->weights_time * plain * units->layer_s,
                     kept = passes->kept[k] * UNITS_MIB / program->splits;
        *stage = (struct pipeline_stage){.f = stage->f * units->layer_s,
                                         .b = stage->b * units->layer_s - w,
                                         .w = w,
                                         .r = stage->f * units->layer_s,
                                         .kept_until_b = kept - units->weights_memory * kept,
                                         .kept_until_w = units->weights_memory * kept};
    }
    for (int32_t i = 0; i < program->stages; i++) {
        pipeline->fixed[i] *= UNITS_MIB;
        pipeline->limit[i] *= UNITS_MIB;
    }
    pipeline->links.latency *= units->layer_s;
}

bool nd_plan_layers_of(const struct nd_program *p, double s, struct plan_layers *layers)
{
    const struct nd_figures *memory = &p->memory;
    const double last = nd_program_static(p, p->stages - 1) - memory->static_mem;
    const double first = p->stages > 1 ? memory->static_mem0 - memory->static_mem : 0.0;
    if (p->layers[0] > 0 || p->splits > 1 || p->compat != ND_CORRECTED)
        return false;
    *layers =
        (struct plan_layers){.count = p->layers[1],
                             .f = s,
                             .bytes = memory->layer_mem * UNITS_MIB,
                             .has = {[PLAN_KEEP] = true,
                                     [PLAN_SELECT] = p->allow_select && memory->select_mem > 0,
                                     [PLAN_FULL] = p->allow_full && memory->re_comp_mem > 0},
                             .b = {[PLAN_KEEP] = p->backward_ratio * s,
                                   [PLAN_SELECT] = (p->backward_ratio + p->select_growth) * s,
                                   [PLAN_FULL] = (p->backward_ratio + p->full_growth) * s},
                             .kept = {[PLAN_KEEP] = memory->act_mem * UNITS_MIB,
                                      [PLAN_SELECT] = memory->select_mem * UNITS_MIB,
                                      [PLAN_FULL] = memory->re_comp_mem * UNITS_MIB},
                             .head = {.bytes = first * UNITS_MIB},
                             .tail = {.f = p->head_ratio * s,
                                      .b = (nd_program_head(p) - p->head_ratio) * s,
                                      .bytes = last * UNITS_MIB},
                             .stage_bytes = memory->static_mem * UNITS_MIB,
                             .transfer = p->hop * s};
    return true;
}

static struct plan *make(const struct nd_program *program, const struct nd_choice *choice,
                         struct passes *passes, const struct nd_plan_units *units)
{
    convert(passes, program, choice, units);
    struct plan *plan = plan_new(&passes->timed.pipeline, &passes->timed.order);
    if (plan == NULL)
        return NULL;
    struct plan_layers layers;
    if (nd_plan_layers_of(program, units->layer_s, &layers) &&
        !plan_set_layers(plan, &layers)) {
        plan_free(plan);
        return NULL;
    }
    plan_made_by(plan, PLAN_PLACEMENT, "nd pipeline", "", (double)NAN, (double)NAN);
    plan_made_by(plan, PLAN_TIMES, units->times, "", (double)NAN, (double)NAN);
    plan_made_by(plan, PLAN_ORDER, program->chunks > 1 ? "interleaved 1F1B" : "1F1B",
                 "makespan", passes->makespan * units->layer_s, (double)NAN);
    return plan;
}

struct plan *nd_plan_of_choice(const struct nd_program *program, const struct nd_choice *choice,
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
