// SPDX-License-Identifier: Apache-2.0
// The arguments of Megatron-LM and MindSpeed that describe the shape, the strategy or the devices,
// under their real names. planner/nd/launch/launch.h names the sources.
#pragma once

#include "kernels/frameworks/shell/shell_arguments.h"

enum megatron_key {
    // shape
    MG_LAYERS,
    MG_HIDDEN,
    MG_HEADS,
    MG_GROUPED,
    MG_GROUPS,
    MG_HEAD_DIM,
    MG_FFN,
    MG_GATED,
    MG_ACTIVATION, // YAML
    MG_VOCAB,
    MG_PADDED_VOCAB,
    MG_DIVISIBLE,
    MG_TOKENIZER,
    MG_TOKENIZER_MODEL,
    MG_MODEL_TYPE,
    MG_MERGES,
    MG_SEQ_LENGTH,
    MG_MAX_POSITIONS,
    MG_POSITION_TYPE,
    MG_ROTARY,
    MG_NO_POSITIONS,
    MG_UNTIED,
    MG_QKV_BIAS,
    MG_OUTPUT_BIAS,
    MG_NO_BIAS,
    MG_BIAS, // YAML: false is MG_NO_BIAS
    MG_NORM,
    MG_QK_NORM,
    MG_MLA,
    MG_Q_RANK,
    MG_KV_RANK,
    MG_QK_DIM,
    MG_QK_ROPE,
    MG_V_DIM,
    MG_EXPERTS,
    MG_TOPK,
    MG_MOE_FFN,
    MG_SHARED,
    MG_LATENT,
    MG_N_SHARED,
    MG_FREQUENCY,
    MG_DENSE,
    MG_MTP,
    MG_ROUTER_BIAS,
    MG_EXPERT_GROUPS,
    MG_ROUTED_GROUPS,
    MG_WINDOW,
    MG_WINDOW_SKIP,
    MG_NOOP,
    // layers of other kinds
    MG_HYBRID,
    MG_HYBRID_OLD,
    MG_HETEROGENEOUS, // not known to the estimate
    MG_VARIANT,
    MG_LINEAR_ATTENTION,
    MG_LINEAR_CONV,
    MG_LINEAR_KEY_DIM,
    MG_LINEAR_VALUE_DIM,
    MG_LINEAR_KEY_HEADS,
    MG_LINEAR_VALUE_HEADS,
    MG_MAMBA_HEADS,
    MG_MAMBA_HEAD_DIM,
    MG_MAMBA_GROUPS,
    MG_MAMBA_STATE,
    MG_INDEX_HEADS,
    MG_INDEX_DIM,
    MG_INDEX_TOPK,
    MG_ATTENTION_GATE,
    MG_SHARED_GATE,
    // devices
    MG_NODES,
    MG_PER_NODE,
    MG_WORKERS,
    MG_LOCAL_WORKERS,
    // strategy
    MG_TP,
    MG_PP,
    MG_CP,
    MG_EP,
    MG_ETP,
    MG_EXPERTS_WHOLE,
    MG_CHUNK_LAYERS,
    MG_CHUNKS,
    MG_GROUP_SIZE,
    MG_LAYER_LIST,
    MG_LAYOUT,
    MG_FIRST_LAYERS,
    MG_LAST_LAYERS,
    MG_COUNT_EMBEDDING,
    MG_COUNT_LOSS,
    MG_SCHEDULE,
    MG_SP,
    MG_SHARDED,
    MG_INSTANCES,
    MG_SHARDING,
    MG_FSDP,
    MG_FSDP2,
    MG_MBS,
    MG_GBS,
    MG_GRANULARITY,
    MG_METHOD,
    MG_RECOMPUTE_LAYERS,
    MG_RECOMPUTE_ACTIVATIONS,
    MG_RECOMPUTE_MODULES,
    MG_RECOMPUTE_PER_RANK,
    MG_RECOMPUTE_FUNCTION,
    MG_RECOMPUTE_FUNCTION_LAYERS,
    MG_RECOMPUTE_NORM_LAYERS,
    MG_RECOMPUTE_ADVANCE,
    MG_SWAP_ATTENTION,
    MG_RECOMPUTE_EXPERTS,
    MG_RECOMPUTE_NORM,
    MG_RECOMPUTE_UP_PROJ,
    MG_LORA_RANK,
    MG_LORA_MODULES,
    MG_FUSED_CE,
    MG_OFFLOAD_OPTIMIZER,
    MG_OFFLOAD_FRACTION,
    MG_OFFLOAD_LAYERS, // of a stage, what they store
    MG_FLASH,
    MG_BACKEND,
    MG_IMPLEMENTATION,
    MG_BF16,
    MG_FP16,
    MG_BF16_REDUCE,
    MG_FP32_GRADIENTS,
    MG_FP8,
    MG_FP8_RECIPE,
    MG_FP8_PARAMETERS,
    MG_FP4,
    MG_OPTIMIZER,
    MG_PRECISION_AWARE,
    MG_MAIN_GRADIENTS,
    MG_MAIN_PARAMETERS,
    MG_FIRST_MOMENT,
    MG_SECOND_MOMENT,
    MG_HIDDEN_DROPOUT,
    // overlap and dispatch
    MG_OVERLAP_GRADIENTS,
    MG_OVERLAP_PARAMETERS,
    MG_OVERLAP_TP,
    MG_OVERLAP_SHARED,
    MG_OVERLAP_EP,
    MG_NO_OVERLAP_PP,
    MG_DELAY_WEIGHTS,
    MG_DISPATCHER,
    MG_FLEX_BACKEND,
    MG_DEEPEP,
    MG_GROUPED_GEMM,
    MG_GRAPHS,
    MG_GRAPHS_OLD,
    // profiling
    MG_PROFILE,
    MG_PROFILE_FROM,
    MG_PROFILE_TO,
    MG_PROFILE_RANKS,
    // of a dry run
    MG_EXIT_INTERVAL,
    MG_LOG_INTERVAL,
    MG_SAVE,
    MG_SAVE_INTERVAL,
    N_MEGATRON_KEYS
};

enum megatron_kind {
    MG_FLAG,
    MG_NUMBER,
    MG_TEXT, // one word
    MG_LIST, // several words
    MG_HINT, // one word that may be unresolved
};

struct megatron_argument {
    const char *name; // without --
    enum megatron_kind kind;
    int64_t least; // of a number
};

extern const struct megatron_argument megatron_arguments[N_MEGATRON_KEYS];

// Copies a key without -- and with - for _.
void megatron_plain_name(const char *key, char name[64]);

// Returns the key of a name or an alias, without --, with - for _; N_MEGATRON_KEYS: none.
enum megatron_key megatron_key_of(const char *name);

// Returns the name or alias as a text that stays; NULL: none.
const char *megatron_name_of(const char *name);

// For commands: how many values an argument takes.
enum shell_kind megatron_kind_of(const char *name);
