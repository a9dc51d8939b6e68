// SPDX-License-Identifier: Apache-2.0
// Converts options of a composite axis from JSON to values and back.
#include "engine/axes/option_json.h"

#include "base/text/decimal.h"
#include "base/text/nearest.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MEMBERS = 16 };

void pps_options_default(const struct pps_composite *composite,
                         struct pps_option_value *options)
{
    for (int o = 0; o < composite->n_options; o++) {
        const struct pps_option *option = &composite->options[o];
        const bool words = option->kind == PPS_OPTION_ASSIGNMENTS;
        options[o] = (struct pps_option_value){
            .number = words ? 0 : option->fallback,
            .word = words ? (int)option->fallback : -1,
        };
    }
}

void pps_option_free(struct pps_option_value *option)
{
    free(option->rows);
    option->rows = NULL;
}

static enum pps_status read_number(const struct pps_option *spec, const struct pps_json *json,
                                   const cJSON *item, struct pps_option_value *option,
                                   struct pps_error *err)
{
    if (!cJSON_IsNumber(item))
        return pps_json_fail(json, item, err, "%s: expected a number, as in %g", spec->name,
                             spec->fallback);
    if (!(item->valuedouble > 0))
        return pps_json_fail(json, item, err, "%s: must be above 0 (got %.15g)", spec->name,
                             item->valuedouble);
    option->number = item->valuedouble;
    return PPS_OK;
}

static enum pps_status read_word(const struct pps_option *spec, const struct pps_json *json,
                                 const cJSON *item, struct pps_option_value *option,
                                 struct pps_error *err)
{
    size_t n = 0;
    char known[128] = "";
    for (; spec->words[n] != NULL; n++) {
        if (strcmp(spec->words[n], item->valuestring) == 0) {
            option->word = (int)n;
            return PPS_OK;
        }
        const size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s\"%s\"", n > 0 ? ", " : "", spec->words[n]);
    }
    const char *near = pps_suggest(item->valuestring, spec->words, n);
    if (near != NULL)
        return pps_json_fail(json, item, err,
                             "%s: unknown word \"%.40s\"; did you mean \"%s\"?", spec->name,
                             item->valuestring, near);
    return pps_json_fail(json, item, err, "%s: unknown word \"%.40s\"; expected %s or a list",
                         spec->name, item->valuestring, known);
}

static int member_of(const struct pps_kernel *kernel, const char *key)
{
    const struct pps_composite *composite = kernel->composite;
    for (int m = 0; m < composite->n_members; m++)
        if (strcmp(key, composite->labels[m]) == 0 ||
            strcmp(key, kernel->params[composite->members[m]].name) == 0)
            return m;
    return -1;
}

static enum pps_status unknown_member(const struct pps_kernel *kernel,
                                      const struct pps_option *spec,
                                      const struct pps_json *json, const cJSON *object,
                                      const cJSON *item, struct pps_error *err)
{
    const struct pps_composite *composite = kernel->composite;
    const struct pps_hint hint =
        pps_json_missing_key(object, item, composite->labels, (size_t)composite->n_members);
    char known[128] = "";
    for (int m = 0; m < composite->n_members; m++) {
        const size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s%s", m > 0 ? ", " : "",
                 composite->labels[m]);
    }
    if (hint.text[0] != '\0')
        return pps_json_fail_key(json, item, err, "%s: no \"%.40s\"%s", spec->name,
                                 item->string, hint.text);
    return pps_json_fail_key(json, item, err, "%s: unknown key \"%.40s\"; keys are %s",
                             spec->name, item->string, known);
}

static enum pps_status read_assignment(const struct pps_kernel *kernel,
                                       const struct pps_option *spec,
                                       const struct pps_json *json, const cJSON *object,
                                       double *row, struct pps_error *err)
{
    const struct pps_composite *composite = kernel->composite;
    if (!cJSON_IsObject(object))
        return pps_json_fail(
            json, object, err, "%s: expected an object, as in {\"%s\": \"%s\"}", spec->name,
            composite->labels[0], kernel->params[composite->members[0]].names[0]);
    for (int m = 0; m < composite->n_members; m++)
        row[m] = (double)NAN;
    const cJSON *item;
    cJSON_ArrayForEach (item, object) {
        const int m = member_of(kernel, item->string);
        if (m < 0)
            return unknown_member(kernel, spec, json, object, item, err);
        const struct pps_param *param = &kernel->params[composite->members[m]];
        if (!isnan(row[m]))
            return pps_json_fail_key(json, item, err, "%s: %s appears twice", spec->name,
                                     composite->labels[m]);
        for (int i = 0; cJSON_IsString(item) && param->names[i] != NULL; i++)
            if (strcmp(param->names[i], item->valuestring) == 0)
                row[m] = pps_name_value(i);
        if (isnan(row[m]))
            return pps_json_fail(json, item, err, "%s: %s: expected a name such as \"%s\"",
                                 spec->name, composite->labels[m], param->names[0]);
    }
    return PPS_OK;
}

static bool same_row(const double *a, const double *b, int n)
{
    for (int m = 0; m < n; m++)
        if (!(a[m] == b[m] || (isnan(a[m]) && isnan(b[m]))))
            return false;
    return true;
}

static enum pps_status read_list(const struct pps_kernel *kernel, const struct pps_option *spec,
                                 const struct pps_json *json, const cJSON *list,
                                 struct pps_option_value *option, struct pps_error *err)
{
    const int width = kernel->composite->n_members;
    const size_t n = (size_t)cJSON_GetArraySize(list);
    if (n == 0 || n > 100000)
        return pps_json_fail(json, list, err, "%s: expected 1 to 100000 entries (got %zu)",
                             spec->name, n);
    double *rows = calloc(n * (size_t)width, sizeof *rows);
    if (rows == NULL)
        return pps_fail_memory(err, "%s", spec->name);
    pps_option_free(option);
    *option = (struct pps_option_value){.word = -1, .rows = rows};
    const cJSON *item;
    cJSON_ArrayForEach (item, list) {
        double *row = rows + option->n_rows * (size_t)width;
        enum pps_status status = read_assignment(kernel, spec, json, item, row, err);
        if (status != PPS_OK)
            return status;
        for (size_t r = 0; r < option->n_rows; r++)
            if (same_row(rows + r * (size_t)width, row, width))
                return pps_json_fail(json, item, err, "%s: entry %zu repeats entry %zu",
                                     spec->name, option->n_rows + 1, r + 1);
        option->n_rows++;
    }
    return PPS_OK;
}

enum pps_status pps_option_from_json(const struct pps_kernel *kernel, int o,
                                     const struct pps_json *json, const cJSON *item,
                                     struct pps_option_value *option, struct pps_error *err)
{
    const struct pps_option *spec = &kernel->composite->options[o];
    if (spec->kind == PPS_OPTION_NUMBER)
        return read_number(spec, json, item, option, err);
    if (cJSON_IsString(item))
        return read_word(spec, json, item, option, err);
    if (cJSON_IsArray(item))
        return read_list(kernel, spec, json, item, option, err);
    return pps_json_fail(
        json, item, err,
        "%s: expected a word or a list of objects, as in [{}, {\"%s\": \"%s\"}]", spec->name,
        kernel->composite->labels[0], kernel->params[kernel->composite->members[0]].names[0]);
}

static cJSON *row_to_json(const struct pps_kernel *kernel, const double *row)
{
    const struct pps_composite *composite = kernel->composite;
    cJSON *object = cJSON_CreateObject();
    for (int m = 0; m < composite->n_members; m++) {
        char text[PPS_CELL_TEXT];
        if (isnan(row[m]))
            continue;
        pps_value_text(&kernel->params[composite->members[m]], row[m], text);
        cJSON_AddStringToObject(object, composite->labels[m], text);
    }
    return object;
}

cJSON *pps_option_to_json(const struct pps_kernel *kernel, int o,
                          const struct pps_option_value *option)
{
    const struct pps_option *spec = &kernel->composite->options[o];
    if (spec->kind == PPS_OPTION_NUMBER) {
        char text[32];
        text[pps_decimal_meant(text, option->number, 0)] = '\0';
        return cJSON_CreateRaw(text);
    }
    if (option->word >= 0)
        return cJSON_CreateString(spec->words[option->word]);
    const size_t width = (size_t)kernel->composite->n_members;
    cJSON *list = cJSON_CreateArray();
    for (size_t r = 0; r < option->n_rows; r++)
        cJSON_AddItemToArray(list, row_to_json(kernel, option->rows + r * width));
    return list;
}
