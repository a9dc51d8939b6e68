// SPDX-License-Identifier: Apache-2.0
// Holds the plan of a training step.
#include "kernels/common/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const plan_part_names[PLAN_PARTS] = {
    [PLAN_PLACEMENT] = "placement", [PLAN_TIMES] = "times", [PLAN_MEMORY] = "memory",
    [PLAN_LINKS] = "links",         [PLAN_ORDER] = "order",
};

// ---- copies -------------------------------------------------------------------------------------

// Copies a table of links; diagonal: the value of [d * devices + d]. NULL: out of memory.
static double *copy_table(const double *table, int32_t devices, double diagonal)
{
    const size_t n = (size_t)devices * (size_t)devices;
    double *copy = malloc(n * sizeof *copy);
    if (copy == NULL)
        return NULL;
    memcpy(copy, table, n * sizeof *copy);
    for (int32_t d = 0; d < devices; d++)
        copy[(size_t)d * (size_t)devices + (size_t)d] = diagonal;
    return copy;
}

static bool copy_links(struct pipeline *to, const struct pipeline *from)
{
    const struct pipeline_links *links = &from->links;
    const int32_t devices = from->shape.devices;
    to->links = *links;
    to->links.latencies = to->links.bandwidths = NULL;
    if (links->latencies != NULL) {
        to->links.latencies = copy_table(links->latencies, devices, 0);
        if (to->links.latencies == NULL)
            return false;
    }
    if (links->bandwidths != NULL)
        to->links.bandwidths = copy_table(links->bandwidths, devices, HUGE_VAL);
    return links->bandwidths == NULL || to->links.bandwidths != NULL;
}

static bool copy_pipeline(struct plan *plan, const struct pipeline *from)
{
    struct pipeline *to = plan->pipeline = pipeline_new(&from->shape);
    if (to == NULL)
        return false;
    pipeline_copy(to, from);
    return copy_links(to, from);
}

static bool copy_order(struct plan *plan, const struct order *from)
{
    int32_t most = 0;
    for (int32_t d = 0; d < from->devices; d++)
        most = from->n[d] > most ? from->n[d] : most;
    plan->order = order_new(from->devices, most);
    if (plan->order != NULL)
        order_copy(plan->order, from);
    return plan->order != NULL;
}

struct plan *plan_new(const struct pipeline *pipeline, const struct order *order)
{
    struct plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return NULL;
    for (int k = 0; k < PLAN_PARTS; k++)
        plan->makers[k].value = plan->makers[k].bound = (double)NAN;
    if (copy_pipeline(plan, pipeline) && (order == NULL || copy_order(plan, order)))
        return plan;
    plan_free(plan);
    return NULL;
}

static void free_table(const double *table)
{
    union {
        const double *read;
        void *own;
    } pointer = {.read = table};
    free(pointer.own);
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->pipeline != NULL) {
        free_table(plan->pipeline->links.latencies);
        free_table(plan->pipeline->links.bandwidths);
    }
    pipeline_free(plan->pipeline);
    order_free(plan->order);
    free(plan->layers);
    free(plan->split);
    free(plan->configuration);
    free(plan);
}

bool plan_set_configuration(struct plan *plan, const char *text)
{
    free(plan->configuration);
    plan->configuration = strdup(text);
    return plan->configuration != NULL;
}

bool plan_set_layers(struct plan *plan, const struct plan_layers *layers)
{
    if (plan->layers == NULL)
        plan->layers = malloc(sizeof *plan->layers);
    if (plan->layers != NULL)
        *plan->layers = *layers;
    return plan->layers != NULL;
}

bool plan_set_split(struct plan *plan, const int32_t *split)
{
    const size_t n = PLAN_RECOMPUTES * (size_t)plan->pipeline->shape.stages;
    if (plan->split == NULL)
        plan->split = malloc(n * sizeof *plan->split);
    if (plan->split != NULL)
        memcpy(plan->split, split, n * sizeof *plan->split);
    return plan->split != NULL;
}

void plan_made_by(struct plan *plan, enum plan_part part, const char *by, const char *objective,
                  double value, double bound)
{
    struct plan_maker *maker = &plan->makers[part];
    snprintf(maker->by, sizeof maker->by, "%s", by);
    snprintf(maker->objective, sizeof maker->objective, "%s", objective);
    maker->value = value;
    maker->bound = bound;
}
