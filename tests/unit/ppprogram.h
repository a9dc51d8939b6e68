// SPDX-License-Identifier: Apache-2.0
// Whole programs of golden files, with their memory, for tests.
#ifndef PPS_TEST_PPPROGRAM_H
#define PPS_TEST_PPPROGRAM_H

#include "kernels/ndsearch/program.h"
#include "ppgolden.h"

static inline struct nd_memory golden_memory(const cJSON *figures)
{
    return (struct nd_memory){
        .select_mem0 = golden_real(figures, "select_mem0"),
        .select_mem12 = golden_real(figures, "select_mem12"),
        .select_mem = golden_real(figures, "select_mem"),
        .re_comp_mem0 = golden_real(figures, "re_comp_mem0"),
        .re_comp_mem12 = golden_real(figures, "re_comp_mem12"),
        .re_comp_mem = golden_real(figures, "re_comp_mem"),
        .act_mem0 = golden_real(figures, "act_mem0"),
        .act_mem12 = golden_real(figures, "act_mem12"),
        .act_mem = golden_real(figures, "act_mem"),
        .layer_mem012 = golden_real(figures, "layer_mem012"),
        .layer_mem = golden_real(figures, "layer_mem"),
        .static_mem0 = golden_real(figures, "static_mem0"),
        .static_mem = golden_real(figures, "static_mem"),
        .lm_head_mem = golden_real(figures, "lm_head_mem"),
    };
}

// The whole program of a `pipeline` case.
static inline struct nd_program golden_pipeline(const cJSON *input)
{
    const cJSON *limits = golden_item(input, "memory_limits_mb");
    struct nd_program program = golden_program(input, "pipeline_stages");
    program.splits = golden_whole(input, "seq_splits");
    program.layers[0] = golden_whole(input, "layers_type1");
    program.layers[1] = golden_whole(input, "layers_type2");
    program.select_growth = golden_real(input, "select_recompute_ratio");
    program.memory = golden_memory(golden_item(input, "memory_mb"));
    program.budget_first = golden_real(limits, "first");
    program.budget_middle = golden_real(limits, "middle");
    program.budget_last = golden_real(limits, "last");
    program.allow_select = golden_is(input, "allow_select_recompute");
    program.allow_full = golden_is(input, "allow_full_recompute");
    return program;
}

#endif
