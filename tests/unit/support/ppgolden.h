// SPDX-License-Identifier: Apache-2.0
// Reads golden files of the parallel-strategy search, for tests; missing members fail the test.
#ifndef PPS_TEST_PPGOLDEN_H
#define PPS_TEST_PPGOLDEN_H

#include "kernels/common/split/program.h"

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

// Copies a [rows][columns] matrix of numbers into one array.
static inline void golden_matrix(const cJSON *object, const char *name, int32_t *values)
{
    const cJSON *row, *cell;
    cJSON_ArrayForEach(row, golden_item(object, name)) cJSON_ArrayForEach(cell, row) *values++ =
        (int32_t)cell->valuedouble;
}

// Reads the ratios and shape that both kinds of case have.
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

// Reads the whole program of a case of kind "pipeline".
static inline struct nd_program golden_pipeline(const cJSON *golden)
{
    const cJSON *input = golden_item(golden, "input");
    const cJSON *memory = golden_item(input, "memory_mb");
    const cJSON *limits = golden_item(input, "memory_limits_mb");
    struct nd_program p = golden_program(input, "pipeline_stages");
    p.splits = golden_whole(input, "seq_splits");
    p.layers[0] = golden_whole(input, "layers_type1");
    p.layers[1] = golden_whole(input, "layers_type2");
    p.select_growth = golden_real(input, "select_recompute_ratio");
    p.allow_select = golden_is(input, "allow_select_recompute");
    p.allow_full = golden_is(input, "allow_full_recompute");
    p.memory = (struct nd_figures){
        golden_real(memory, "select_mem0"),   golden_real(memory, "select_mem12"),
        golden_real(memory, "select_mem"),    golden_real(memory, "re_comp_mem0"),
        golden_real(memory, "re_comp_mem12"), golden_real(memory, "re_comp_mem"),
        golden_real(memory, "act_mem0"),      golden_real(memory, "act_mem12"),
        golden_real(memory, "act_mem"),       golden_real(memory, "layer_mem012"),
        golden_real(memory, "layer_mem"),     golden_real(memory, "static_mem0"),
        golden_real(memory, "static_mem"),    golden_real(memory, "lm_head_mem")};
    p.budget_first = golden_real(limits, "first");
    p.budget_middle = golden_real(limits, "middle");
    p.budget_last = golden_real(limits, "last");
    return p;
}

__attribute__((unused)) static const char *const golden_pipelines[] = {
    "pp_dense_p4_v1.json",
    "pp_dense_tight_p4_v1.json",
    "pp_dsv3_p16_m64.json",
    "pp_dsv3_p4_m60.json",
    "pp_infeasible_layer_cap.json",
    "pp_infeasible_memory.json",
    "pp_moe_p4_m16.json",
    "pp_moe_p4_v2_lowmem.json",
    "pp_moe_p4_v2_std.json",
    "pp_moe_p8_m64_residue.json",
    "pp_select_p4.json",
};

#endif
