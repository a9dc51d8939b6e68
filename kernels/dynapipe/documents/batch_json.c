// SPDX-License-Identifier: Apache-2.0
// Reads batches from lines of JSON.
#include "base/document/fault.h"
#include "base/document/fields.h"
#include "base/document/json.h"
#include "kernels/dynapipe/documents/batch_reader_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct docfield fields[] = {
    {"batch", DOCFIELD_OWN, 0, 0, 0},
    {"samples", DOCFIELD_OWN, 0, 0, 0},
    {"micro_batches", DOCFIELD_OWN, 0, 0, 0},
};
static const struct docfields table = {"a batch", fields, 3, NULL, 0};

static bool length_of(const cJSON *item, int32_t *length)
{
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    *length = (int32_t)(value >= 0 && value <= SPLIT_LENGTH_MAX ? value : 0);
    return value >= 0 && value <= SPLIT_LENGTH_MAX && value == floor(value);
}

static bool read_sample(const cJSON *item, int32_t index, int32_t lengths[2],
                        struct pps_fault *fault)
{
    const bool pair = cJSON_IsArray(item);
    lengths[1] = -1;
    if ((pair && cJSON_GetArraySize(item) == 2 && length_of(item->child, &lengths[0]) &&
         length_of(item->child->next, &lengths[1])) ||
        (!pair && length_of(item, &lengths[0])))
        return true;
    return pps_fault_set(fault, item, false,
                         "sample %d: expected a length, or two lengths as in [512, 128]; "
                         "lengths are whole numbers from 0 to %d",
                         (int)index, SPLIT_LENGTH_MAX);
}

// Reads a ready micro-batch: rows, length and maybe length of the target, or the tokens of one row.
static bool read_micro_batch(const cJSON *item, int32_t index, int32_t shape[3],
                             struct pps_fault *fault)
{
    const int n = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 1;
    const cJSON *rows = cJSON_IsArray(item) ? item->child : NULL,
                *input = rows != NULL ? rows->next : item;
    shape[0] = 1;
    shape[2] = -1;
    if (n <= 3 && n != (rows != NULL) && (rows == NULL || length_of(rows, &shape[0])) &&
        shape[0] > 0 && length_of(input, &shape[1]) &&
        (n < 3 || length_of(input->next, &shape[2])))
        return true;
    return pps_fault_set(fault, item, false,
                         "micro-batch %d: expected rows and length as in [8, 512], with the "
                         "length of the target as in [8, 512, 128], or the tokens of one row",
                         (int)index);
}

static bool set_name(const cJSON *item, struct batch *batch, struct pps_fault *fault)
{
    if (cJSON_IsNumber(item))
        snprintf(batch->name, sizeof batch->name, "%.15g", item->valuedouble);
    else if (cJSON_IsString(item) && strlen(item->valuestring) < BATCH_NAME)
        snprintf(batch->name, sizeof batch->name, "%s", item->valuestring);
    else if (item != NULL)
        return pps_fault_set(fault, item, false,
                             "batch: expected a number or a name of less than %d bytes",
                             BATCH_NAME);
    return true;
}

static enum batch_fed read_tree(const cJSON *root, struct batch *batch, struct pps_fault *fault)
{
    const cJSON *samples = root, *sample;
    bool is_ready = false;
    struct docitems items;
    if (cJSON_IsObject(root)) {
        if (!docfields_find(&table, root, false, &items, fault) ||
            !set_name(items.item[0], batch, fault))
            return BATCH_REFUSED;
        is_ready = items.item[2] != NULL;
        if (is_ready && items.item[1] != NULL) {
            pps_fault_set(fault, items.item[2], false,
                          "give samples or micro_batches, not both");
            return BATCH_REFUSED;
        }
        samples = items.item[is_ready ? 2 : 1];
    }
    if (!cJSON_IsArray(samples)) {
        pps_fault_set(fault, samples != NULL ? samples : root, false,
                      "expected a list of samples, as in {\"samples\": [512, 128]}");
        return BATCH_REFUSED;
    }
    cJSON_ArrayForEach (sample, samples) {
        int32_t shape[3] = {0, 0, -1};
        if (is_ready ? !read_micro_batch(sample, batch->count, shape, fault)
                     : !read_sample(sample, batch->count, shape + 1, fault))
            return BATCH_REFUSED;
        if (!batch_add(batch, shape[0], shape[1], shape[2]))
            return BATCH_NO_MEMORY;
    }
    return BATCH_READY;
}

enum batch_fed batch_read_json(const char *line, size_t n, int line_number, struct batch *batch,
                               struct pps_fault *fault)
{
    struct pps_json json;
    struct pps_error err;
    if (pps_json_parse(&json, "", line, n, &err) != PPS_OK) {
        if (err.code == PPS_E_MACHINE)
            return BATCH_NO_MEMORY;
        return batch_refuse(fault, line_number, 0, err.text);
    }
    const enum batch_fed fed = read_tree(json.root, batch, fault);
    if (fed == BATCH_REFUSED) {
        (fault->at_key ? pps_json_fail_key : pps_json_fail)(&json, fault->item, &err, "%s",
                                                            fault->text);
        fault->line = line_number;
        fault->column = err.column;
        fault->item = NULL;
    }
    pps_json_free(&json);
    return fed;
}
