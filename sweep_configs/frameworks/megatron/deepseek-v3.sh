#!/bin/bash
# Pre-training of DeepSeek-V3 (671B) with Megatron-LM on 128 nodes of 8 devices.
#   bash deepseek-v3.sh DATA_PREFIX CHECKPOINTS

set -euo pipefail

export CUDA_DEVICE_MAX_CONNECTIONS=1
export NVTE_FWD_LAYERNORM_SM_MARGIN=16
export NVTE_BWD_LAYERNORM_SM_MARGIN=16
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

DATA_PREFIX=${1:-/data/tokens/pile_text_document}
CHECKPOINTS=${2:-"checkpoints/deepseek-v3"}

# Machines
GPUS_PER_NODE=8
NNODES=${NNODES:-128}
NODE_RANK=${SLURM_NODEID:-0}
MASTER_ADDR=${MASTER_ADDR:-localhost}
MASTER_PORT=${MASTER_PORT:-29400}
WORLD_SIZE=$((GPUS_PER_NODE * NNODES))

# Strategy
TP=2        # inside a node
PP=16
EP=64
CP=1
MBS=1
GBS=8192
SEQ_LEN=4096
NUM_LAYERS=61
NAME="dsv3-tp${TP}-pp${PP}-ep${EP}-mbs${MBS}-gbs${GBS}"
LAYOUT="Et*3|(tt|)*29m|L"

DISTRIBUTED_ARGS=(
    --nproc_per_node "$GPUS_PER_NODE"
    --nnodes "$NNODES"
    --node_rank "$NODE_RANK"
    --master_addr "$MASTER_ADDR"
    --master_port "$MASTER_PORT"
)

MODEL_ARGS=(
    --use-mcore-models
    --num-layers "$NUM_LAYERS"
    --hidden-size 7168
    --ffn-hidden-size 18432
    --num-attention-heads 128
    --kv-channels 128
    --seq-length "$SEQ_LEN"
    --max-position-embeddings 163840
    --position-embedding-type rope
    --rotary-base 10000
    --rotary-scaling-factor 40
    --normalization RMSNorm
    --norm-epsilon 1e-6
    --swiglu                     # gated feed-forward networks
    --untie-embeddings-and-output-weights
    --disable-bias-linear
    --vocab-size 129280
    --make-vocab-size-divisible-by 1
    --mtp-num-layers 1
    --mtp-loss-scaling-factor 0.1
)

MLA_ARGS=(
    --multi-latent-attention
    --q-lora-rank 1536
    --kv-lora-rank 512
    --qk-head-dim 128
    --qk-pos-emb-head-dim 64
    --v-head-dim 128
    --qk-layernorm
)

MOE_ARGS=(
    --num-experts 256
    --moe-layer-freq "([0]*3+[1]*58)"
    --moe-ffn-hidden-size 2048
    --moe-shared-expert-intermediate-size 2048
    --moe-router-topk 8
    --moe-router-num-groups 8
    --moe-router-group-topk 4
    --moe-router-topk-scaling-factor 2.5
    --moe-router-score-function sigmoid
    --moe-router-enable-expert-bias
    --moe-router-load-balancing-type seq_aux_loss
    --moe-aux-loss-coeff 1e-4
    --moe-token-dispatcher-type alltoall
    --moe-grouped-gemm
    --moe-permute-fusion
)

PARALLEL_ARGS=(
    --tensor-model-parallel-size "$TP"
    --pipeline-model-parallel-size "$PP"
    --pipeline-model-parallel-layout "$LAYOUT"   # the loss has a chunk of its own
    --context-parallel-size "$CP"
    --expert-model-parallel-size "$EP"
    --expert-tensor-parallel-size 1
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
)
if [ "$TP" -gt 1 ]; then
    PARALLEL_ARGS+=(--sequence-parallel)
fi

TRAINING_ARGS=(
    --micro-batch-size "$MBS"
    --global-batch-size "$GBS"
    --train-iters 500000
    --lr 2.2e-4
    --min-lr 2.2e-5
    --lr-decay-style cosine
    --lr-warmup-iters 2000
    --weight-decay 0.1
    --adam-beta1 0.9
    --adam-beta2 0.95
    --clip-grad 1.0
    --bf16
    --attention-backend fused
    --cross-entropy-loss-fusion
    --recompute-granularity selective
    --recompute-modules mla_up_proj moe_act layernorm
)

DATA_ARGS=(
    --tokenizer-type HuggingFaceTokenizer
    --tokenizer-model deepseek-ai/DeepSeek-V3
    --data-path "$DATA_PREFIX"
    --split 99,1,0
)

LOG_ARGS=(
    --log-interval 1
    --save-interval 1000
    --eval-interval 1000
    --eval-iters 10
    --save "$CHECKPOINTS"
    --load "$CHECKPOINTS"
    --tensorboard-dir "runs/$NAME"
)
if [ -n "${WANDB_API_KEY:-}" ]; then
    LOG_ARGS+=(--wandb-project deepseek-v3 --wandb-exp-name "$NAME")
fi

mkdir -p "runs/$NAME"
echo "starting $NAME on $WORLD_SIZE devices"

torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py \
    "${MODEL_ARGS[@]}" \
    "${MLA_ARGS[@]}" \
    "${MOE_ARGS[@]}" \
    "${PARALLEL_ARGS[@]}" \
    "${TRAINING_ARGS[@]}" \
    "${DATA_ARGS[@]}" \
    "${LOG_ARGS[@]}" 2>&1 | tee "runs/$NAME/node-$NODE_RANK.log"
