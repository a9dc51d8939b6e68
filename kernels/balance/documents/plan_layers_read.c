// SPDX-License-Identifier: Apache-2.0
// Reads layers and pipeline from plans.
#include "kernels/balance/documents/plan_layers_read.h"

#include "base/document/fields.h"
#include "kernels/balance/model/balance_order.h"
#include "kernels/common/plan/plan_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define MS  1e3 // of a second

// ---- layers -------------------------------------------------------------------------------------

void balance_layers_of_plan(const struct plan_layers *from, struct balance_layers *layers)
{
    *layers = (struct balance_layers){.layers = from->count,
                                      .head = from->head.f * MS,
                                      .tail = from->tail.f * MS,
                                      .head_backward = from->head.b * MS,
                                      .tail_backward = from->tail.b * MS,
                                      .forward = from->f * MS,
                                      .parameter_mb = from->bytes / MIB,
                                      .head_mb = from->head.bytes / MIB,
                                      .tail_mb = from->tail.bytes / MIB,
                                      .constant_mb = from->stage_bytes / MIB,
                                      .head_activation_mb = from->head.kept / MIB,
                                      .head_working_mb = from->head.working / MIB,
                                      .working_mb = from->working / MIB,
                                      .transfer = from->transfer * MS};
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->has[k] = from->has[k];
        layers->backward[k] = from->b[k] * MS;
        layers->activation_mb[k] = from->kept[k] / MIB;
    }
}

void balance_layers_to_plan(const struct balance_layers *layers, double seconds,
                            struct plan_layers *to)
{
    *to = (struct plan_layers){.count = layers->layers,
                               .f = layers->forward * seconds,
                               .bytes = layers->parameter_mb * MIB,
                               .working = layers->working_mb * MIB,
                               .head = {.f = layers->head * seconds,
                                        .b = layers->head_backward * seconds,
                                        .bytes = layers->head_mb * MIB,
                                        .kept = layers->head_activation_mb * MIB,
                                        .working = layers->head_working_mb * MIB},
                               .tail = {.f = layers->tail * seconds,
                                        .b = layers->tail_backward * seconds,
                                        .bytes = layers->tail_mb * MIB},
                               .stage_bytes = layers->constant_mb * MIB,
                               .transfer = layers->transfer * seconds};
    for (int k = 0; k < BALANCE_KINDS; k++) {
        to->has[k] = layers->has[k];
        to->b[k] = layers->has[k] ? layers->backward[k] * seconds : 0;
        to->kept[k] = layers->has[k] ? layers->activation_mb[k] * MIB : 0;
    }
}

// ---- the pipeline -------------------------------------------------------------------------------

static bool is_loop(const struct pipeline *pipeline)
{
    for (int32_t k = 0; k < pipeline->shape.stages; k++)
        if (pipeline_device(pipeline, 0, k) != k % pipeline->shape.devices)
            return false;
    return true;
}

// Finds whether the plan runs its forwards and backwards in this order. Returns false if memory runs out.
static bool has_order(const struct plan *plan, const struct balance_shape *shape, bool *has)
{
    const int32_t room = 2 * shape->chunks * shape->micro_batches;
    struct order *order = order_new(shape->stages, room);
    bool same = true;
    if (order == NULL)
        return false;
    balance_order_write(shape, order);
    for (int32_t d = 0; same && d < shape->stages; d++)
        for (int32_t i = 0; same && i < order->n[d]; i++) {
            const struct operation *a = &order->operations[order_at(order, d, i)],
                                   *b = &plan->order->operations[order_at(plan->order, d, i)];
            same = i < plan->order->n[d] && a->type == b->type && a->item == b->item &&
                   a->stage == b->stage;
        }
    order_free(order);
    *has = same;
    return true;
}

// Sets the order of the plan; an order or a placement that no shape has is replaced by the one with more memory. Returns false if memory
// runs out.
static bool read_order(const struct plan *plan, struct balance_planned *planned)
{
    static const enum balance_order orders[] = {BALANCE_LESS_MEMORY, BALANCE_BIG_MEMORY};
    const bool loop = is_loop(plan->pipeline);
    bool has = loop && plan->order == NULL;
    for (int k = 0; k < 2 && loop && !has; k++) {
        planned->shape.order = orders[k];
        if (balance_shape_misfit(&planned->shape) == NULL &&
            !has_order(plan, &planned->shape, &has))
            return false;
    }
    planned->has_other_order = !has;
    return true;
}

static bool read_pipeline(const struct plan *plan, struct balance_planned *planned)
{
    const struct pipeline *pipeline = plan->pipeline;
    planned->shape =
        (struct balance_shape){.stages = pipeline->shape.devices,
                               .chunks = pipeline->shape.stages / pipeline->shape.devices,
                               .micro_batches = pipeline->shape.micro_batches,
                               .pieces = 1,
                               .order = BALANCE_BIG_MEMORY};
    planned->memory_mb = (double)INFINITY;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        planned->memory_mb = fmin(planned->memory_mb, pipeline->limit[d] / MIB);
    return read_order(plan, planned);
}

// Reads the split. A plan with another order has no strategy: its step is not one of balance.
static bool read_mine(const struct plan *plan, struct balance_planned *planned)
{
    struct balance_strategy *mine = &planned->mine;
    const int32_t n = plan->pipeline->shape.stages;
    if (plan->split == NULL || planned->has_other_order)
        return true;
    *mine = (struct balance_strategy){
        .stages = planned->shape.stages,
        .chunks = planned->shape.chunks,
        .count = calloc(BALANCE_KINDS * (size_t)n, sizeof *mine->count)};
    for (int kind = 0; mine->count != NULL && kind < BALANCE_KINDS; kind++)
        for (int32_t k = 0; k < n; k++)
            mine->count[balance_at(mine, (enum balance_kind)kind, k / mine->stages,
                                   k % mine->stages)] = plan->split[kind * n + k];
    return mine->count != NULL;
}

void balance_planned_free(struct balance_planned *planned)
{
    free(planned->mine.count);
    planned->mine.count = NULL;
}

bool balance_planned_of(const struct plan *plan, struct balance_planned *planned,
                        struct pps_fault *fault)
{
    *planned = (struct balance_planned){.layers = {.layers = 0}};
    fault->text[0] = '\0';
    const struct pipeline_shape *shape = &plan->pipeline->shape;
    if (shape->directions != 1 || shape->slices != 1 || shape->stages % shape->devices != 0)
        return pps_fault_set(
            fault, NULL, false,
            "the plan is no pipeline in one direction with whole micro-batches "
            "and as many stages on every device");
    if (plan->layers != NULL)
        balance_layers_of_plan(plan->layers, &planned->layers);
    return read_pipeline(plan, planned) && read_mine(plan, planned);
}

bool balance_planned_read(const struct cJSON *root, struct balance_planned *planned,
                          struct pps_fault *fault)
{
    struct plan *plan = plan_json_read(root, fault);
    *planned = (struct balance_planned){.layers = {.layers = 0}};
    if (plan == NULL)
        return false;
    const bool read = balance_planned_of(plan, planned, fault);
    if (!read && fault->item == NULL)
        fault->item = root;
    plan_free(plan);
    return read;
}
