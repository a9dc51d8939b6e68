// SPDX-License-Identifier: Apache-2.0
// The values that recipes of pre-training of Megatron-Bridge set, from src/megatron/bridge/recipes/*/h100/*.py of
// August 2026 (067f987df), where they differ from the defaults that the reader has.
#include "kernels/frameworks/trainer/bridge_recipes.h"

#include <stddef.h>
#include <string.h>

#define TP(x)     " model.tensor_model_parallel_size=" #x
#define PP(x)     " model.pipeline_model_parallel_size=" #x
#define VP(x)     " model.virtual_pipeline_model_parallel_size=" #x
#define CP(x)     " model.context_parallel_size=" #x
#define EP(x)     " model.expert_model_parallel_size=" #x
#define ETP(x)    " model.expert_tensor_parallel_size=" #x
#define SP(x)     " model.sequence_parallel=" #x
#define SEQ(x)    " model.seq_length=" #x
#define AGAIN(x)  " model.recompute_granularity=" #x
#define METHOD(x) " model.recompute_method=" #x
#define FUSED(x)  " model.cross_entropy_loss_fusion=" #x
#define GBS(x)    " train.global_batch_size=" #x
#define MBS(x)    " train.micro_batch_size=" #x

// clang-format off
static const struct bridge_recipe recipes[] = {
    {"deepseek_v2_lite_pretrain_config", "deepseek_v2_lite_pretrain_8gpu_h100_bf16_config",
     "deepseek-ai/DeepSeek-V2-Lite",
     EP(8) SEQ(4096) AGAIN(full) METHOD(uniform) FUSED(true) GBS(512) MBS(1)},
    {"deepseek_v2_pretrain_config", "deepseek_v2_pretrain_128gpu_h100_bf16_config",
     "deepseek-ai/DeepSeek-V2",
     PP(4) EP(32) SEQ(4096) AGAIN(full) METHOD(uniform) FUSED(true) GBS(512) MBS(1)},
    {"deepseek_v3_pretrain_config", "deepseek_v3_pretrain_1024gpu_h100_bf16_config",
     "deepseek-ai/DeepSeek-V3",
     TP(2) PP(16) EP(64) ETP(1) SP(true) SEQ(4096) FUSED(true) GBS(4096) MBS(1)},
    {"deepseek_v3_pretrain_config", "deepseek_v3_pretrain_256gpu_h100_bf16_32nodes_config",
     "deepseek-ai/DeepSeek-V3",
     TP(2) PP(8) EP(32) ETP(1) SP(true) SEQ(4096) AGAIN(full) METHOD(uniform) FUSED(true) GBS(4096) MBS(1)},
    {"glm45_355b_pretrain_config", "glm45_355b_pretrain_128gpu_h100_bf16_config",
     "zai-org/GLM-4.5",
     TP(2) PP(8) EP(16) ETP(1) SP(true) SEQ(4096) AGAIN(selective) FUSED(true) GBS(2048) MBS(1)},
    {"glm45_air_106b_pretrain_config", "glm45_air_106b_pretrain_32gpu_h100_bf16_config",
     "zai-org/GLM-4.5-Air",
     PP(4) EP(8) ETP(1) SP(true) SEQ(4096) AGAIN(selective) FUSED(true) GBS(2048) MBS(1)},
    {"gpt_oss_20b_pretrain_config", "gpt_oss_20b_pretrain_16gpu_h100_bf16_config",
     "openai/gpt-oss-20b",
     TP(2) PP(4) EP(4) ETP(1) SP(true) SEQ(4096) FUSED(true) GBS(512) MBS(1)},
    {"gpt_oss_120b_pretrain_config", "gpt_oss_120b_pretrain_64gpu_h100_bf16_config",
     "openai/gpt-oss-120b",
     TP(2) PP(4) EP(16) ETP(1) SP(true) SEQ(4096) FUSED(true) GBS(512) MBS(1)},
    {"kimi_k2_pretrain_config", "kimi_k2_pretrain_512gpu_h100_bf16_config",
     "moonshotai/Kimi-K2-Instruct",
     TP(2) PP(16) EP(32) ETP(1) SP(true) AGAIN(selective) FUSED(true) GBS(4096) MBS(1)},
    {"llama2_7b_pretrain_config", "llama2_7b_pretrain_2gpu_h100_bf16_config",
     "meta-llama/Llama-2-7b-hf",
     TP(2) SEQ(4096) FUSED(true) GBS(512) MBS(1)},
    {"llama32_1b_pretrain_config", "llama32_1b_pretrain_1gpu_h100_bf16_config",
     "meta-llama/Llama-3.2-1B",
     SEQ(8192) FUSED(true) GBS(512) MBS(1)},
    {"llama32_3b_pretrain_config", "llama32_3b_pretrain_1gpu_h100_bf16_config",
     "meta-llama/Llama-3.2-3B",
     SEQ(8192) FUSED(true) GBS(512) MBS(1)},
    {"llama3_8b_pretrain_config", "llama3_8b_pretrain_2gpu_h100_bf16_config",
     "meta-llama/Meta-Llama-3-8B",
     CP(2) SEQ(8192) FUSED(true) GBS(512) MBS(1)},
    {"llama3_8b_16k_pretrain_config", "llama3_8b_pretrain_16gpu_h100_bf16_16k_config",
     "meta-llama/Meta-Llama-3-8B",
     TP(4) PP(2) CP(2) SP(true) SEQ(16384) FUSED(true) GBS(512) MBS(1)},
    {"llama3_8b_64k_pretrain_config", "llama3_8b_pretrain_32gpu_h100_bf16_64k_config",
     "meta-llama/Meta-Llama-3-8B",
     TP(4) PP(2) CP(4) SP(true) SEQ(65536) FUSED(true) GBS(512) MBS(1)},
    {"llama3_8b_128k_pretrain_config", "llama3_8b_pretrain_64gpu_h100_bf16_128k_config",
     "meta-llama/Meta-Llama-3-8B",
     TP(4) PP(2) CP(8) SP(true) SEQ(131072) FUSED(true) GBS(512) MBS(1)},
    {"llama3_70b_pretrain_config", "llama3_70b_pretrain_32gpu_h100_bf16_config",
     "meta-llama/Meta-Llama-3-70B",
     TP(4) PP(4) VP(5) CP(2) SP(true) SEQ(8192) FUSED(true) GBS(512) MBS(1)},
    {"llama3_70b_16k_pretrain_config", "llama3_70b_pretrain_32gpu_h100_bf16_16k_config",
     "meta-llama/Meta-Llama-3-70B",
     TP(8) PP(2) CP(2) SP(true) SEQ(16384) FUSED(true) GBS(512) MBS(1)},
    {"llama3_70b_64k_pretrain_config", "llama3_70b_pretrain_256gpu_h100_bf16_64k_config",
     "meta-llama/Meta-Llama-3-70B",
     TP(8) PP(4) CP(8) SP(true) SEQ(65536) FUSED(true) GBS(512) MBS(1)},
    {"llama31_8b_pretrain_config", "llama31_8b_pretrain_2gpu_h100_bf16_config",
     "meta-llama/Meta-Llama-3.1-8B",
     CP(2) SEQ(8192) FUSED(true) GBS(512) MBS(1)},
    {"llama31_70b_pretrain_config", "llama31_70b_pretrain_32gpu_h100_bf16_config",
     "meta-llama/Meta-Llama-3.1-70B",
     TP(4) PP(4) VP(5) CP(2) SP(true) SEQ(131072) FUSED(true) GBS(512) MBS(1)},
    {"llama31_405b_pretrain_config", "llama31_405b_pretrain_256gpu_h100_bf16_config",
     "meta-llama/Meta-Llama-3.1-405B",
     TP(8) PP(8) VP(2) CP(4) SP(true) SEQ(131072) FUSED(true) GBS(512) MBS(1)},
    {"qwen2_500m_pretrain_config", "qwen2_500m_pretrain_1gpu_h100_bf16_config",
     "Qwen/Qwen2-0.5B",
     SEQ(4096) FUSED(true)},
    {"qwen2_1p5b_pretrain_config", "qwen2_1p5b_pretrain_1gpu_h100_bf16_config",
     "Qwen/Qwen2-1.5B",
     SEQ(4096) FUSED(true)},
    {"qwen2_7b_pretrain_config", "qwen2_7b_pretrain_2gpu_h100_bf16_config",
     "Qwen/Qwen2-7B",
     TP(2) SEQ(4096) FUSED(true)},
    {"qwen2_72b_pretrain_config", "qwen2_72b_pretrain_32gpu_h100_bf16_config",
     "Qwen/Qwen2-72B",
     TP(8) PP(4) SEQ(4096) FUSED(true)},
    {"qwen25_500m_pretrain_config", "qwen25_500m_pretrain_1gpu_h100_bf16_config",
     "Qwen/Qwen2.5-0.5B",
     SEQ(4096) FUSED(true)},
    {"qwen25_1p5b_pretrain_config", "qwen25_1p5b_pretrain_1gpu_h100_bf16_config",
     "Qwen/Qwen2.5-1.5B",
     SEQ(4096) FUSED(true)},
    {"qwen25_7b_pretrain_config", "qwen25_7b_pretrain_2gpu_h100_bf16_config",
     "Qwen/Qwen2.5-7B",
     TP(2) SEQ(4096) FUSED(true)},
    {"qwen25_14b_pretrain_config", "qwen25_14b_pretrain_4gpu_h100_bf16_config",
     "Qwen/Qwen2.5-14B",
     TP(4) SEQ(4096) FUSED(true)},
    {"qwen25_32b_pretrain_config", "qwen25_32b_pretrain_16gpu_h100_bf16_config",
     "Qwen/Qwen2.5-32B",
     TP(8) PP(2) SEQ(4096) FUSED(true)},
    {"qwen25_72b_pretrain_config", "qwen25_72b_pretrain_32gpu_h100_bf16_config",
     "Qwen/Qwen2.5-72B",
     TP(8) PP(4) SEQ(4096) FUSED(true)},
    {"qwen3_600m_pretrain_config", "qwen3_600m_pretrain_1gpu_h100_bf16_config",
     "Qwen/Qwen3-0.6B",
     SEQ(4096) FUSED(true)},
    {"qwen3_1p7b_pretrain_config", "qwen3_1p7b_pretrain_1gpu_h100_bf16_config",
     "Qwen/Qwen3-1.7B",
     SEQ(4096) FUSED(true)},
    {"qwen3_4b_pretrain_config", "qwen3_4b_pretrain_2gpu_h100_bf16_config",
     "Qwen/Qwen3-4B",
     TP(2) SEQ(4096) FUSED(true)},
    {"qwen3_14b_pretrain_config", "qwen3_14b_pretrain_8gpu_h100_bf16_config",
     "Qwen/Qwen3-14B",
     TP(8) SEQ(4096) FUSED(true)},
    {"qwen3_32b_pretrain_config", "qwen3_32b_pretrain_16gpu_h100_bf16_config",
     "Qwen/Qwen3-32B",
     TP(8) PP(2) SEQ(4096) AGAIN(full) METHOD(uniform) FUSED(true)},
    {"qwen3_235b_a22b_pretrain_config", "qwen3_235b_a22b_pretrain_256gpu_h100_bf16_config",
     "Qwen/Qwen3-235B-A22B",
     TP(4) PP(16) CP(2) EP(8) ETP(1) SP(true) SEQ(4096) FUSED(true) MBS(1)},
};
// clang-format on

const struct bridge_recipe *bridge_recipe_find(const char *name)
{
    for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++)
        if (strcmp(recipes[k].name, name) == 0 || strcmp(recipes[k].function, name) == 0)
            return &recipes[k];
    return NULL;
}
