// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

cJSON *golden_read(const char *name)
{
    return golden_of("ndsearch", name);
}

cJSON *golden_of(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", PPS_GOLDEN, folder, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "%s", path);
    char *text = calloc(1, 1 << 20);
    const size_t n = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    cJSON *document = cJSON_ParseWithLength(text, n);
    cr_assert(document != NULL, "%s is no JSON", path);
    free(text);
    return document;
}

const cJSON *golden_item(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(item != NULL, "no %s", name);
    return item;
}

double golden_real(const cJSON *object, const char *name)
{
    const cJSON *item = golden_item(object, name);
    cr_assert(cJSON_IsNumber(item), "%s", name);
    return item->valuedouble;
}

int32_t golden_whole(const cJSON *object, const char *name)
{
    return (int32_t)golden_item(object, name)->valuedouble;
}

bool golden_is(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(golden_item(object, name));
}

const char *golden_word(const cJSON *object, const char *name)
{
    return golden_item(object, name)->valuestring;
}

void golden_matrix(const cJSON *object, const char *name, int32_t *values)
{
    const cJSON *row, *cell;
    cJSON_ArrayForEach (row, golden_item(object, name))
        cJSON_ArrayForEach (cell, row)
            *values++ = (int32_t)cell->valuedouble;
}
