// SPDX-License-Identifier: Apache-2.0
// The schema of experiments: one definition for each kernel, chosen by the key "kernel".
#include "engine/cli/describe/schema.h"

#include "engine/experiment/experiment.h"
#include "engine/space/sample.h"
#include "engine/space/value.h"
#include "ppsweep/kernel.h"

#include <stdio.h>
#include <string.h>

static cJSON *reference(const char *kernel, const char *name)
{
    char path[160];
    cJSON *object = cJSON_CreateObject();
    snprintf(path, sizeof path, "#/definitions/%s%s%s", kernel, name[0] != '\0' ? "." : "",
             name);
    cJSON_AddStringToObject(object, "$ref", path);
    return object;
}

static cJSON *array_of(cJSON *items, int least)
{
    cJSON *array = cJSON_CreateObject();
    cJSON_AddStringToObject(array, "type", "array");
    cJSON_AddNumberToObject(array, "minItems", least);
    cJSON_AddItemToObject(array, "items", items);
    return array;
}

static cJSON *closed_object(cJSON **properties)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "type", "object");
    *properties = cJSON_AddObjectToObject(object, "properties");
    cJSON_AddBoolToObject(object, "additionalProperties", false);
    return object;
}

// ---- reserved words ---------------------------------------------------------------------------

static cJSON *word_kernel(const struct pps_kernel *kernel)
{
    const char *const names[] = {kernel->name, NULL};
    return pps_schema_names(names);
}

static cJSON *word_schema(const struct pps_kernel *kernel)
{
    (void)kernel;
    return pps_schema_text("the schema for editors; ppsweep ignores it");
}

// A path, or the document itself; several where the slot is an axis.
static cJSON *word_inputs(const struct pps_kernel *kernel)
{
    cJSON *slots, *object = closed_object(&slots);
    for (int s = 0; s < kernel->n_slots; s++) {
        const struct pps_slot *slot = &kernel->slots[s];
        cJSON *list, *any = pps_schema_any(&list), *types = cJSON_CreateArray();
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(types, cJSON_CreateString("string"));
        cJSON_AddItemToArray(types, cJSON_CreateString("object"));
        cJSON_AddItemToObject(one, "type", types);
        cJSON_AddStringToObject(any, "description", slot->summary);
        if (slot->param >= 0)
            cJSON_AddItemToArray(list, array_of(cJSON_Duplicate(one, true), 1));
        cJSON_AddItemToArray(list, one);
        cJSON_AddItemToObject(slots, slot->name, any);
    }
    return object;
}

static cJSON *word_params(const struct pps_kernel *kernel)
{
    return reference(kernel->name, "params");
}

static cJSON *word_preset(const struct pps_kernel *kernel)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(object, "enum");
    const struct pps_preset *preset = kernel->presets;
    for (; preset != NULL && preset->name != NULL; preset++)
        cJSON_AddItemToArray(list, cJSON_CreateString(preset->name));
    return object;
}

static cJSON *word_where(const struct pps_kernel *kernel)
{
    (void)kernel;
    cJSON *list, *any = pps_schema_any(&list);
    cJSON_AddStringToObject(any, "description",
                            "rules; points that break a rule are skipped and counted");
    cJSON_AddItemToArray(list, pps_schema_text(NULL));
    cJSON_AddItemToArray(list, array_of(pps_schema_text(NULL), 0));
    return any;
}

static cJSON *word_zip(const struct pps_kernel *kernel)
{
    cJSON *list, *any = pps_schema_any(&list), *names = cJSON_CreateObject();
    cJSON *words = cJSON_AddArrayToObject(names, "enum");
    for (int p = 0; p < kernel->n_params; p++)
        if (!pps_param_is_given(kernel, p))
            cJSON_AddItemToArray(words, cJSON_CreateString(kernel->params[p].name));
    cJSON_AddStringToObject(any, "description", "lists that are paired value by value");
    cJSON_AddItemToArray(list, array_of(array_of(cJSON_Duplicate(names, true), 2), 1));
    cJSON_AddItemToArray(list, array_of(names, 2));
    return any;
}

static cJSON *word_points(const struct pps_kernel *kernel)
{
    (void)kernel;
    return pps_schema_text("a CSV of points, relative to the folder of the experiment");
}

static cJSON *word_sample(const struct pps_kernel *kernel)
{
    (void)kernel;
    cJSON *properties, *object = closed_object(&properties);
    cJSON_AddItemToObject(properties, "count", pps_schema_whole(1));
    cJSON_AddItemToObject(properties, "method", pps_schema_names(pps_sample_methods));
    cJSON_AddItemToObject(properties, "seed", pps_schema_whole(0));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(object, "required"),
                         cJSON_CreateString("count"));
    return object;
}

static cJSON *word_seed(const struct pps_kernel *kernel)
{
    const int p = pps_seed_param(kernel);
    return p >= 0 ? reference(kernel->name, kernel->params[p].name) : pps_schema_whole(0);
}

static cJSON *word_output(const struct pps_kernel *kernel)
{
    (void)kernel;
    return pps_schema_text("the path of the result");
}

static cJSON *word_let(const struct pps_kernel *kernel)
{
    (void)kernel;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "type", "object");
    cJSON_AddStringToObject(object, "description",
                            "computed columns: expressions over parameters and results");
    cJSON_AddItemToObject(object, "additionalProperties", pps_schema_text(NULL));
    return object;
}

static const struct {
    const char *word;
    cJSON *(*make)(const struct pps_kernel *kernel);
} words[] = {
    {"kernel", word_kernel}, {"$schema", word_schema}, {"inputs", word_inputs},
    {"params", word_params}, {"preset", word_preset},  {"where", word_where},
    {"zip", word_zip},       {"points", word_points},  {"sample", word_sample},
    {"seed", word_seed},     {"output", word_output},  {"let", word_let},
};

// Adds every word that the reader of experiments reserves.
static void add_reserved(cJSON *properties, const struct pps_kernel *kernel)
{
    for (const char *const *name = pps_reserved_words; *name != NULL; name++) {
        if ((kernel->n_slots == 0 && strcmp(*name, "inputs") == 0) ||
            (kernel->presets == NULL && strcmp(*name, "preset") == 0))
            continue;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strcmp(words[w].word, *name) == 0)
                cJSON_AddItemToObject(properties, *name, words[w].make(kernel));
    }
}

// ---- kernels ----------------------------------------------------------------------------------

// Adds parameters, options and dictionaries: what "params" may hold too.
static void add_entries(cJSON *properties, const struct pps_kernel *kernel)
{
    const struct pps_composite *composite = kernel->composite;
    for (int p = 0; p < kernel->n_params; p++)
        if (!pps_param_is_given(kernel, p) && p != pps_seed_param(kernel))
            cJSON_AddItemToObject(properties, kernel->params[p].name,
                                  reference(kernel->name, kernel->params[p].name));
    for (int o = 0; composite != NULL && o < composite->n_options; o++)
        cJSON_AddItemToObject(properties, composite->options[o].name,
                              pps_schema_option(kernel, o));
    const char *const *key = composite != NULL ? composite->dictionaries : NULL;
    for (; key != NULL && *key != NULL; key++) {
        cJSON *labels, *object = closed_object(&labels);
        for (int m = 0; m < composite->n_members; m++)
            cJSON_AddItemToObject(
                labels, composite->labels[m],
                reference(kernel->name, kernel->params[composite->members[m]].name));
        cJSON_AddItemToObject(properties, *key, object);
    }
}

static void define_kernel(cJSON *definitions, const struct pps_kernel *kernel)
{
    char name[160];
    cJSON *properties, *object = closed_object(&properties);
    cJSON_AddStringToObject(object, "description", kernel->summary);
    add_reserved(properties, kernel);
    add_entries(properties, kernel);
    cJSON_AddItemToObject(definitions, kernel->name, object);
    object = closed_object(&properties);
    add_entries(properties, kernel);
    if (pps_seed_param(kernel) >= 0)
        cJSON_AddItemToObject(properties, "seed", word_seed(kernel));
    snprintf(name, sizeof name, "%s.params", kernel->name);
    cJSON_AddItemToObject(definitions, name, object);
    for (int p = 0; p < kernel->n_params; p++) {
        snprintf(name, sizeof name, "%s.%s", kernel->name, kernel->params[p].name);
        if (!pps_param_is_given(kernel, p))
            cJSON_AddItemToObject(definitions, name, pps_schema_axis(kernel, p));
    }
}

// ---- the whole --------------------------------------------------------------------------------

// A program in place of a kernel; its parameters have any name.
static cJSON *word_command(void)
{
    static const char *const protocols[] = {"csv", "json", NULL};
    cJSON *list, *any = pps_schema_any(&list), *properties,
                 *object = closed_object(&properties);
    cJSON *run_list, *run = pps_schema_any(&run_list);
    cJSON_AddItemToArray(run_list, pps_schema_text("a program and its arguments, with {NAME}"));
    cJSON_AddItemToArray(run_list, array_of(pps_schema_text(NULL), 1));
    cJSON_AddItemToArray(list, pps_schema_text("a program and its arguments, with {NAME}"));
    cJSON_AddItemToArray(list, array_of(pps_schema_text(NULL), 1));
    cJSON_AddItemToObject(properties, "run", run);
    cJSON_AddItemToObject(properties, "lines", pps_schema_names(protocols));
    static const char *const others[] = {"params", "results", "time_limit", "retries",
                                         "point_time"};
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        cJSON_AddItemToObject(properties, others[o], cJSON_CreateObject());
    cJSON_AddItemToArray(cJSON_AddArrayToObject(object, "required"), cJSON_CreateString("run"));
    cJSON_AddItemToArray(list, object);
    return any;
}

// If the key "kernel" has this name, or is missing where the kernel is the default and there is no command, the
// definition of the kernel holds.
static cJSON *choice(const struct pps_kernel *kernel, bool is_default)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *condition = cJSON_AddObjectToObject(object, "if");
    cJSON *properties = cJSON_AddObjectToObject(condition, "properties");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(properties, "kernel"), "const",
                            kernel->name);
    if (is_default)
        cJSON_AddItemToArray(
            cJSON_AddArrayToObject(cJSON_AddObjectToObject(condition, "not"), "required"),
            cJSON_CreateString("command"));
    else
        cJSON_AddItemToArray(cJSON_AddArrayToObject(condition, "required"),
                             cJSON_CreateString("kernel"));
    cJSON_AddItemToObject(object, "then", reference(kernel->name, ""));
    return object;
}

cJSON *pps_schema_make(const struct pps_kernel *const *kernels, const struct pps_kernel *only)
{
    cJSON *schema = cJSON_CreateObject();
    cJSON_AddStringToObject(schema, "$schema", "http://json-schema.org/draft-07/schema#");
    cJSON_AddStringToObject(schema, "title", "ppsweep experiment");
    cJSON_AddStringToObject(schema, "$comment", "Made by ppsweep schema, ppsweep " PPS_VERSION);
    cJSON_AddStringToObject(schema, "type", "object");
    cJSON *properties = cJSON_AddObjectToObject(schema, "properties");
    cJSON *kernel = cJSON_AddObjectToObject(properties, "kernel");
    cJSON *names = cJSON_AddArrayToObject(kernel, "enum");
    cJSON_AddItemToObject(properties, "command", word_command());
    cJSON *choices = cJSON_AddArrayToObject(schema, "allOf");
    cJSON *definitions = cJSON_AddObjectToObject(schema, "definitions");
    if (only != NULL && only != kernels[0])
        cJSON_AddItemToArray(cJSON_AddArrayToObject(schema, "required"),
                             cJSON_CreateString("kernel"));
    for (int k = 0; kernels[k] != NULL; k++) {
        if (only != NULL && only != kernels[k])
            continue;
        cJSON_AddItemToArray(names, cJSON_CreateString(kernels[k]->name));
        cJSON_AddItemToArray(choices, choice(kernels[k], k == 0));
        define_kernel(definitions, kernels[k]);
    }
    return schema;
}
