// SPDX-License-Identifier: Apache-2.0
// Reads pipelines and tables of plans.
#include "kernels/dynapipe/output/plan_read.h"

#include "base/document/fault.h"
#include "base/document/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static bool refuse(struct pps_fault *fault, const cJSON *item, const char *what)
{
    return pps_fault_set(fault, item, false, "%s", what);
}

bool plan_whole_read(const cJSON *item, int32_t least, int32_t most, int32_t *value)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most) ||
        item->valuedouble != floor(item->valuedouble))
        return false;
    *value = (int32_t)item->valuedouble;
    return true;
}

static bool read_devices(struct plan_pipeline *r, const cJSON *item, struct pps_fault *fault)
{
    const cJSON *list = pps_json_member(item, "device_of_stage"), *one;
    int32_t n[DYNAPIPE_DEVICES_MAX] = {0}, s = 0;
    if (!plan_whole_read(pps_json_member(item, "devices"), 1, DYNAPIPE_DEVICES_MAX,
                         &r->pipeline.devices))
        return refuse(fault, item, "devices: expected a whole number from 1 to 1024");
    if (!cJSON_IsArray(list) || list->child == NULL ||
        cJSON_GetArraySize(list) > DYNAPIPE_STAGES_MAX)
        return refuse(fault, list != NULL ? list : item,
                      "device_of_stage: expected a list of devices, one for each stage");
    r->widest = 0;
    cJSON_ArrayForEach (one, list) {
        int32_t *d = &r->device_of[s++];
        if (!plan_whole_read(one, 0, r->pipeline.devices - 1, d))
            return refuse(fault, one, "device_of_stage: there is no such device");
        if (s > 1 && d[-1] == *d)
            return refuse(fault, one,
                          "device_of_stage: neighbouring stages are on the same device; they "
                          "are one stage");
        r->widest = ++n[*d] > r->widest ? n[*d] : r->widest;
    }
    r->pipeline.stages = s;
    r->pipeline.device_of = r->device_of;
    return true;
}

static bool read_memory(struct plan_pipeline *r, const cJSON *item, struct pps_fault *fault)
{
    const cJSON *states = pps_json_member(item, "state_mb"),
                *limit = pps_json_member(item, "limit_mb"), *one;
    int32_t d = 0;
    if (!cJSON_IsArray(states) || cJSON_GetArraySize(states) != r->pipeline.devices)
        return refuse(fault, states != NULL ? states : item,
                      "state_mb: expected a list of MB, one for each device");
    cJSON_ArrayForEach (one, states) {
        if (!cJSON_IsNumber(one) || one->valuedouble < 0)
            return refuse(fault, one, "state_mb: expected a number from 0 up");
        r->state[d++] = one->valuedouble;
    }
    for (d = 0; d < r->pipeline.devices; d++)
        r->limit[d] = cJSON_IsNumber(limit) ? limit->valuedouble : (double)INFINITY;
    r->pipeline.state = r->state;
    r->pipeline.limit = r->limit;
    return true;
}

// Reads the layers and tensors of the stages. Tensors become more along the pipeline, never fewer.
static bool read_stages(struct plan_pipeline *r, const cJSON *item, struct pps_fault *fault)
{
    const cJSON *first = pps_json_member(item, "first_layer"),
                *tensors = pps_json_member(item, "tensors"), *one;
    const int32_t stages = r->pipeline.stages;
    int32_t s = 0;
    if (!plan_whole_read(pps_json_member(item, "hidden"), 1, INT32_MAX, &r->hidden))
        return refuse(fault, item, "hidden: expected a whole number from 1 on");
    if (!cJSON_IsArray(first) || cJSON_GetArraySize(first) != stages + 1)
        return refuse(fault, first != NULL ? first : item,
                      "first_layer: expected the first layer of each stage, and the number of "
                      "layers");
    cJSON_ArrayForEach (one, first) {
        const int32_t least = s == 0 ? 0 : r->first_layer[s - 1] + 1;
        if (!plan_whole_read(one, least, s == 0 ? 0 : INT32_MAX - 1, &r->first_layer[s]))
            return refuse(fault, one, "first_layer: expected whole numbers that rise from 0");
        s++;
    }
    if (!cJSON_IsArray(tensors) || cJSON_GetArraySize(tensors) != stages)
        return refuse(fault, tensors != NULL ? tensors : item,
                      "tensors: expected a whole number for each stage");
    s = 0;
    cJSON_ArrayForEach (one, tensors) {
        if (!plan_whole_read(one, s == 0 ? 1 : r->tensors[s - 1], 2, &r->tensors[s]))
            return refuse(fault, one,
                          "tensors: expected 1 for stages of encoders, then 2 for decoders");
        s++;
    }
    return true;
}

bool plan_pipeline_read(const struct cJSON *root, struct plan_pipeline *plan,
                        struct pps_fault *fault)
{
    const cJSON *pipeline = pps_json_member(root, "pipeline");
    if (!cJSON_IsObject(pipeline))
        return refuse(
            fault, root,
            "not a plan of batches; ppsweep dynaplan FILE CLUSTER LENGTHS -o plans writes "
            "one of each batch of a training");
    return read_devices(plan, pipeline, fault) && read_memory(plan, pipeline, fault) &&
           read_stages(plan, pipeline, fault);
}

// ---- replicas -------------------------------------------------------------------------------------

bool plan_count_read(const struct cJSON *replica, int32_t *count, struct pps_fault *fault)
{
    const cJSON *order = pps_json_member(replica, "order");
    if (!cJSON_IsArray(order) || cJSON_GetArraySize(order) > DYNAPIPE_MICRO_BATCHES_MAX)
        return refuse(fault, order != NULL ? order : replica,
                      "order: expected a list of micro-batches");
    *count = cJSON_GetArraySize(order);
    return true;
}

bool plan_order_read(const struct cJSON *replica, int32_t count, int32_t *order,
                     struct pps_fault *fault)
{
    enum { SEEN = 1 << 30 }; // marks the number of a micro-batch that has appeared
    const cJSON *list = pps_json_member(replica, "order"), *one;
    int32_t n = 0;
    cJSON_ArrayForEach (one, list)
        if (!plan_whole_read(one, 0, count - 1, &order[n++]))
            return refuse(fault, one, "order: there is no such micro-batch");
    n = 0;
    cJSON_ArrayForEach (one, list) {
        int32_t *m = &order[order[n++] & ~SEEN];
        if ((*m & SEEN) != 0)
            return refuse(fault, one, "order: the micro-batch appears twice");
        *m |= SEEN;
    }
    for (n = 0; n < count; n++)
        order[n] &= ~SEEN;
    return true;
}

static bool read_cells(const struct micro_batches *b, const cJSON *object, const char *name,
                       double *values, struct pps_fault *fault)
{
    const cJSON *list = pps_json_member(object, name), *line, *one;
    int64_t at = 0;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != b->count)
        return pps_fault_set(fault, list != NULL ? list : object, false,
                             "%s: expected a list for each of the %d micro-batches", name,
                             (int)b->count);
    cJSON_ArrayForEach (line, list) {
        if (!cJSON_IsArray(line) || cJSON_GetArraySize(line) != b->stages)
            return pps_fault_set(fault, line, false,
                                 "%s: expected a number for each of the %d stages", name,
                                 (int)b->stages);
        cJSON_ArrayForEach (one, line) {
            if (!cJSON_IsNumber(one) || one->valuedouble < 0)
                return pps_fault_set(fault, one, false, "%s: expected a number from 0 up",
                                     name);
            values[at++] = one->valuedouble;
        }
    }
    return true;
}

// Plans of earlier versions say nothing about it.
static bool read_backward_peaks(struct micro_batches *b, const cJSON *replica,
                                struct pps_fault *fault)
{
    static const char name[] = "backward_peak_mb";
    if (pps_json_member(replica, name) != NULL)
        return read_cells(b, replica, name, b->backward_peak, fault);
    memset(b->backward_peak, 0, (size_t)b->count * (size_t)b->stages * sizeof(double));
    return true;
}

bool plan_tables_read(const struct cJSON *replica, struct micro_batches *b,
                      struct pps_fault *fault)
{
    return read_cells(b, replica, "forward_us", b->forward, fault) &&
           read_cells(b, replica, "backward_us", b->backward, fault) &&
           read_cells(b, replica, "stored_mb", b->stored, fault) &&
           read_cells(b, replica, "forward_peak_mb", b->peak, fault) &&
           read_backward_peaks(b, replica, fault) &&
           read_cells(b, replica, "activation_us", b->activation, fault) &&
           read_cells(b, replica, "gradient_us", b->gradient, fault);
}

bool plan_plain_read(const struct cJSON *replica, const struct micro_batches *b, double *values,
                     struct pps_fault *fault)
{
    static const char name[] = "plain_backward_us";
    if (pps_json_member(replica, name) != NULL)
        return read_cells(b, replica, name, values, fault);
    memcpy(values, b->backward, (size_t)b->count * (size_t)b->stages * sizeof *values);
    return true;
}
