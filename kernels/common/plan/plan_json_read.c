// SPDX-License-Identifier: Apache-2.0
// Reads plans from JSON.
#include "kernels/common/plan/plan_json.h"

#include "base/edit/json_write.h"
#include "kernels/common/plan/plan_json_private.h"

#include <math.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

// ---- the document -----------------------------------------------------------------------------

enum top {
    TOP_NAME,
    TOP_PLAN,
    TOP_UNITS,
    TOP_DEVICES,
    TOP_STAGES,
    TOP_MICRO_BATCHES,
    TOP_SLICES,
    TOP_DIRECTIONS,
    TOP_STAGE,
    TOP_DEVICE,
    TOP_LINKS,
    TOP_ORDER,
    TOP_MAKERS,
    TOP_LAYERS,
    TOP_CONFIGURATION,
    TOPS,
};

struct top_values {
    int64_t version, devices, stages, micro_batches, slices, directions;
};

static const struct docfield top_fields[TOPS] = {
    [TOP_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0}, // the engine names documents in manifests
    [TOP_PLAN] = {"plan", DOCFIELD_WHOLE, 1, 1e9, offsetof(struct top_values, version)},
    [TOP_UNITS] = {"units", DOCFIELD_OWN, 0, 0, 0},
    [TOP_DEVICES] = {"devices", DOCFIELD_WHOLE, 1, PIPELINE_DEVICES_MAX,
                     offsetof(struct top_values, devices)},
    [TOP_STAGES] = {"stages", DOCFIELD_WHOLE, 1, PIPELINE_STAGES_MAX,
                    offsetof(struct top_values, stages)},
    [TOP_MICRO_BATCHES] = {"micro_batches", DOCFIELD_WHOLE, 1, PIPELINE_OPERATIONS_MAX,
                           offsetof(struct top_values, micro_batches)},
    [TOP_SLICES] = {"slices", DOCFIELD_WHOLE, 1, PIPELINE_OPERATIONS_MAX,
                    offsetof(struct top_values, slices)},
    [TOP_DIRECTIONS] = {"directions", DOCFIELD_WHOLE, 1, 2,
                        offsetof(struct top_values, directions)},
    [TOP_STAGE] = {"stage", DOCFIELD_OWN, 0, 0, 0},
    [TOP_DEVICE] = {"device", DOCFIELD_OWN, 0, 0, 0},
    [TOP_LINKS] = {"links", DOCFIELD_OWN, 0, 0, 0},
    [TOP_ORDER] = {"order", DOCFIELD_OWN, 0, 0, 0},
    [TOP_MAKERS] = {"makers", DOCFIELD_OWN, 0, 0, 0},
    [TOP_LAYERS] = {"layers", DOCFIELD_OWN, 0, 0, 0},
    [TOP_CONFIGURATION] = {"configuration", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields top_table = {"a plan", top_fields, TOPS, NULL, 0};

static bool require(const struct plan_reader *r, enum top key)
{
    return r->items->item[key] != NULL ||
           pps_fault_set(r->fault, r->root, false, "a plan needs the key \"%s\"",
                         top_fields[key].key);
}

static bool check_units(const struct plan_reader *r)
{
    static const char *const words[][2] = {{"time", "s"}, {"memory", "bytes"}};
    const cJSON *units = r->items->item[TOP_UNITS];
    if (units == NULL)
        return true;
    for (int k = 0; k < COUNT_OF(words); k++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(units, words[k][0]);
        if (!cJSON_IsString(item) || strcmp(item->valuestring, words[k][1]) != 0)
            return pps_fault_set(r->fault, item != NULL ? item : units, false,
                                 "units: the only unit of %s is \"%s\"", words[k][0],
                                 words[k][1]);
    }
    return true;
}

// Returns NULL after a fault, or if memory runs out.
static struct pipeline *read_shape(const struct plan_reader *r)
{
    struct top_values v = {.slices = 1, .directions = 1};
    if (!require(r, TOP_PLAN) || !require(r, TOP_DEVICES) || !require(r, TOP_STAGES) ||
        !require(r, TOP_MICRO_BATCHES) || !docfields_store(&top_table, r->items, &v, r->fault))
        return NULL;
    if (v.version > PLAN_JSON_VERSION) {
        pps_fault_set(
            r->fault, r->items->item[TOP_PLAN], false,
            "plan: version %lld is newer than this program, which reads versions 1 to %d",
            (long long)v.version, PLAN_JSON_VERSION);
        return NULL;
    }
    if ((double)v.stages * (double)v.micro_batches * (double)v.slices * (double)v.directions >
        PIPELINE_OPERATIONS_MAX) {
        pps_fault_set(r->fault, r->items->item[TOP_MICRO_BATCHES], false,
                      "micro_batches: stages x micro_batches x slices is more than %d",
                      PIPELINE_OPERATIONS_MAX);
        return NULL;
    }
    const struct pipeline_shape shape = {.devices = (int32_t)v.devices,
                                         .stages = (int32_t)v.stages,
                                         .micro_batches = (int32_t)v.micro_batches,
                                         .slices = (int32_t)v.slices,
                                         .directions = (int32_t)v.directions};
    return pipeline_new(&shape);
}

// ---- stages -------------------------------------------------------------------------------------

struct stage_values {
    int64_t device, device_reverse;
    struct pipeline_stage stage;
};

#define STAGE_FIELD(key)                                                                       \
    {                                                                                          \
#key, DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct stage_values, stage.key)         \
    }

enum { STAGE_DEVICE, STAGE_REVERSE };

static const struct docfield stage_fields[] = {
    [STAGE_DEVICE] = {"device", DOCFIELD_WHOLE, 0, PIPELINE_DEVICES_MAX - 1,
                      offsetof(struct stage_values, device)},
    [STAGE_REVERSE] = {"device_reverse", DOCFIELD_WHOLE, 0, PIPELINE_DEVICES_MAX - 1,
                       offsetof(struct stage_values, device_reverse)},
    STAGE_FIELD(f),
    STAGE_FIELD(b),
    STAGE_FIELD(w),
    STAGE_FIELD(r),
    STAGE_FIELD(kept_until_b),
    STAGE_FIELD(kept_until_w),
    STAGE_FIELD(forward_bytes),
    STAGE_FIELD(backward_bytes),
};

static const struct docfields stage_table = {"a stage", stage_fields, COUNT_OF(stage_fields),
                                             NULL, 0};

static bool place_stage(const struct plan_reader *r, const cJSON *object, const cJSON *item,
                        int key, int64_t device, int32_t *device_of)
{
    const char *const name = stage_fields[key].key;
    if (item == NULL)
        return pps_fault_set(r->fault, object, false, "a stage needs the key \"%s\"", name);
    if (device >= r->plan->pipeline->shape.devices)
        return pps_fault_set(r->fault, item, false, "%s: devices are numbered from 0 to %d",
                             name, r->plan->pipeline->shape.devices - 1);
    *device_of = (int32_t)device;
    return true;
}

static bool read_stage(const struct plan_reader *r, const cJSON *object, int32_t s)
{
    struct pipeline *p = r->plan->pipeline;
    struct docitems items;
    struct stage_values v = {.stage = {.r = (double)NAN}};
    if (!docfields_find(&stage_table, object, false, &items, r->fault) ||
        !docfields_store(&stage_table, &items, &v, r->fault) ||
        !place_stage(r, object, items.item[STAGE_DEVICE], STAGE_DEVICE, v.device,
                     &p->device_of[s]))
        return false;
    p->stage[s] = v.stage;
    if (isnan(v.stage.r))
        p->stage[s].r = v.stage.f;
    if (p->shape.directions == 2)
        return place_stage(r, object, items.item[STAGE_REVERSE], STAGE_REVERSE,
                           v.device_reverse, &p->device_of[p->shape.stages + s]);
    return items.item[STAGE_REVERSE] == NULL ||
           pps_fault_set(
               r->fault, items.item[STAGE_REVERSE], true,
               "device_reverse: the plan has one direction; remove this key, or write "
               "\"directions\": 2");
}

static bool read_stages(const struct plan_reader *r)
{
    const cJSON *list = r->items->item[TOP_STAGE], *object;
    int32_t s = 0;
    if (!require(r, TOP_STAGE) ||
        !plan_require_list(r, list, "stage", r->plan->pipeline->shape.stages))
        return false;
    cJSON_ArrayForEach (object, list)
        if (!read_stage(r, object, s++))
            return false;
    return true;
}

// ---- devices ------------------------------------------------------------------------------------

struct device_values {
    double fixed, limit, pair;
};

static const struct docfield device_fields[] = {
    {"fixed", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct device_values, fixed)},
    {"limit", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct device_values, limit)},
    {"pair", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct device_values, pair)},
};

static const struct docfields device_table = {"a device", device_fields,
                                              COUNT_OF(device_fields), NULL, 0};

static bool read_devices(const struct plan_reader *r)
{
    struct pipeline *p = r->plan->pipeline;
    const cJSON *list = r->items->item[TOP_DEVICE], *object;
    int32_t d = 0;
    if (list == NULL)
        return true;
    if (!plan_require_list(r, list, "device", p->shape.devices))
        return false;
    cJSON_ArrayForEach (object, list) {
        struct docitems items;
        struct device_values v = {0, HUGE_VAL, (double)NAN};
        if (!docfields_find(&device_table, object, false, &items, r->fault) ||
            !docfields_store(&device_table, &items, &v, r->fault))
            return false;
        p->fixed[d] = v.fixed;
        p->limit[d] = v.limit;
        p->pair[d++] = v.pair;
    }
    return true;
}

// ---- plans --------------------------------------------------------------------------------------

static bool read_configuration(const struct plan_reader *r, const struct cJSON *object)
{
    struct text_buffer text = {.text = NULL};
    if (object == NULL)
        return true;
    if (!cJSON_IsObject(object))
        return pps_fault_set(r->fault, object, false, "configuration: expected an object");
    json_write_tree(&text, object);
    const bool kept = !text.failed && plan_set_configuration(r->plan, text.text);
    text_buffer_free(&text);
    return kept;
}

bool plan_json_is_plan(const struct cJSON *root)
{
    return cJSON_GetObjectItemCaseSensitive(root, "plan") != NULL;
}

struct plan *plan_json_read(const struct cJSON *root, struct pps_fault *fault)
{
    struct plan *plan = NULL;
    struct docitems items;
    struct plan_reader r = {.root = root, .items = &items, .fault = fault};
    *fault = (struct pps_fault){.line = 0};
    if (!docfields_find(&top_table, root, false, &items, fault) || !check_units(&r))
        return NULL;
    struct pipeline *pipeline = read_shape(&r);
    if (pipeline != NULL)
        plan = plan_new(pipeline, NULL);
    pipeline_free(pipeline);
    if (plan == NULL)
        return NULL;
    r.plan = plan;
    if (read_stages(&r) && read_devices(&r) && plan_read_links(&r, items.item[TOP_LINKS]) &&
        plan_read_order(&r, items.item[TOP_ORDER]) &&
        plan_read_makers(&r, items.item[TOP_MAKERS]) &&
        plan_read_layers(&r, items.item[TOP_LAYERS]) &&
        read_configuration(&r, items.item[TOP_CONFIGURATION]))
        return plan;
    plan_free(plan);
    return NULL;
}
