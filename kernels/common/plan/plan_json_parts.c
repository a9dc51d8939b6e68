// SPDX-License-Identifier: Apache-2.0
// Reads links, order and makers of a plan from JSON.
#include "kernels/common/plan/order_text.h"
#include "kernels/common/plan/plan_json_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

// Checks that an item is a list of n items.
bool plan_require_list(const struct plan_reader *r, const cJSON *item, const char *name,
                       int32_t n)
{
    if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == n)
        return true;
    return pps_fault_set(r->fault, item, false, "%s: expected a list of %d items%s", name, n,
                         cJSON_IsArray(item) ? "; the list has another length" : "");
}

// ---- links --------------------------------------------------------------------------------------

enum { LINK_CHANNELS, LINK_LATENCY, LINK_OCCUPATION, LINK_LATENCIES, LINK_BANDWIDTHS, LINKS };

static const struct docfield link_fields[LINKS] = {
    [LINK_CHANNELS] = {"channels", DOCFIELD_OWN, 0, 0, 0},
    [LINK_LATENCY] = {"latency", DOCFIELD_REAL, 0, PLAN_LARGEST,
                      offsetof(struct pipeline_links, latency)},
    [LINK_OCCUPATION] = {"occupation", DOCFIELD_REAL, 0, PLAN_LARGEST,
                         offsetof(struct pipeline_links, occupation)},
    [LINK_LATENCIES] = {"latencies", DOCFIELD_OWN, 0, 0, 0},
    [LINK_BANDWIDTHS] = {"bandwidths", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields link_table = {"links", link_fields, LINKS, NULL, 0};

static bool read_channels(const struct plan_reader *r, const cJSON *item,
                          struct pipeline_links *links)
{
    static const char *const words[] = {"free", "links", "cards", "blocking"};
    if (item == NULL)
        return true;
    for (int k = 0; k < COUNT_OF(words); k++)
        if (cJSON_IsString(item) && strcmp(item->valuestring, words[k]) == 0) {
            links->channels = (enum pipeline_channels)k;
            return true;
        }
    return pps_fault_set(r->fault, item, false,
                         "channels: expected \"free\", \"links\", \"cards\" or \"blocking\"");
}

static bool read_row(const struct plan_reader *r, const char *name, const cJSON *row,
                     int32_t from, double absent, double *values)
{
    const bool above = absent > 0; // bandwidths
    const cJSON *item;
    int32_t to = 0;
    if (!plan_require_list(r, row, name, r->plan->pipeline->shape.devices))
        return false;
    cJSON_ArrayForEach (item, row) {
        const double x = cJSON_IsNull(item) && above ? absent : item->valuedouble;
        const bool fits =
            (cJSON_IsNumber(item) && x <= PLAN_LARGEST && (above ? x > 0 : x >= 0)) ||
            (cJSON_IsNull(item) && above);
        if (!fits && to != from)
            return pps_fault_set(r->fault, item, false,
                                 above ? "%s: expected a number above 0, at most %g, or null"
                                       : "%s: expected a number 0 ... %g",
                                 name, PLAN_LARGEST);
        values[to] = to == from ? absent : x;
        to++;
    }
    return true;
}

// Reads a table of links; absent: the value of the diagonal. *table is NULL if there is none.
static bool read_table(const struct plan_reader *r, const char *name, const cJSON *list,
                       double absent, const double **table)
{
    const int32_t devices = r->plan->pipeline->shape.devices;
    const cJSON *row;
    int32_t from = 0;
    if (list == NULL)
        return true;
    if (!plan_require_list(r, list, name, devices))
        return false;
    double *values = malloc((size_t)devices * (size_t)devices * sizeof *values);
    *table = values;
    if (values == NULL)
        return false;
    cJSON_ArrayForEach (row, list) {
        if (!read_row(r, name, row, from, absent, values + (size_t)from * (size_t)devices))
            return false;
        from++;
    }
    return true;
}

bool plan_read_links(const struct plan_reader *r, const struct cJSON *object)
{
    struct pipeline_links *links = &r->plan->pipeline->links;
    struct docitems items;
    if (object == NULL)
        return true;
    return docfields_find(&link_table, object, false, &items, r->fault) &&
           docfields_store(&link_table, &items, links, r->fault) &&
           read_channels(r, items.item[LINK_CHANNELS], links) &&
           read_table(r, "latencies", items.item[LINK_LATENCIES], 0, &links->latencies) &&
           read_table(r, "bandwidths", items.item[LINK_BANDWIDTHS], HUGE_VAL,
                      &links->bandwidths);
}

// ---- the order ----------------------------------------------------------------------------------

// Checks the operations of a device against the pipeline.
static bool check_operations(const struct plan_reader *r, const cJSON *item, int32_t device)
{
    const struct pipeline *p = r->plan->pipeline;
    const struct order *order = r->plan->order;
    for (int32_t i = 0; i < order->n[device]; i++) {
        const struct operation *op = &order->operations[order_at(order, device, i)];
        const bool known = op->stage < p->shape.stages && op->item < pipeline_items(p) &&
                           op->direction < p->shape.directions;
        if (!known)
            return pps_fault_set(r->fault, item, false,
                                 "order[%d], operation %d: the plan has no such micro-batch, "
                                 "slice, stage or direction",
                                 device, i + 1);
        if (pipeline_device(p, op->direction, op->stage) != device)
            return pps_fault_set(
                r->fault, item, false, "order[%d], operation %d: stage %d is on device %d",
                device, i + 1, op->stage, pipeline_device(p, op->direction, op->stage));
    }
    return true;
}

// Returns the room for the longest of the texts; -1: an item is not a text.
static int32_t longest(const cJSON *list)
{
    const cJSON *item;
    int32_t most = 0;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(item))
            return -1;
        const int32_t n = order_text_count(item->valuestring, strlen(item->valuestring));
        most = n > most ? n : most;
    }
    return most;
}

bool plan_read_order(const struct plan_reader *r, const struct cJSON *list)
{
    const struct pipeline_shape *shape = &r->plan->pipeline->shape;
    const cJSON *item;
    struct order_text_fault wrong;
    int32_t d = 0;
    if (list == NULL)
        return true;
    if (!plan_require_list(r, list, "order", shape->devices))
        return false;
    const int32_t most = longest(list);
    if (most < 0)
        return pps_fault_set(r->fault, list, false,
                             "order: expected a text per device, as in \"F0.0 BW0.0\"");
    if (most > PIPELINE_OPERATIONS_MAX / shape->devices)
        return pps_fault_set(r->fault, list, false,
                             "order: a device has %d operations; at most %d", most,
                             PIPELINE_OPERATIONS_MAX / shape->devices);
    r->plan->order = order_new(shape->devices, most);
    if (r->plan->order == NULL)
        return false;
    cJSON_ArrayForEach (item, list) {
        const char *const text = item->valuestring;
        if (!order_text_read(text, strlen(text), shape->slices, r->plan->order, d, &wrong))
            return pps_fault_set(r->fault, item, false, "order[%d], character %zu: %s", d,
                                 wrong.at + 1, wrong.text);
        if (!check_operations(r, item, d++))
            return false;
    }
    return true;
}

// ---- makers -------------------------------------------------------------------------------------

enum { MAKER_BY, MAKER_OBJECTIVE, MAKER_VALUE, MAKER_BOUND, MAKER_KEYS };

static const struct docfield maker_fields[MAKER_KEYS] = {
    [MAKER_BY] = {"by", DOCFIELD_OWN, 0, 0, 0},
    [MAKER_OBJECTIVE] = {"objective", DOCFIELD_OWN, 0, 0, 0},
    [MAKER_VALUE] = {"value", DOCFIELD_REAL, -PLAN_LARGEST, PLAN_LARGEST,
                     offsetof(struct plan_maker, value)},
    [MAKER_BOUND] = {"bound", DOCFIELD_REAL, -PLAN_LARGEST, PLAN_LARGEST,
                     offsetof(struct plan_maker, bound)},
};

static const struct docfields maker_table = {"a maker", maker_fields, MAKER_KEYS, NULL, 0};

static bool read_name(const struct plan_reader *r, const cJSON *item, char *name)
{
    if (item == NULL)
        return true;
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= PLAN_NAME)
        return pps_fault_set(r->fault, item, false, "%s: expected a text of at most %d bytes",
                             item->string, PLAN_NAME - 1);
    snprintf(name, PLAN_NAME, "%s", item->valuestring);
    return true;
}

static bool read_maker(const struct plan_reader *r, const cJSON *object)
{
    struct docitems items;
    int part = 0;
    while (part < PLAN_PARTS && strcmp(object->string, plan_part_names[part]) != 0)
        part++;
    if (part == PLAN_PARTS)
        return pps_fault_set(
            r->fault, object, true,
            "%.60s: the parts of a plan are placement, times, memory, links and "
            "order",
            object->string);
    struct plan_maker *maker = &r->plan->makers[part];
    return docfields_find(&maker_table, object, false, &items, r->fault) &&
           docfields_store(&maker_table, &items, maker, r->fault) &&
           read_name(r, items.item[MAKER_BY], maker->by) &&
           read_name(r, items.item[MAKER_OBJECTIVE], maker->objective);
}

bool plan_read_makers(const struct plan_reader *r, const struct cJSON *object)
{
    const cJSON *item;
    if (object == NULL)
        return true;
    if (!cJSON_IsObject(object))
        return pps_fault_set(r->fault, object, false,
                             "makers: expected an object with a maker per part");
    cJSON_ArrayForEach (item, object)
        if (!read_maker(r, item))
            return false;
    return true;
}
