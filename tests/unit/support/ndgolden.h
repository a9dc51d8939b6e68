// SPDX-License-Identifier: Apache-2.0
// Golden files of the strategy search as parsed documents.
#ifndef TEST_NDGOLDEN_H
#define TEST_NDGOLDEN_H

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/description/model.h"

// tests/golden/ndsearch/<name>.json; the caller deletes it.
static inline cJSON *golden(const char *name)
{
    char path[512];
    static char text[1 << 20];
    snprintf(path, sizeof path, PPS_GOLDEN "/ndsearch/%s.json", name);
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "%s", path);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    cJSON *document = cJSON_Parse(text);
    cr_assert(document != NULL, "%s", path);
    return document;
}

static inline const cJSON *field(const cJSON *item, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(item, key);
    cr_assert(found != NULL, "%s", key);
    return found;
}

static inline double number(const cJSON *item, const char *key)
{
    const cJSON *found = field(item, key);
    cr_assert(cJSON_IsNumber(found), "%s", key);
    return found->valuedouble;
}

static inline double cell(const cJSON *row, int k)
{
    return cJSON_GetArrayItem(row, k)->valuedouble;
}

static inline struct modeldesc model_of(const cJSON *document)
{
    struct modeldesc model;
    struct docfault fault;
    cr_assert(modeldesc_read(&model, document, &fault), "%s", fault.text);
    return model;
}

#endif
