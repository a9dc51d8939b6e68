// SPDX-License-Identifier: Apache-2.0
// Tells what arguments mean that the reader does not evaluate. The names are those of the argument
// parsers of Megatron-LM (megatron/training/arguments.py and the records in megatron/core from which it
// makes arguments, at d98e8a64), MindSpeed (028de58c) and MindSpeed-LLM (c77308a1).
#include "kernels/frameworks/megatron/megatron_private.h"

#include "base/text/characters.h"

#include <string.h>
#include <strings.h>

// Arguments of data, learning rates, logs, checkpoints and profiles. A name that ends with * stands for
// all that begin so.
static const char no_effect[] =
    // data and tokenizers
    "allow-ambiguous-pad-tokens append-eod create-attention-mask* data-* dataloader-* "
    "dataset-* decoder-seq-length eod-mask-loss fim-* full-shuffle-* handler-name "
    "hf-datasets-* input is-instruction-dataset mask-prob max-eval-samples "
    "mid-level-dataset-surplus mmap-bin-files mock-data "
    "no-create-attention-mask-in-dataloader no-mmap-bin-files no-shared-storage no-shuffle "
    "num-dataset-builder-threads num-workers object-storage-cache-path overwrite-cache "
    "pad-vocab-size per-dataset-sequences-path per-split-data-args-path "
    "phase-transition-iterations reset-position-ids sample-rate short-seq-prob "
    "special-tokens* split test-data-path tiktoken-* tokenizer-* train-data-path "
    "trust-remote-code use-gigatoken valid-* vocab-extra-ids vocab-file workers "
    "enable-hf2mg-convert enable-mg2hf-convert "
    // learning
    "grpo-* langrl-* rl-* adam-* adaptive-muon-* apply-wd-to-qk-layernorm "
    "calculate-per-token-loss clip-grad decoupled-* end-weight-decay eval-* full-validation "
    "lion-* lr lr-* min-lr mtp-loss-scaling-factor multiple-validation-sets muon-momentum "
    "no-weight-decay-cond-type override-opt* seed sgd-momentum start-eval-at-iter "
    "start-weight-decay train-iters train-samples use-checkpoint-opt-param-scheduler warmup "
    "weight-decay* "
    // logs and checkpoints
    "adlr-* app-tag-* async-* auto-detect-ckpt-format ckpt-* config-logger-dir dist-ckpt-* "
    "dump-param-to-param-group-map enable-one-logger exit-* finetune iterations-to-skip load "
    "load-* log-* logging-level moe-per-layer-logging moe-routing-trace-* no-load-* no-log-* "
    "no-one-logger no-save-* non-persistent-* one-logger-* otel-* override-ckpt-iteration "
    "pretrained-checkpoint print-expert-load result-rejected-tracker-filename save-* "
    "skip-train tensorboard-* timing-log-* train-sync-interval use-dist-ckpt "
    "use-persistent-ckpt-worker use-wandb wandb-* "
    // profiles, faults and supervision
    "calc-ft-timeouts check-* disable-straggler-on-startup enable-ft-package "
    "enable-high-availability enable-msc disable-msc error-injection-* flight-recorder-* ft-* "
    "gpu-sniff-test-interval inprocess-* memory-snapshot-path no-check-* npu-datadump "
    "nvtx-ranges profile-* pytorch-profiler-* record-* rerun-mode "
    "run-workload-inspector-server straggler-* ttp-* no-barrier-with-level-1-timing "
    "use-pytorch-profiler "
    // start and process groups
    "ai-framework disable-gloo* distributed-backend distributed-timeout-* hccl-* "
    "high-priority-stream-groups jit-compile lazy-mpu-init local-rank manual-gc* "
    "no-use-tokenizer* tp-comm-bootstrap-backend use-cpu-initialization "
    "use-gloo-process-groups use-legacy-static-engine use-mcore-models enable-gloo* "
    "use-tp-pp-dp-mapping no-initialization init-model-with-meta-device ";

// Arguments of initial values, of the numerics of operations that cost the same, and of fused operations
// that the figures of the devices contain.
static const char same_cost[] =
    // initial values and numerics
    "attention-dropout attention-softmax-in-fp32 apply-layernorm-1p "
    "apply-query-key-layer-scaling data-parallel-random-init embedding-init-* "
    "embedding-multiplier-scale hysteresis inference-rng-tracker init-method* "
    "initial-loss-scale input-embeds-norm input-jitter layernorm-* loss-scale* min-loss-scale "
    "mscale* mup-* no-rope-freq norm-epsilon openai-gelu original-max-position-embeddings "
    "rope-* rotary-* softmax-scale swiglu-limit te-rng-tracker use-mup use-rope-scaling "
    "use-rotary-position-embeddings yarn-* beta-fast beta-slow squared-relu no-yarn-* "
    "query-pre-attn-scalar routed-scaling-factor norm-topk-prob seq-aux "
    "attn-logit-softcapping output-logit-softcapping output-multiplier-scale scale-depth "
    "scale-emb activation-func-clamp-value add-output-layer-bias add-rmsnorm-offset "
    "glu-linear-offset high-freq-factor long-factor longrope-freqs-type low-freq-factor "
    "short-factor use-glm-rope "
    // routing of tokens that costs the same
    "fix-router moe-aux-loss-coeff moe-comm-aux-loss-coeff moe-device-level-aux-loss-coeff "
    "moe-input-jitter-eps moe-revert-type-after-topk moe-router-bias-update-rate "
    "moe-router-dtype moe-router-force-load-balancing moe-router-fusion "
    "moe-router-load-balancing-type moe-router-pre-softmax moe-router-score-function "
    "moe-router-topk-scaling-factor moe-z-loss-coeff topk-softmax-in-fp32 "
    "router-gating-in-fp32 "
    // fused operations and buffers that the figures of the devices contain
    "bias-activation-fusion bias-dropout-fusion bias-gelu-fusion bias-swiglu-fusion "
    "apply-rope-fusion cross-entropy-fusion-impl gemm-gradient-accumulation-fusion "
    "gradient-accumulation-fusion masked-softmax-fusion moe-permute-fusion "
    "no-masked-softmax-fusion no-bias-dropout-fusion overlap-p2p-comm* persist-layer-norm "
    "use-fused-moe-token-permute-and-unpermute use-fused-ring-attention-update "
    "use-fused-rmsnorm use-fused-rotary-pos-emb use-fused-swiglu use-fusion-attn-v2 "
    "moe-flex-dispatcher-num-sms moe-deepep-num-sms moe-hybridep-num-sms mla-down-proj-fusion "
    "ddp-average-in-collective high-priority-a2a-comm-stream align-grad-reduce "
    "align-param-gather attention-mask-type pre-tockens next-tockens sparse-mode shape-order "
    // adapters: their factor and their checkpoint
    "lora-alpha lora-load "
    // what records of Megatron Bridge write of data, start, inference, and of parts that they do not use
    "add-extra-token-to-sequence average-in-collective barrier-with-L1-time batch-p2p-* "
    "clone-scatter-output-in-embedding cuda-graph-warmup-steps deallocate-pipeline-outputs "
    "drop-last* gradient-reduce-div-fusion hf-model-id inference-* mlp-chunks-for-prefill "
    "parallel-output perform-initialization persistent-workers pin-memory qk-clip-* "
    "random-seed scatter-embedding-sequence-parallel store-param-remainders "
    "use-te-rng-tracker "
    // amounts of 8-bit scales
    "fp8-wgrad fp8-amax-* fp8-interval fp8-margin tp-only-amax-red ";

// Arguments of which some values have no effect.
static const struct {
    const char *name, *values; // words with a space behind each
} no_effect_if[] = {
    {"cp-comm-type", "p2p all_gather allgather "},
    {"context-parallel-algo", "megatron_cp_algo "},
    {"ckpt-format", "torch torch_dist torch_dcp fsdp_dtensor "},
    {"moe-dispatch-fwd-dtype", "bf16 "},
    {"moe-combine-bwd-dtype", "bf16 "},
    {"moe-token-drop-policy", "probs "},
    {"mlp-chunks-for-training", "1 "},
    {"num-layers-at-start-in-bf16", "0 1 "}, // only with first-last-layers-bf16
    {"num-layers-at-end-in-bf16", "0 1 "},
    {"kitchen-attention-backend", "sdpa "},
    {"sequence-parallel-size", "0 1 "},
    {"wgrad-deferral-limit", "0 "},
    {"empty-unused-memory-level", "0 "},
    {"softmax-type", "vanilla "},
    {"moe-zero-memory", "disable "},
    {"optimization-level", "0 "},
    {"outer-dp-sharding-strategy", "no_shard "},
    {"loss-compute-mode", "default "},
};

// Arguments that give a model other layers than those that are described here.
static const char other_shape[] =
    "cla-share-factor decoder-num-layers enable-dsa-indexer enable-mhc enable-mhc-connections "
    "full-attention-interval heterogeneous-layers-config-encoded-json hybrid-attention-ratio "
    "hybrid-mlp-ratio is-hybrid-model kv-compress mtp-hybrid-override-pattern "
    "language-model-type mtp-use-repeated-layer num-zero-experts o-lora-rank patch-dim "
    "vision-model-type vision-pretraining ";

static bool is_in(const char *words, const char *value)
{
    const size_t n = strlen(value);
    for (const char *word = words; *word != '\0'; word = strchr(word, ' ') + 1)
        if (strncasecmp(word, value, n) == 0 && word[n] == ' ')
            return true;
    return false;
}

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum megatron_meaning megatron_meaning_of(const char *name, const char *value)
{
    if (pps_has_word(other_shape, name))
        return MEGATRON_CHANGES_SHAPE;
    for (size_t i = 0; i < COUNT_OF(no_effect_if); i++)
        if (strcmp(no_effect_if[i].name, name) == 0)
            return value != NULL && is_in(no_effect_if[i].values, value)
                       ? MEGATRON_NO_EFFECT
                       : MEGATRON_CHANGES_TIME;
    return framework_fits(no_effect, name) || framework_fits(same_cost, name)
               ? MEGATRON_NO_EFFECT
               : MEGATRON_CHANGES_TIME;
}
