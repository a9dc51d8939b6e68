// SPDX-License-Identifier: Apache-2.0
// Finds which matrix products of a torchtitan configuration have 8 bits, in the layouts of all versions.
#include "base/edit/toml_edit.h"
#include "kernels/frameworks/torchtitan_private.h"

#include <string.h>

// One way to change the products of linear layers, or of experts.
struct conversion {
    const char *converters[4]; // names in model.converters; end with NULL
    const char *sections[4];   // of its keys; end with NULL
    const char *word;          // precision of the training
};

static const struct conversion linear[] = {
    {{"float8", "quantize.linear.float8", "quantize.dense.float8"},
     {"float8", "quantize.linear.float8", "quantize.dense.float8"},
     "fp8"},
    {{"mx", "quantize.linear.mx", "quantize.dense.mx"},
     {"mx", "quantize.linear.mx", "quantize.dense.mx"},
     "mxfp8"},
};

// Experts are converted by name only: the list of names must not be empty. Without a list of converters
// the linear layers decide, because files of torchtitan have the names of experts in any case.
static const struct conversion experts[] = {
    {{"float8", "quantize.grouped_mm.float8", "quantize.moe.float8"},
     {"float8.moe_fqns_prototype", "quantize.grouped_mm.float8.fqns",
      "quantize.moe.float8.fqns"},
     "fp8"},
    {{"mx", "quantize.grouped_mm.mx", "quantize.moe.mx"},
     {"mx.moe_fqns_prototype", "quantize.grouped_mm.mx.fqns", "quantize.moe.mx.fqns"},
     "mxfp8"},
};

enum { N_CONVERSIONS = 2 };

static bool is_listed(const cJSON *list, const char *const *names)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        for (int k = 0; names[k] != NULL; k++)
            if (cJSON_IsString(item) && strcmp(item->valuestring, names[k]) == 0)
                return true;
    return false;
}

static bool is_set(const cJSON *item)
{
    return cJSON_IsTrue(item) || (cJSON_IsString(item) && *item->valuestring != '\0') ||
           (cJSON_IsArray(item) && item->child != NULL);
}

// Returns whether a section switches something on: its list of skipped modules does not.
static bool section_is_on(const cJSON *section)
{
    const cJSON *switched = cJSON_GetObjectItemCaseSensitive(section, "enable_float8_linear");
    if (cJSON_IsBool(switched))
        return cJSON_IsTrue(switched);
    for (const cJSON *item = section->child; item != NULL; item = item->next)
        if (strcmp(item->string, "filter_fqns") != 0 && is_set(item))
            return true;
    return false;
}

// Returns the section that switches a conversion on; NULL: none.
static const char *section_of(const struct plaindoc *doc, const struct conversion *c)
{
    for (int k = 0; c->sections[k] != NULL; k++) {
        const cJSON *item = toml_get(doc, c->sections[k]);
        if (cJSON_IsObject(item) ? section_is_on(item) : item != NULL && is_set(item))
            return c->sections[k];
    }
    return NULL;
}

// Converters of 2024 were switches of [training].
static bool old_switch(const struct plaindoc *doc)
{
    static const char *const paths[] = {"training.enable_float8_linear",
                                        "training.enable_fp8_linear", "training.fp8_linear"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        const cJSON *item = toml_get(doc, paths[k]);
        if (item != NULL && is_set(item))
            return true;
    }
    return false;
}

static const char *word_of_linear(const struct plaindoc *doc)
{
    const cJSON *list = titan_get(doc, TITAN_CONVERTERS, NULL);
    if (!cJSON_IsArray(list) && old_switch(doc))
        return "fp8";
    for (int k = 0; k < N_CONVERSIONS; k++)
        if (cJSON_IsArray(list) ? is_listed(list, linear[k].converters)
                                : section_of(doc, &linear[k]) != NULL)
            return linear[k].word;
    return NULL;
}

static const char *word_of_experts(const struct plaindoc *doc)
{
    const cJSON *list = titan_get(doc, TITAN_CONVERTERS, NULL);
    for (int k = 0; k < N_CONVERSIONS; k++)
        if (section_of(doc, &experts[k]) != NULL &&
            (cJSON_IsArray(list) ? is_listed(list, experts[k].converters)
                                 : section_of(doc, &linear[k]) != NULL))
            return experts[k].word;
    return NULL;
}

// Returns the key that decides about the linear layers.
static const char *key_of_linear(const struct plaindoc *doc)
{
    for (int k = 0; k < N_CONVERSIONS; k++)
        if (titan_get(doc, TITAN_CONVERTERS, NULL) == NULL &&
            section_of(doc, &linear[k]) != NULL)
            return section_of(doc, &linear[k]);
    return "model.converters";
}

struct titan_precision titan_precision_of(const struct plaindoc *doc, bool has_experts)
{
    const char *of_linear = word_of_linear(doc), *of_experts = word_of_experts(doc);
    struct titan_precision precision = {.word = has_experts ? of_experts : of_linear};
    precision.any = of_linear != NULL || of_experts != NULL;
    if (has_experts && of_linear != of_experts)
        precision.of_linear = key_of_linear(doc);
    return precision;
}
