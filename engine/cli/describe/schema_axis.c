// SPDX-License-Identifier: Apache-2.0
// Schemas of the values of parameters and of the options of a composite axis.
#include "engine/cli/describe/schema.h"

#include "ppsweep/kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BELOW_2_53 9007199254740991.0

// Not a number in quotes, which the reader refuses.
#define EXPRESSION "^(?!\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$)."

// The same, and not a single word, which would be a misspelt name.
#define NO_WORD "^(?!\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$).*[^A-Za-z_]"

cJSON *pps_schema_text(const char *description)
{
    cJSON *text = cJSON_CreateObject();
    cJSON_AddStringToObject(text, "type", "string");
    cJSON_AddNumberToObject(text, "minLength", 1);
    if (description != NULL)
        cJSON_AddStringToObject(text, "description", description);
    return text;
}

cJSON *pps_schema_names(const char *const *names)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(object, "enum");
    for (; *names != NULL; names++)
        cJSON_AddItemToArray(list, cJSON_CreateString(*names));
    return object;
}

cJSON *pps_schema_whole(double least)
{
    cJSON *number = cJSON_CreateObject();
    cJSON_AddStringToObject(number, "type", "integer");
    cJSON_AddNumberToObject(number, "minimum", least);
    cJSON_AddNumberToObject(number, "maximum", BELOW_2_53);
    return number;
}

cJSON *pps_schema_any(cJSON **list)
{
    cJSON *object = cJSON_CreateObject();
    *list = cJSON_AddArrayToObject(object, "anyOf");
    return object;
}

// ---- one value --------------------------------------------------------------------------------

static cJSON *number_of(const struct pps_param *param)
{
    cJSON *number = cJSON_CreateObject();
    const bool whole = param->kind == PPS_INTEGER;
    cJSON_AddStringToObject(number, "type", whole ? "integer" : "number");
    if (isfinite(param->min))
        cJSON_AddNumberToObject(number, param->min_open ? "exclusiveMinimum" : "minimum",
                                param->min);
    else if (whole)
        cJSON_AddNumberToObject(number, "minimum", -BELOW_2_53);
    if (isfinite(param->max))
        cJSON_AddNumberToObject(number, param->max_open ? "exclusiveMaximum" : "maximum",
                                param->max);
    else if (whole)
        cJSON_AddNumberToObject(number, "maximum", BELOW_2_53);
    return number;
}

// The names of a parameter, with the other names that the reader accepts.
static cJSON *names_of(const struct pps_param *param)
{
    cJSON *names = pps_schema_names(param->names);
    cJSON *list = cJSON_GetObjectItemCaseSensitive(names, "enum");
    const struct pps_alias *alias = param->aliases;
    for (; alias != NULL && alias->name != NULL; alias++)
        if (alias->reason == NULL)
            cJSON_AddItemToArray(list, cJSON_CreateString(alias->name));
    return names;
}

static void add_values(cJSON *list, const struct pps_param *param)
{
    static const char *const truth[] = {"false", "true", NULL};
    const bool numbers = param->kind == PPS_INTEGER || param->kind == PPS_REAL;
    if (numbers)
        cJSON_AddItemToArray(list, number_of(param));
    if (param->names != NULL)
        cJSON_AddItemToArray(list, names_of(param));
    if (param->kind != PPS_BOOLEAN)
        return;
    cJSON *boolean = cJSON_CreateObject();
    cJSON_AddStringToObject(boolean, "type", "boolean");
    cJSON_AddItemToArray(list, boolean);
    cJSON_AddItemToArray(list, pps_schema_names(truth));
}

// ---- axes -------------------------------------------------------------------------------------

static cJSON *list_of(const struct pps_param *param)
{
    cJSON *array = cJSON_CreateObject(), *values;
    cJSON_AddStringToObject(array, "type", "array");
    cJSON_AddNumberToObject(array, "minItems", 1);
    cJSON_AddItemToObject(array, "items", pps_schema_any(&values));
    add_values(values, param);
    return array;
}

static cJSON *object_of(const char *const *required, cJSON **properties)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "type", "object");
    *properties = cJSON_AddObjectToObject(object, "properties");
    cJSON *list = cJSON_AddArrayToObject(object, "required");
    for (; *required != NULL; required++)
        cJSON_AddItemToArray(list, cJSON_CreateString(*required));
    cJSON_AddBoolToObject(object, "additionalProperties", false);
    return object;
}

// {"start": 1, "stop": 4, "step": 1}, or {"start": 1, "stop": 4, "continuous": true}.
static cJSON *range_of(const struct pps_param *param, bool continuous)
{
    static const char *const ends[] = {"start", "stop", NULL};
    static const char *const all[] = {"start", "stop", "continuous", NULL};
    cJSON *properties, *range = object_of(continuous ? all : ends, &properties);
    cJSON_AddItemToObject(properties, "start", number_of(param));
    cJSON_AddItemToObject(properties, "stop", number_of(param));
    cJSON *last = cJSON_AddObjectToObject(properties, continuous ? "continuous" : "step");
    if (!continuous) {
        cJSON_AddStringToObject(last, "type", "number");
        cJSON_AddNumberToObject(last, "exclusiveMinimum", 0);
        return range;
    }
    cJSON_AddTrueToObject(last, "const");
    cJSON *decimals = cJSON_AddObjectToObject(properties, "decimals");
    cJSON_AddStringToObject(decimals, "type", "integer");
    cJSON_AddNumberToObject(decimals, "minimum", -15);
    cJSON_AddNumberToObject(decimals, "maximum", 15);
    return range;
}

static cJSON *expression_of(const struct pps_kernel *kernel, const struct pps_param *param)
{
    cJSON *text = pps_schema_text("an expression over the parameters above: divisors(n), 1..4");
    cJSON_AddStringToObject(text, "pattern", param->names != NULL ? NO_WORD : EXPRESSION);
    if (param->names == NULL)
        return text;
    cJSON *list, *any = pps_schema_any(&list), *names = cJSON_CreateObject();
    cJSON *words = cJSON_AddArrayToObject(names, "enum");
    for (int p = 0; p < kernel->n_params; p++)
        cJSON_AddItemToArray(words, cJSON_CreateString(kernel->params[p].name));
    cJSON_AddItemToArray(list, text);
    cJSON_AddItemToArray(list, names);
    return any;
}

cJSON *pps_schema_axis(const struct pps_kernel *kernel, int p)
{
    const struct pps_param *param = &kernel->params[p];
    const bool numbers = param->kind == PPS_INTEGER || param->kind == PPS_REAL;
    char text[512];
    cJSON *list, *axis = pps_schema_any(&list);
    snprintf(text, sizeof text, "%s%s%s%s", param->summary, param->unit[0] != '\0' ? " [" : "",
             param->unit, param->unit[0] != '\0' ? "]" : "");
    cJSON_AddStringToObject(axis, "description", text);
    add_values(list, param);
    cJSON_AddItemToArray(list, list_of(param));
    if (!numbers)
        return axis;
    cJSON_AddItemToArray(list, range_of(param, false));
    cJSON_AddItemToArray(list, range_of(param, true));
    cJSON_AddItemToArray(list, expression_of(kernel, param));
    return axis;
}

// ---- options of a composite axis --------------------------------------------------------------

// {"fwd_prop": "a"}: names by the labels of the members, or by the names of their parameters.
static cJSON *assignment_of(const struct pps_kernel *kernel)
{
    const struct pps_composite *composite = kernel->composite;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "type", "object");
    cJSON *properties = cJSON_AddObjectToObject(object, "properties");
    for (int m = 0; m < composite->n_members; m++) {
        const struct pps_param *param = &kernel->params[composite->members[m]];
        if (strcmp(composite->labels[m], param->name) != 0)
            cJSON_AddItemToObject(properties, composite->labels[m],
                                  pps_schema_names(param->names));
        cJSON_AddItemToObject(properties, param->name, pps_schema_names(param->names));
    }
    cJSON_AddBoolToObject(object, "additionalProperties", false);
    return object;
}

cJSON *pps_schema_option(const struct pps_kernel *kernel, int o)
{
    const struct pps_option *option = &kernel->composite->options[o];
    if (option->kind == PPS_OPTION_NUMBER) {
        cJSON *number = cJSON_CreateObject();
        cJSON_AddStringToObject(number, "type", "number");
        cJSON_AddNumberToObject(number, "exclusiveMinimum", 0);
        cJSON_AddStringToObject(number, "description", option->summary);
        return number;
    }
    cJSON *list, *any = pps_schema_any(&list), *array = cJSON_CreateObject();
    cJSON_AddStringToObject(any, "description", option->summary);
    cJSON_AddItemToArray(list, pps_schema_names(option->words));
    cJSON_AddStringToObject(array, "type", "array");
    cJSON_AddNumberToObject(array, "minItems", 1);
    cJSON_AddTrueToObject(array, "uniqueItems");
    cJSON_AddItemToObject(array, "items", assignment_of(kernel));
    cJSON_AddItemToArray(list, array);
    return any;
}
