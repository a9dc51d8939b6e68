// SPDX-License-Identifier: Apache-2.0
// Writes configurations as documents and as plans.
#include "kernels/configuration/document.h"

#include "base/edit/json_write.h"
#include "kernels/configuration/layers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

// ---- the strategy -------------------------------------------------------------------------------

enum list { LAYERS, FULL, SELECT };

static int32_t value_of(const struct configuration_part *part, enum list list)
{
    const int32_t *values = list == LAYERS ? part->layers
                            : list == FULL ? part->full
                                           : part->select;
    return configuration_sum(values);
}

static bool add_list(cJSON *object, const char *key, const struct configuration *c,
                     enum list list)
{
    cJSON *rows = cJSON_AddArrayToObject(object, key);
    bool ok = rows != NULL;
    for (int32_t v = 0; ok && v < c->strategy.vp; v++) {
        cJSON *row = cJSON_CreateArray();
        ok = row != NULL && cJSON_AddItemToArray(rows, row);
        for (int32_t d = 0; ok && d < c->strategy.pp; d++)
            ok = cJSON_AddItemToArray(
                row,
                cJSON_CreateNumber(value_of(&c->parts[configuration_part_at(c, v, d)], list)));
    }
    return ok;
}

static bool add_degrees(cJSON *object, const struct nd_strategy *s)
{
    const struct {
        const char *key;
        int32_t value;
    } degrees[] = {{"dp", s->dp}, {"tp", s->tp}, {"cp", s->cp}, {"pp", s->pp},
                   {"ep", s->ep}, {"op", s->op}, {"vp", s->vp}, {"mbs", s->mbs}};
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees; k++)
        if (cJSON_AddNumberToObject(object, degrees[k].key, degrees[k].value) == NULL)
            return false;
    return cJSON_AddBoolToObject(object, "sp", s->sp) != NULL;
}

// Returns NULL when out of memory.
static cJSON *strategy_of(const struct configuration *c)
{
    cJSON *object = cJSON_CreateObject();
    const bool ok =
        object != NULL && add_degrees(object, &c->strategy) &&
        add_list(object, "layers", c, LAYERS) && add_list(object, "recompute", c, FULL) &&
        add_list(object, "select_recompute", c, SELECT) &&
        (c->recompute_group <= 1 ||
         cJSON_AddNumberToObject(object, "recompute_group", c->recompute_group) != NULL) &&
        (c->run_batch == 0 ||
         cJSON_AddNumberToObject(object, "run_batch", c->run_batch) != NULL) &&
        (c->family == NULL ||
         cJSON_AddStringToObject(object, "schedule", c->family->name) != NULL);
    if (ok)
        return object;
    cJSON_Delete(object);
    return NULL;
}

// ---- a whole configuration ----------------------------------------------------------------------

struct cJSON *configuration_document(const struct configuration *c)
{
    const struct {
        const char *key;
        cJSON *item;
    } parts[] = {{"model", modeldesc_document(&c->model)},
                 {"cluster", cluster_document(&c->cluster)},
                 {"training", training_document(&c->training)},
                 {"baseline", strategy_of(c)}};
    cJSON *object = cJSON_CreateObject();
    bool ok = object != NULL;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const bool added = ok && parts[k].item != NULL &&
                           cJSON_AddItemToObject(object, parts[k].key, parts[k].item);
        if (!added)
            cJSON_Delete(parts[k].item);
        ok = ok && added;
    }
    if (ok)
        return object;
    cJSON_Delete(object);
    return NULL;
}

// ---- the plan -----------------------------------------------------------------------------------

static bool set_configuration(struct plan *plan, const struct configuration *c)
{
    struct text_buffer text = {.text = NULL};
    cJSON *document = configuration_document(c);
    if (document == NULL)
        return false;
    json_write_tree(&text, document);
    cJSON_Delete(document);
    const bool set = !text.failed && plan_set_configuration(plan, text.text);
    text_buffer_free(&text);
    return set;
}

// With modules before the last part, the layers say nothing of the split of the configuration itself.
static bool set_layers(struct plan *plan, const struct configuration *c)
{
    struct plan_layers layers;
    if (configuration_layers_misfit(c) != NULL)
        return true;
    int32_t *split = calloc(PLAN_RECOMPUTES * (size_t)c->n_parts, sizeof *split);
    if (split == NULL)
        return false;
    configuration_layers(c, &layers, split);
    const bool set = plan_set_layers(plan, &layers) &&
                     (configuration_sends_more(c) || plan_set_split(plan, split));
    free(split);
    return set;
}

struct plan *configuration_plan(const struct configuration *c,
                                const struct configuration_step *step)
{
    struct plan *plan = plan_new(step->work, step->order);
    if (plan == NULL || !set_configuration(plan, c) || !set_layers(plan, c)) {
        plan_free(plan);
        return NULL;
    }
    plan_made_by(plan, PLAN_PLACEMENT, "the configuration", "", (double)NAN, (double)NAN);
    plan_made_by(plan, PLAN_TIMES, "analytic models", "", (double)NAN, (double)NAN);
    plan_made_by(plan, PLAN_ORDER, configuration_schedule(c), "makespan", step->pipeline,
                 (double)NAN);
    return plan;
}
