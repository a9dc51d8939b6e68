// SPDX-License-Identifier: Apache-2.0
// Option constraints of two training frameworks, taken from their public argument parsers:
// Megatron-LM with Megatron Core 0.14 to 0.19 (branches core_r0.14.0 to core_r0.19.0,
// megatron/training/arguments.py, megatron/core/transformer/transformer_config.py) and
// torchtitan (tag v0.2.2, torchtitan/config/job_config.py).
#ifndef TEST_LAUNCHFLAGS_H
#define TEST_LAUNCHFLAGS_H

#include <stddef.h>

enum flag_kind {
    FLAG_ON,    // no value
    FLAG_WHOLE, // a whole number >= 1
    FLAG_WORD,  // one of the words
    FLAG_WORDS, // one or more of the words
    FLAG_TEXT,  // checked elsewhere
};

struct flag {
    const char *name;
    enum flag_kind kind;
    const char *words;    // allowed words
    const char *needs;    // "a|b c=x": a or b, and c with the value x
    const char *excludes; // in the same form; none may be set
};

static const struct flag megatron_flags[] = {
    {"tensor-model-parallel-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"sequence-parallel", FLAG_ON, NULL, NULL, "tensor-model-parallel-size=1"},
    {"context-parallel-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"cp-comm-type", FLAG_WORDS, "p2p all_gather a2a a2a+p2p", NULL, "context-parallel-size=1"},
    {"expert-model-parallel-size", FLAG_WHOLE, NULL, "num-experts", NULL},
    {"expert-tensor-parallel-size", FLAG_WHOLE, NULL, "num-experts", NULL},
    {"pipeline-model-parallel-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"pipeline-model-parallel-layout", FLAG_TEXT, NULL, NULL,
     "num-virtual-stages-per-pipeline-rank pipeline-model-parallel-size=1"},
    {"num-virtual-stages-per-pipeline-rank", FLAG_WHOLE, NULL, NULL,
     "pipeline-model-parallel-size=1"},
    {"microbatch-group-size-per-virtual-pipeline-stage", FLAG_WHOLE, NULL,
     "num-virtual-stages-per-pipeline-rank|pipeline-model-parallel-layout", NULL},
    {"micro-batch-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"global-batch-size", FLAG_WHOLE, NULL, "micro-batch-size", NULL},
    {"use-distributed-optimizer", FLAG_ON, NULL, NULL, NULL},
    {"num-distributed-optimizer-instances", FLAG_WHOLE, NULL, "use-distributed-optimizer",
     NULL},
    {"overlap-grad-reduce", FLAG_ON, NULL, NULL, NULL},
    {"overlap-param-gather", FLAG_ON, NULL, "use-distributed-optimizer overlap-grad-reduce",
     NULL},
    {"use-megatron-fsdp", FLAG_ON, NULL,
     "use-distributed-optimizer ckpt-format=fsdp_dtensor data-parallel-sharding-strategy",
     NULL},
    {"data-parallel-sharding-strategy", FLAG_WORD,
     "no_shard optim optim_grads optim_grads_params", "use-megatron-fsdp", NULL},
    {"ckpt-format", FLAG_WORD, "torch torch_dist torch_dcp fsdp_dtensor", "use-megatron-fsdp",
     NULL},
    {"no-gradient-accumulation-fusion", FLAG_ON, NULL, NULL, NULL},
    {"bf16", FLAG_ON, NULL, NULL, NULL},
    {"grad-reduce-in-bf16", FLAG_ON, NULL, "bf16", NULL},
    {"attention-backend", FLAG_WORD, "flash fused unfused auto", NULL, NULL},
    {"cross-entropy-loss-fusion", FLAG_ON, NULL, NULL, NULL},
    {"recompute-granularity", FLAG_WORD, "full selective", "recompute-method|recompute-modules",
     NULL},
    {"recompute-method", FLAG_WORD, "uniform block",
     "recompute-granularity=full recompute-num-layers", NULL},
    {"recompute-num-layers", FLAG_WHOLE, NULL, "recompute-method", NULL},
    {"recompute-modules", FLAG_WORDS,
     "core_attn moe_act layernorm mla_up_proj mlp moe shared_experts",
     "recompute-granularity=selective", NULL},
    {"num-layers", FLAG_WHOLE, NULL, NULL, NULL},
    {"hidden-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"ffn-hidden-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"num-attention-heads", FLAG_WHOLE, NULL, NULL, NULL},
    {"kv-channels", FLAG_WHOLE, NULL, NULL, NULL},
    {"group-query-attention", FLAG_ON, NULL, "num-query-groups", "multi-latent-attention"},
    {"num-query-groups", FLAG_WHOLE, NULL, "group-query-attention", NULL},
    {"qk-layernorm", FLAG_ON, NULL, NULL, NULL},
    {"add-qkv-bias", FLAG_ON, NULL, NULL, "multi-latent-attention"},
    {"multi-latent-attention", FLAG_ON, NULL,
     "kv-lora-rank qk-head-dim qk-pos-emb-head-dim v-head-dim qk-layernorm", NULL},
    {"q-lora-rank", FLAG_WHOLE, NULL, "multi-latent-attention", NULL},
    {"kv-lora-rank", FLAG_WHOLE, NULL, "multi-latent-attention", NULL},
    {"qk-head-dim", FLAG_WHOLE, NULL, "multi-latent-attention", NULL},
    {"qk-pos-emb-head-dim", FLAG_WHOLE, NULL, "multi-latent-attention", NULL},
    {"v-head-dim", FLAG_WHOLE, NULL, "multi-latent-attention", NULL},
    {"num-experts", FLAG_WHOLE, NULL, "moe-ffn-hidden-size moe-router-topk", NULL},
    {"moe-ffn-hidden-size", FLAG_WHOLE, NULL, "num-experts", NULL},
    {"moe-shared-expert-intermediate-size", FLAG_WHOLE, NULL, "num-experts", NULL},
    {"moe-layer-freq", FLAG_TEXT, NULL, "num-experts", NULL},
    {"moe-router-topk", FLAG_WHOLE, NULL, "num-experts", NULL},
    {"moe-router-score-function", FLAG_WORD, "softmax sigmoid", "num-experts", NULL},
    {"moe-router-enable-expert-bias", FLAG_ON, NULL, "moe-router-score-function=sigmoid", NULL},
    {"moe-router-pre-softmax", FLAG_ON, NULL, "moe-router-score-function=softmax", NULL},
    {"moe-router-dtype", FLAG_WORD, "fp32 fp64", "num-experts", NULL},
    {"moe-token-dispatcher-type", FLAG_WORD, "allgather alltoall flex", "num-experts", NULL},
    {"moe-grouped-gemm", FLAG_ON, NULL, "bf16 num-experts", NULL},
    {"no-bias-dropout-fusion", FLAG_ON, NULL, NULL, NULL},
    {"mtp-num-layers", FLAG_WHOLE, NULL, "position-embedding-type=rope", NULL},
    {"seq-length", FLAG_WHOLE, NULL, "max-position-embeddings", NULL},
    {"max-position-embeddings", FLAG_WHOLE, NULL, NULL, NULL},
    {"position-embedding-type", FLAG_WORD, "learned_absolute rope mrope relative none", NULL,
     NULL},
    {"vocab-size", FLAG_WHOLE, NULL, NULL, NULL},
    {"make-vocab-size-divisible-by", FLAG_WHOLE, NULL, "vocab-size", NULL},
    {"normalization", FLAG_WORD, "LayerNorm RMSNorm", NULL, NULL},
    {"swiglu", FLAG_ON, NULL, NULL, NULL},
    {"disable-bias-linear", FLAG_ON, NULL, NULL, NULL},
    {"untie-embeddings-and-output-weights", FLAG_ON, NULL, NULL, NULL},
};

// Keys are "section.name".
static const struct flag torchtitan_flags[] = {
    {"training.local_batch_size", FLAG_WHOLE, NULL, NULL, NULL},
    {"training.global_batch_size", FLAG_WHOLE, NULL, NULL, NULL},
    {"training.seq_len", FLAG_WHOLE, NULL, NULL, NULL},
    {"training.mixed_precision_param", FLAG_WORD, "bfloat16 float32", NULL, NULL},
    {"training.mixed_precision_reduce", FLAG_WORD, "float32", NULL, NULL},
    {"parallelism.data_parallel_replicate_degree", FLAG_WHOLE, NULL, NULL, NULL},
    {"parallelism.data_parallel_shard_degree", FLAG_WHOLE, NULL, NULL, NULL},
    {"parallelism.fsdp_reshard_after_forward", FLAG_WORD, "default always never", NULL, NULL},
    {"parallelism.tensor_parallel_degree", FLAG_WHOLE, NULL, NULL, NULL},
    {"parallelism.context_parallel_degree", FLAG_WHOLE, NULL, NULL, NULL},
    {"parallelism.context_parallel_rotate_method", FLAG_WORD, "allgather alltoall", NULL,
     "parallelism.context_parallel_degree=1"},
    {"parallelism.expert_parallel_degree", FLAG_WHOLE, NULL, NULL, NULL},
    {"parallelism.expert_tensor_parallel_degree", FLAG_WHOLE, NULL,
     "parallelism.expert_parallel_degree", NULL},
    {"parallelism.pipeline_parallel_degree", FLAG_WHOLE, NULL, NULL, NULL},
    {"parallelism.pipeline_parallel_schedule", FLAG_WORD, "1F1B Interleaved1F1B GPipe",
     "parallelism.module_fqns_per_model_part parallelism.pipeline_parallel_microbatch_size",
     "parallelism.pipeline_parallel_degree=1"},
    {"parallelism.pipeline_parallel_microbatch_size", FLAG_WHOLE, NULL,
     "parallelism.pipeline_parallel_schedule", NULL},
    {"parallelism.module_fqns_per_model_part", FLAG_TEXT, NULL,
     "parallelism.pipeline_parallel_schedule", NULL},
    {"activation_checkpoint.mode", FLAG_WORD, "selective full memory_budget none", NULL, NULL},
    {"activation_checkpoint.selective_ac_option", FLAG_WORD, "op",
     "activation_checkpoint.mode=selective", NULL},
};

#endif
