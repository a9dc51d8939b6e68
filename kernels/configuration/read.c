// SPDX-License-Identifier: Apache-2.0
// Reads the strategy and the parts of a configuration from a document.
#include "kernels/configuration/configuration.h"

#include "base/document/fault.h"
#include "base/document/json.h"
#include "kernels/schedule/catalogue/catalogue.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE_MAX = 1 << 20 };

struct reading {
    struct configuration *c;
    const cJSON *strategy;
    struct configuration_items *items;
    struct pps_fault *fault;
};

// ---- numbers ------------------------------------------------------------------------------------

// Reads a whole number from `least` on; without a value, *number stays.
static bool read_number(const struct reading *r, const char *key, int32_t low, int32_t *number)
{
    const cJSON *item = pps_json_member(r->strategy, key);
    if (item == NULL)
        return true;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : low - 1.0;
    if (value != (double)(int32_t)value || value < low || value > DEGREE_MAX)
        return pps_fault_set(r->fault, item, false, "%s: expected a whole number from %d to %d",
                             key, low, DEGREE_MAX);
    *number = (int32_t)value;
    return true;
}

static bool read_degrees(const struct reading *r)
{
    struct nd_strategy *s = &r->c->strategy;
    const cJSON *sp = pps_json_member(r->strategy, "sp");
    *s = (struct nd_strategy){.dp = 0,
                              .tp = 1,
                              .cp = 1,
                              .pp = 1,
                              .ep = 1,
                              .op = 0,
                              .vp = 1,
                              .mbs = 1};
    if (!read_number(r, "tp", 1, &s->tp) || !read_number(r, "cp", 1, &s->cp) ||
        !read_number(r, "pp", 1, &s->pp) || !read_number(r, "ep", 1, &s->ep) ||
        !read_number(r, "vp", 1, &s->vp) || !read_number(r, "mbs", 1, &s->mbs) ||
        !read_number(r, "dp", 1, &s->dp) || !read_number(r, "op", -1, &s->op))
        return false;
    if (sp != NULL && !cJSON_IsBool(sp))
        return pps_fault_set(r->fault, sp, false, "sp: expected true or false");
    s->sp = cJSON_IsTrue(sp);
    if (s->pp > CONFIGURATION_DEVICES_MAX || (int64_t)s->pp * s->vp > CONFIGURATION_PARTS_MAX)
        return pps_fault_set(r->fault, pps_json_member(r->strategy, "pp"), false,
                             "more than %d stages or %d stages times chunks",
                             CONFIGURATION_DEVICES_MAX, CONFIGURATION_PARTS_MAX);
    if (s->dp == 0) {
        const int64_t others = (int64_t)s->tp * s->cp * s->pp;
        s->dp = (int32_t)(r->c->cluster.world_size / others);
        s->dp = s->dp > 0 ? s->dp : 1;
    }
    if (s->op <= 0)
        s->op = s->dp * s->cp;
    r->c->recompute_group = 1;
    r->c->run_batch = 0;
    return read_number(r, "recompute_group", 1, &r->c->recompute_group) &&
           read_number(r, "run_batch", 1, &r->c->run_batch);
}

// ---- the order ----------------------------------------------------------------------------------

static bool read_schedule(const struct reading *r)
{
    struct configuration *c = r->c;
    const cJSON *item = pps_json_member(r->strategy, "schedule");
    r->items->schedule = item;
    configuration_set_schedule(c);
    if (item != NULL && !cJSON_IsString(item))
        return pps_fault_set(r->fault, item, false, "schedule: expected the name of a family");
    if (item != NULL && c->strategy.pp > 1)
        c->family = family_named(item->valuestring);
    if (c->family == NULL)
        return item == NULL || c->strategy.pp == 1 ||
               pps_fault_set(r->fault, item, false, "schedule: there is no family %s",
                             item->valuestring);
    const int32_t chunks = c->family->chunks(c->strategy.vp);
    if (chunks != c->strategy.vp)
        return pps_fault_set(r->fault, item != NULL ? item : r->strategy, false,
                             "schedule %s needs %d chunks per stage, not %d", c->family->name,
                             chunks, c->strategy.vp);
    // Exchanges of experts hide behind the other direction.
    if (strncmp(c->family->name, "dualpipe", strlen("dualpipe")) == 0)
        c->training.schedule = TRAINING_DUALPIPE;
    return true;
}

// ---- lists --------------------------------------------------------------------------------------

static bool read_row(const struct reading *r, const cJSON *row, int32_t chunk, int32_t *values)
{
    const int32_t pp = r->c->strategy.pp;
    int32_t d = 0;
    if (!cJSON_IsArray(row) || cJSON_GetArraySize(row) != pp)
        return pps_fault_set(r->fault, row, false,
                             "expected a list of %d numbers, one per stage", pp);
    for (const cJSON *item = row->child; item != NULL; item = item->next, d++) {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (value != (double)(int32_t)value || value < 0 || value > DEGREE_MAX)
            return pps_fault_set(r->fault, item, false, "expected a number of layers");
        values[configuration_part_at(r->c, chunk, d)] = (int32_t)value;
    }
    return true;
}

// Reads [chunk][stage] into the order of the model. *found: the document has the list.
static bool read_list(const struct reading *r, const char *key, const cJSON **list,
                      int32_t *values)
{
    int32_t chunk = 0;
    *list = pps_json_member(r->strategy, key);
    if (*list == NULL)
        return true;
    if (!cJSON_IsArray(*list) || cJSON_GetArraySize(*list) != r->c->strategy.vp)
        return pps_fault_set(r->fault, *list, false, "%s: expected %d lists, one per chunk",
                             key, r->c->strategy.vp);
    for (const cJSON *row = (*list)->child; row != NULL; row = row->next)
        if (!read_row(r, row, chunk++, values))
            return false;
    return true;
}

static bool check_again(const struct reading *r, const int32_t *lists)
{
    const int32_t n = r->c->n_parts;
    for (int32_t k = 0; k < n; k++)
        if (lists[n + k] + lists[2 * n + k] > lists[k])
            return pps_fault_set(
                r->fault, r->items->recompute != NULL ? r->items->recompute : r->items->select,
                false, "part %d makes %d layers again and has %d", k,
                lists[n + k] + lists[2 * n + k], lists[k]);
    return true;
}

// recompute_all: "none", "select" or "full" for all layers.
static bool read_recompute_all(const struct reading *r, int32_t *lists)
{
    static const char *const words[] = {"none", "full", "select"};
    const cJSON *item = pps_json_member(r->strategy, "recompute_all");
    const int32_t n = r->c->n_parts;
    int list = 0;
    if (item == NULL)
        return true;
    while (list < 3 && !(cJSON_IsString(item) && strcmp(item->valuestring, words[list]) == 0))
        list++;
    if (list == 3)
        return pps_fault_set(r->fault, item, false, "expected none, select or full");
    if (list > 0)
        memcpy(lists + list * n, lists, (size_t)n * sizeof *lists);
    return true;
}

static bool read_lists(const struct reading *r, int32_t *lists)
{
    const int32_t n = r->c->n_parts;
    for (int32_t k = 0; k < n; k++)
        lists[k] = configuration_part_layers(&r->c->parts[k]);
    if (!read_list(r, "layers", &r->items->layers, lists) ||
        !read_list(r, "recompute", &r->items->recompute, lists + n) ||
        !read_list(r, "select_recompute", &r->items->select, lists + 2 * n) ||
        !read_recompute_all(r, lists) || !check_again(r, lists))
        return false;
    configuration_set_layers(r->c, lists, lists + n, lists + 2 * n);
    return true;
}

// ---- all ----------------------------------------------------------------------------------------

bool configuration_read(struct configuration *c, const cJSON *strategy,
                        struct configuration_items *items, bool *no_memory,
                        struct pps_fault *fault)
{
    const struct reading r = {c, strategy, items, fault};
    *items = (struct configuration_items){.strategy = strategy};
    *no_memory = false;
    c->parts = NULL;
    c->family = NULL;
    if (!read_degrees(&r) || !read_schedule(&r))
        return false;
    int32_t *lists = NULL;
    *no_memory = !configuration_spread(c) ||
                 (lists = calloc(3 * (size_t)c->n_parts, sizeof *lists)) == NULL;
    const bool ok = !*no_memory && read_lists(&r, lists);
    free(lists);
    return ok;
}
