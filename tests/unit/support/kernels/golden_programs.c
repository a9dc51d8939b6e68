// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/golden_programs.h"

struct nd_program golden_program(const cJSON *item, const char *stages)
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

struct nd_program golden_pipeline(const cJSON *golden)
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

const char *const golden_pipelines[N_GOLDEN_PIPELINES] = {
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
