// SPDX-License-Identifier: Apache-2.0
// Converts JSON to an axis and back: detects the form, reads single values and lists.
#include "engine/axes/axis_json.h"

#include "engine/axes/axis_continuous.h"
#include "engine/axes/axis_json_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- one value --------------------------------------------------------------------------------

// Returns true for a number in quotes, or a number on the command line in a form that JSON does
// not allow.
static bool is_number_text(const struct pps_param *param, const char *text)
{
    char *end;
    if ((param->kind != PPS_INTEGER && param->kind != PPS_REAL) || text[0] == '\0' ||
        strspn(text, "0123456789+-.eE") != strlen(text))
        return false;
    strtod(text, &end);
    return *end == '\0';
}

static enum pps_status scalar(const struct pps_axis_source *s, const cJSON *item, double *value)
{
    char why[PPS_WHY];
    if (cJSON_IsNumber(item)) {
        *value = item->valuedouble;
        if (pps_value_check(s->param, *value, why))
            return PPS_OK;
    } else if (cJSON_IsString(item)) {
        const char *text = item->valuestring;
        const bool numeric = is_number_text(s->param, text);
        if (!numeric && pps_value_parse(s->param, text, strlen(text), value, why))
            return PPS_OK;
        char domain[PPS_DOMAIN];
        pps_value_domain(s->param, domain, sizeof domain);
        if (numeric)
            snprintf(why, sizeof why, "expected %s, without quotes", domain);
    } else if (cJSON_IsBool(item) && s->param->kind == PPS_BOOLEAN) {
        *value = cJSON_IsTrue(item);
        return PPS_OK;
    } else {
        char domain[PPS_DOMAIN];
        pps_value_domain(s->param, domain, sizeof domain);
        snprintf(why, sizeof why, "expected %s", domain);
    }
    return pps_json_fail(s->json, item, s->err, "%s: %s", s->param->name, why);
}

static enum pps_status read_list(const struct pps_axis_source *s, const cJSON *list,
                                 double *values, uint64_t *n)
{
    const cJSON *item;
    *n = 0;
    cJSON_ArrayForEach (item, list) {
        enum pps_status status = scalar(s, item, &values[(*n)++]);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status from_list(struct pps_axis *axis, const struct pps_axis_source *s,
                                 const cJSON *list, uint64_t *repeated)
{
    uint64_t n = (uint64_t)cJSON_GetArraySize(list);
    if (n == 0)
        return pps_json_fail(s->json, list, s->err,
                             "%s: the list is empty; write at least one value", s->param->name);
    double *values = calloc(n, sizeof *values);
    if (values == NULL)
        return pps_fail_memory(s->err, "the values of an axis");
    enum pps_status status = read_list(s, list, values, &n);
    if (status == PPS_OK) {
        const uint64_t kept =
            s->keep_repeated ? n : pps_axis_drop_repeated(s->param, values, n);
        *repeated = n - kept;
        status = kept == 0 ? pps_fail_memory(s->err, "a list")
                           : pps_axis_table(axis, s->kernel, s->p, values, kept, s->err);
    }
    free(values);
    return status;
}

// ---- entry points -----------------------------------------------------------------------------

#define WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool is_expression(const struct pps_kernel *kernel, const struct pps_param *param,
                          const cJSON *item)
{
    double value;
    char why[PPS_WHY];
    if (!cJSON_IsString(item) || (param->kind != PPS_INTEGER && param->kind != PPS_REAL))
        return false;
    const char *text = item->valuestring;
    // If the parameter has names, a single word that is not a parameter is a misspelt name.
    if (param->names != NULL && pps_param_find(kernel, text, strlen(text)) < 0 &&
        strspn(text, WORD_LETTERS) == strlen(text))
        return false;
    return !pps_value_parse(param, text, strlen(text), &value, why);
}

enum pps_status pps_axis_from_json(struct pps_axis *axis, const struct pps_kernel *kernel,
                                   int p, const struct pps_json *json, const cJSON *item,
                                   bool keep_repeated, uint64_t *n_repeated,
                                   struct pps_error *err)
{
    const struct pps_axis_source s = {kernel, &kernel->params[p], p, json, err, keep_repeated};
    *axis = (struct pps_axis){.kind = PPS_AXIS_TABLE};
    *n_repeated = 0;
    if (cJSON_IsArray(item))
        return from_list(axis, &s, item, n_repeated);
    if (pps_is_continuous(item))
        return pps_continuous_from_json(axis, kernel, p, json, item, err);
    if (cJSON_IsObject(item))
        return pps_axis_from_range(axis, &s, item);
    if (is_expression(kernel, s.param, item))
        return pps_axis_from_expression(axis, &s, item);
    double value;
    enum pps_status status = scalar(&s, item, &value);
    return status == PPS_OK ? pps_axis_table(axis, kernel, p, &value, 1, err) : status;
}

// ---- back to JSON -----------------------------------------------------------------------------

static cJSON *value_to_json(const struct pps_param *param, double value)
{
    char text[PPS_CELL_TEXT];
    pps_value_text(param, value, text);
    const bool named = (param->kind == PPS_REAL || param->kind == PPS_INTEGER) && value < 0 &&
                       param->names != NULL;
    if (param->kind == PPS_CHOICE || named)
        return cJSON_CreateString(text);
    return cJSON_CreateRaw(text);
}

static cJSON *table_to_json(const struct pps_axis *axis, const struct pps_param *params)
{
    const struct pps_axis_member *member = axis->members;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t v = 0; v < member->n_values; v++)
        cJSON_AddItemToArray(list, value_to_json(&params[member->param], member->values[v]));
    return list;
}

cJSON *pps_axis_to_json(const struct pps_axis *axis, const struct pps_param *params)
{
    if (axis->kind == PPS_AXIS_TABLE)
        return table_to_json(axis, params);
    if (axis->kind == PPS_AXIS_DEPENDENT)
        return cJSON_CreateString(axis->text);
    if (axis->kind == PPS_AXIS_CONTINUOUS)
        return pps_continuous_to_json(axis);
    cJSON *range = cJSON_CreateObject();
    const struct pps_param *param = &params[axis->param];
    const double stop = axis->start + (double)(axis->count - 1) * axis->step;
    struct pps_axis_cell cell;
    cJSON_AddItemToObject(range, "start", value_to_json(param, axis->start));
    cJSON_AddItemToObject(range, "stop",
                          value_to_json(param, pps_value_cell(param, stop, &cell)));
    cJSON_AddItemToObject(range, "step", value_to_json(param, axis->step));
    return range;
}
