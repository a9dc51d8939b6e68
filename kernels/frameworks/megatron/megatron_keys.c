// SPDX-License-Identifier: Apache-2.0
// Lists arguments of Megatron-LM and MindSpeed, and their older names.
#include "kernels/frameworks/megatron/megatron_keys.h"

#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

const struct megatron_argument megatron_arguments[N_MEGATRON_KEYS] = {
    [MG_LAYERS] = {"num-layers", MG_NUMBER, 1},
    [MG_HIDDEN] = {"hidden-size", MG_NUMBER, 1},
    [MG_HEADS] = {"num-attention-heads", MG_NUMBER, 1},
    [MG_GROUPED] = {"group-query-attention", MG_FLAG, 0},
    [MG_GROUPS] = {"num-query-groups", MG_NUMBER, 1},
    [MG_HEAD_DIM] = {"kv-channels", MG_NUMBER, 1},
    [MG_FFN] = {"ffn-hidden-size", MG_NUMBER, 1},
    [MG_GATED] = {"swiglu", MG_FLAG, 0},
    [MG_ACTIVATION] = {"activation-func", MG_TEXT, 0},
    [MG_VOCAB] = {"vocab-size", MG_NUMBER, 1},
    [MG_PADDED_VOCAB] = {"padded-vocab-size", MG_NUMBER, 1},
    [MG_DIVISIBLE] = {"make-vocab-size-divisible-by", MG_NUMBER, 1},
    [MG_TOKENIZER] = {"tokenizer-type", MG_HINT, 0},
    [MG_TOKENIZER_MODEL] = {"tokenizer-model", MG_HINT, 0},
    [MG_MODEL_TYPE] = {"model-type-hf", MG_HINT, 0},
    [MG_MERGES] = {"merge-file", MG_HINT, 0},
    [MG_SEQ_LENGTH] = {"seq-length", MG_NUMBER, 1},
    [MG_MAX_POSITIONS] = {"max-position-embeddings", MG_NUMBER, 1},
    [MG_POSITION_TYPE] = {"position-embedding-type", MG_TEXT, 0},
    [MG_ROTARY] = {"use-rotary-position-embeddings", MG_FLAG, 0},
    [MG_NO_POSITIONS] = {"no-position-embedding", MG_FLAG, 0},
    [MG_UNTIED] = {"untie-embeddings-and-output-weights", MG_FLAG, 0},
    [MG_QKV_BIAS] = {"add-qkv-bias", MG_FLAG, 0},
    [MG_OUTPUT_BIAS] = {"add-dense-bias", MG_FLAG, 0},
    [MG_NO_BIAS] = {"disable-bias-linear", MG_FLAG, 0},
    [MG_BIAS] = {"add-bias-linear", MG_FLAG, 0},
    [MG_NORM] = {"normalization", MG_TEXT, 0},
    [MG_QK_NORM] = {"qk-layernorm", MG_FLAG, 0},
    [MG_MLA] = {"multi-latent-attention", MG_FLAG, 0},
    [MG_Q_RANK] = {"q-lora-rank", MG_NUMBER, 0},
    [MG_KV_RANK] = {"kv-lora-rank", MG_NUMBER, 1},
    [MG_QK_DIM] = {"qk-head-dim", MG_NUMBER, 0},
    [MG_QK_ROPE] = {"qk-pos-emb-head-dim", MG_NUMBER, 0},
    [MG_V_DIM] = {"v-head-dim", MG_NUMBER, 1},
    [MG_EXPERTS] = {"num-experts", MG_NUMBER, 0},
    [MG_TOPK] = {"moe-router-topk", MG_NUMBER, 1},
    [MG_MOE_FFN] = {"moe-ffn-hidden-size", MG_NUMBER, 1},
    [MG_SHARED] = {"moe-shared-expert-intermediate-size", MG_NUMBER, 0},
    [MG_LATENT] = {"moe-latent-size", MG_NUMBER, 0},
    [MG_N_SHARED] = {"n-shared-experts", MG_NUMBER, 0},
    [MG_FREQUENCY] = {"moe-layer-freq", MG_TEXT, 0},
    [MG_DENSE] = {"first-k-dense-replace", MG_NUMBER, -1},
    [MG_MTP] = {"mtp-num-layers", MG_NUMBER, 0},
    [MG_ROUTER_BIAS] = {"moe-router-enable-expert-bias", MG_FLAG, 0},
    [MG_EXPERT_GROUPS] = {"moe-router-num-groups", MG_NUMBER, 0},
    [MG_ROUTED_GROUPS] = {"moe-router-group-topk", MG_NUMBER, 0},
    [MG_WINDOW] = {"window-size", MG_TEXT, 0},
    [MG_WINDOW_SKIP] = {"window-attn-skip-freq", MG_TEXT, 0},
    [MG_NOOP] = {"noop-layers", MG_TEXT, 0},
    [MG_HYBRID] = {"hybrid-layer-pattern", MG_TEXT, 0},
    [MG_HYBRID_OLD] = {"hybrid-override-pattern", MG_TEXT, 0},
    [MG_HETEROGENEOUS] = {"heterogeneous-layers-config-path", MG_HINT, 0},
    [MG_VARIANT] = {"experimental-attention-variant", MG_TEXT, 0},
    [MG_LINEAR_ATTENTION] = {"linear-attention-freq", MG_TEXT, 0},
    [MG_LINEAR_CONV] = {"linear-conv-kernel-dim", MG_NUMBER, 0},
    [MG_LINEAR_KEY_DIM] = {"linear-key-head-dim", MG_NUMBER, 1},
    [MG_LINEAR_VALUE_DIM] = {"linear-value-head-dim", MG_NUMBER, 1},
    [MG_LINEAR_KEY_HEADS] = {"linear-num-key-heads", MG_NUMBER, 1},
    [MG_LINEAR_VALUE_HEADS] = {"linear-num-value-heads", MG_NUMBER, 1},
    [MG_MAMBA_HEADS] = {"mamba-num-heads", MG_NUMBER, 1},
    [MG_MAMBA_HEAD_DIM] = {"mamba-head-dim", MG_NUMBER, 1},
    [MG_MAMBA_GROUPS] = {"mamba-num-groups", MG_NUMBER, 1},
    [MG_MAMBA_STATE] = {"mamba-state-dim", MG_NUMBER, 1},
    [MG_INDEX_HEADS] = {"dsa-indexer-n-heads", MG_NUMBER, 1},
    [MG_INDEX_DIM] = {"dsa-indexer-head-dim", MG_NUMBER, 1},
    [MG_INDEX_TOPK] = {"dsa-indexer-topk", MG_NUMBER, 1},
    [MG_ATTENTION_GATE] = {"attention-output-gate", MG_FLAG, 0},
    [MG_SHARED_GATE] = {"moe-shared-expert-gate", MG_FLAG, 0},
    [MG_NODES] = {"nnodes", MG_NUMBER, 1},
    [MG_PER_NODE] = {"nproc-per-node", MG_NUMBER, 1},
    [MG_WORKERS] = {"worker-num", MG_NUMBER, 1},
    [MG_LOCAL_WORKERS] = {"local-worker-num", MG_NUMBER, 1},
    [MG_TP] = {"tensor-model-parallel-size", MG_NUMBER, 1},
    [MG_PP] = {"pipeline-model-parallel-size", MG_NUMBER, 1},
    [MG_CP] = {"context-parallel-size", MG_NUMBER, 1},
    [MG_EP] = {"expert-model-parallel-size", MG_NUMBER, 1},
    [MG_ETP] = {"expert-tensor-parallel-size", MG_NUMBER, 1},
    [MG_EXPERTS_WHOLE] = {"moe-tp-extend-ep", MG_FLAG, 0},
    [MG_CHUNK_LAYERS] = {"num-layers-per-virtual-pipeline-stage", MG_NUMBER, 1},
    [MG_CHUNKS] = {"num-virtual-stages-per-pipeline-rank", MG_NUMBER, 1},
    [MG_GROUP_SIZE] = {"microbatch-group-size-per-virtual-pipeline-stage", MG_NUMBER, 1},
    [MG_LAYER_LIST] = {"num-layer-list", MG_TEXT, 0},
    [MG_LAYOUT] = {"pipeline-model-parallel-layout", MG_TEXT, 0},
    [MG_FIRST_LAYERS] = {"decoder-first-pipeline-num-layers", MG_NUMBER, 0},
    [MG_LAST_LAYERS] = {"decoder-last-pipeline-num-layers", MG_NUMBER, 0},
    [MG_COUNT_EMBEDDING] = {"account-for-embedding-in-pipeline-split", MG_FLAG, 0},
    [MG_COUNT_LOSS] = {"account-for-loss-in-pipeline-split", MG_FLAG, 0},
    [MG_SCHEDULE] = {"schedules-method", MG_TEXT, 0},
    [MG_SP] = {"sequence-parallel", MG_FLAG, 0},
    [MG_SHARDED] = {"use-distributed-optimizer", MG_FLAG, 0},
    [MG_INSTANCES] = {"num-distributed-optimizer-instances", MG_NUMBER, 1},
    [MG_SHARDING] = {"data-parallel-sharding-strategy", MG_TEXT, 0},
    [MG_FSDP] = {"use-megatron-fsdp", MG_FLAG, 0},
    [MG_FSDP2] = {"use-torch-fsdp2", MG_FLAG, 0},
    [MG_MBS] = {"micro-batch-size", MG_NUMBER, 1},
    [MG_GBS] = {"global-batch-size", MG_NUMBER, 1},
    [MG_GRANULARITY] = {"recompute-granularity", MG_TEXT, 0},
    [MG_METHOD] = {"recompute-method", MG_TEXT, 0},
    [MG_RECOMPUTE_LAYERS] = {"recompute-num-layers", MG_NUMBER, 0},
    [MG_RECOMPUTE_ACTIVATIONS] = {"recompute-activations", MG_FLAG, 0},
    [MG_RECOMPUTE_MODULES] = {"recompute-modules", MG_LIST, 0},
    [MG_RECOMPUTE_PER_RANK] = {"enable-recompute-layers-per-pp-rank", MG_FLAG, 0},
    [MG_RECOMPUTE_FUNCTION] = {"recompute-activation-function", MG_FLAG, 0},
    [MG_RECOMPUTE_FUNCTION_LAYERS] = {"recompute-activation-function-num-layers", MG_NUMBER, 0},
    [MG_RECOMPUTE_NORM_LAYERS] = {"recompute-norm-num-layers", MG_NUMBER, 0},
    [MG_RECOMPUTE_ADVANCE] = {"recompute-in-advance", MG_FLAG, 0},
    [MG_SWAP_ATTENTION] = {"swap-attention", MG_FLAG, 0},
    [MG_RECOMPUTE_EXPERTS] = {"moe-layer-recompute", MG_FLAG, 0},
    [MG_RECOMPUTE_NORM] = {"recompute-norm", MG_FLAG, 0},
    [MG_RECOMPUTE_UP_PROJ] = {"recompute-mla-up-proj", MG_FLAG, 0},
    [MG_LORA_RANK] = {"lora-r", MG_NUMBER, 1},
    [MG_LORA_MODULES] = {"lora-target-modules", MG_LIST, 0},
    [MG_FUSED_CE] = {"cross-entropy-loss-fusion", MG_FLAG, 0},
    [MG_OFFLOAD_OPTIMIZER] = {"optimizer-cpu-offload", MG_FLAG, 0},
    [MG_OFFLOAD_FRACTION] = {"optimizer-offload-fraction", MG_TEXT, 0},
    [MG_OFFLOAD_LAYERS] = {"cpu-offloading-num-layers", MG_NUMBER, 0},
    [MG_FLASH] = {"use-flash-attn", MG_FLAG, 0},
    [MG_BACKEND] = {"attention-backend", MG_TEXT, 0},
    [MG_IMPLEMENTATION] = {"transformer-impl", MG_TEXT, 0},
    [MG_BF16] = {"bf16", MG_FLAG, 0},
    [MG_FP16] = {"fp16", MG_FLAG, 0},
    [MG_BF16_REDUCE] = {"grad-reduce-in-bf16", MG_FLAG, 0},
    [MG_FP32_GRADIENTS] = {"accumulate-allreduce-grads-in-fp32", MG_FLAG, 0},
    [MG_FP8] = {"fp8-format", MG_TEXT, 0},
    [MG_FP8_RECIPE] = {"fp8-recipe", MG_TEXT, 0},
    [MG_FP8_PARAMETERS] = {"fp8-param-gather", MG_FLAG, 0},
    [MG_FP4] = {"fp4-format", MG_TEXT, 0},
    [MG_OPTIMIZER] = {"optimizer", MG_TEXT, 0},
    [MG_PRECISION_AWARE] = {"use-precision-aware-optimizer", MG_FLAG, 0},
    [MG_MAIN_GRADIENTS] = {"main-grads-dtype", MG_TEXT, 0},
    [MG_MAIN_PARAMETERS] = {"main-params-dtype", MG_TEXT, 0},
    [MG_FIRST_MOMENT] = {"exp-avg-dtype", MG_TEXT, 0},
    [MG_SECOND_MOMENT] = {"exp-avg-sq-dtype", MG_TEXT, 0},
    [MG_HIDDEN_DROPOUT] = {"hidden-dropout", MG_TEXT, 0},
    [MG_OVERLAP_GRADIENTS] = {"overlap-grad-reduce", MG_FLAG, 0},
    [MG_OVERLAP_PARAMETERS] = {"overlap-param-gather", MG_FLAG, 0},
    [MG_OVERLAP_TP] = {"tp-comm-overlap", MG_FLAG, 0},
    [MG_OVERLAP_SHARED] = {"moe-shared-expert-overlap", MG_FLAG, 0},
    [MG_OVERLAP_EP] = {"overlap-moe-expert-parallel-comm", MG_FLAG, 0},
    [MG_NO_OVERLAP_PP] = {"no-overlap-p2p-communication", MG_FLAG, 0},
    [MG_DELAY_WEIGHTS] = {"delay-wgrad-compute", MG_FLAG, 0},
    [MG_DISPATCHER] = {"moe-token-dispatcher-type", MG_TEXT, 0},
    [MG_FLEX_BACKEND] = {"moe-flex-dispatcher-backend", MG_TEXT, 0},
    [MG_DEEPEP] = {"moe-enable-deepep", MG_FLAG, 0},
    [MG_GROUPED_GEMM] = {"moe-grouped-gemm", MG_FLAG, 0},
    [MG_GRAPHS] = {"cuda-graph-impl", MG_TEXT, 0},
    [MG_GRAPHS_OLD] = {"enable-cuda-graph", MG_FLAG, 0},
    [MG_PROFILE] = {"profile", MG_FLAG, 0},
    [MG_PROFILE_FROM] = {"profile-step-start", MG_HINT, 0},
    [MG_PROFILE_TO] = {"profile-step-end", MG_HINT, 0},
    [MG_PROFILE_RANKS] = {"profile-ranks", MG_LIST, 0},
    [MG_EXIT_INTERVAL] = {"exit-interval", MG_HINT, 0},
    [MG_LOG_INTERVAL] = {"log-interval", MG_HINT, 0},
    [MG_SAVE] = {"save", MG_HINT, 0},
    [MG_SAVE_INTERVAL] = {"save-interval", MG_HINT, 0},
};

// Older names, names of MindSpeed, and names that Megatron Core uses in YAML.
static const struct {
    const char *name;
    enum megatron_key key;
} aliases[] = {
    {"nodes", MG_NODES}, // srun
    {"ntasks-per-node", MG_PER_NODE},
    {"gpus-per-node", MG_PER_NODE},
    {"encoder-num-layers", MG_LAYERS},
    {"geglu", MG_GATED},
    {"quick-geglu", MG_GATED},
    {"gelu-tanh", MG_GATED}, // of MindSpeed-LLM, which makes the network gated with it
    {"gated-linear-unit", MG_GATED},
    {"tokenizer-name-or-path", MG_TOKENIZER_MODEL},
    {"prompt-type", MG_MODEL_TYPE},
    {"model-parallel-size", MG_TP},
    {"batch-size", MG_MBS},
    {"pad-vocab-size-to", MG_PADDED_VOCAB},
    {"encoder-seq-length", MG_SEQ_LENGTH},
    {"qk-nope-head-dim", MG_QK_DIM},
    {"qk-rope-head-dim", MG_QK_ROPE},
    {"num-moe-experts", MG_EXPERTS},
    {"moe-intermediate-size", MG_MOE_FFN},
    {"num-nextn-predict-layers", MG_MTP},
    {"n-group", MG_EXPERT_GROUPS},
    {"topk-group", MG_ROUTED_GROUPS},
    {"sliding-window", MG_WINDOW},
    {"fp8", MG_FP8},
    {"fp8-param", MG_FP8_PARAMETERS},
    {"fp4", MG_FP4},
    {"use-ascend-mc2", MG_OVERLAP_TP},
    {"use-ascend-coc", MG_OVERLAP_TP},
    {"use-mc2", MG_OVERLAP_TP},
    {"moe-fb-overlap", MG_OVERLAP_EP},
    {"dualpipev-dw-detach", MG_DELAY_WEIGHTS},
    {"linear-attention-type", MG_VARIANT},
    {"virtual-pipeline-model-parallel-size", MG_CHUNKS},
    {"num-layers-in-first-pipeline-stage", MG_FIRST_LAYERS},
    {"num-layers-in-last-pipeline-stage", MG_LAST_LAYERS},
    {"use-custom-fsdp", MG_FSDP},
};

static const char *find(const char *name, enum megatron_key *key)
{
    for (int i = 0; i < N_MEGATRON_KEYS; i++)
        if (strcmp(megatron_arguments[i].name, name) == 0) {
            *key = (enum megatron_key)i;
            return megatron_arguments[i].name;
        }
    for (size_t i = 0; i < COUNT_OF(aliases); i++)
        if (strcmp(aliases[i].name, name) == 0) {
            *key = aliases[i].key;
            return aliases[i].name;
        }
    *key = N_MEGATRON_KEYS;
    return NULL;
}

void megatron_plain_name(const char *key, char name[64])
{
    size_t n = 0;
    key += strspn(key, "-");
    for (; key[n] != '\0' && n < 63; n++)
        name[n] = key[n] == '_' ? '-' : key[n];
    name[n] = '\0';
}

enum megatron_key megatron_key_of(const char *name)
{
    enum megatron_key key;
    find(name, &key);
    return key;
}

const char *megatron_name_of(const char *name)
{
    enum megatron_key key;
    return find(name, &key);
}

enum shell_kind megatron_kind_of(const char *name)
{
    const enum megatron_key key = megatron_key_of(name);
    if (key == N_MEGATRON_KEYS)
        return SHELL_OTHER;
    switch (megatron_arguments[key].kind) {
    case MG_FLAG:
        return SHELL_FLAG;
    case MG_LIST:
        return SHELL_MANY;
    case MG_NUMBER:
    case MG_TEXT:
    case MG_HINT:
    default:
        return SHELL_ONE;
    }
}
