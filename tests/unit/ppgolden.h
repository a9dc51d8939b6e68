// SPDX-License-Identifier: Apache-2.0
// Golden files of parallel-strategy search, for tests: documents, and members that must be there.
#ifndef PPS_TEST_PPGOLDEN_H
#define PPS_TEST_PPGOLDEN_H

#include "kernels/ndsearch/program.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline cJSON *golden_read(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/ndsearch/%s", PPS_GOLDEN, name);
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

static inline const cJSON *golden_item(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(item != NULL, "no %s", name);
    return item;
}

static inline double golden_real(const cJSON *object, const char *name)
{
    return golden_item(object, name)->valuedouble;
}

static inline int32_t golden_whole(const cJSON *object, const char *name)
{
    return (int32_t)golden_item(object, name)->valuedouble;
}

static inline int golden_is(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(golden_item(object, name));
}

// [rows][columns] numbers into one array.
static inline void golden_matrix(const cJSON *object, const char *name, int32_t *values)
{
    const cJSON *row, *cell;
    cJSON_ArrayForEach(row, golden_item(object, name)) cJSON_ArrayForEach(cell, row) *values++ =
        (int32_t)cell->valuedouble;
}

// The ratios and shape that both kinds of case have.
static inline struct nd_program golden_program(const cJSON *item, const char *stages)
{
    struct nd_program p;
    nd_program_default(&p);
    p.compat = ND_ORIG;
    p.stages = golden_whole(item, stages);
    p.chunks = golden_whole(item, "interleave");
    p.micro_batches = golden_whole(item, "micro_batches");
    p.low_mem = golden_is(item, "low_mem");
    p.layer_ratio = golden_real(item, "layer_ratio");
    p.backward_ratio = golden_real(item, "backward_ratio");
    p.head_ratio = golden_real(item, "head_loss");
    p.full_growth = golden_real(item, "recompute_ratio");
    return p;
}

#endif
