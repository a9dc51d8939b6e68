// SPDX-License-Identifier: Apache-2.0
// Programs of golden files, for tests.
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

// As published, as all of these files are.
static inline struct nd_program golden_program(const cJSON *input)
{
    const cJSON *limits = golden_item(input, "memory_limits_mb");
    struct nd_program program;
    nd_program_default(&program);
    program.compat = ND_ORIG;
    program.stages = golden_whole(input, "pipeline_stages");
    program.chunks = golden_whole(input, "interleave");
    program.micro_batches = golden_whole(input, "micro_batches");
    program.splits = golden_whole(input, "seq_splits");
    program.layers[0] = golden_whole(input, "layers_type1");
    program.layers[1] = golden_whole(input, "layers_type2");
    program.layer_ratio = golden_real(input, "layer_ratio");
    program.backward_ratio = golden_real(input, "backward_ratio");
    program.head_ratio = golden_real(input, "head_loss");
    program.full_growth = golden_real(input, "recompute_ratio");
    program.select_growth = golden_real(input, "select_recompute_ratio");
    program.memory = golden_memory(golden_item(input, "memory_mb"));
    program.budget_first = golden_real(limits, "first");
    program.budget_middle = golden_real(limits, "middle");
    program.budget_last = golden_real(limits, "last");
    program.allow_select = golden_is(input, "allow_select_recompute");
    program.allow_full = golden_is(input, "allow_full_recompute");
    program.low_mem = golden_is(input, "low_mem");
    return program;
}

#endif
