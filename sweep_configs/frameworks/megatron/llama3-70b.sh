#!/bin/bash
# Pre-training of Llama 3 70B with Megatron-LM on 8 nodes of 8 devices.

export CUDA_DEVICE_MAX_CONNECTIONS=1
export TORCH_NCCL_AVOID_RECORD_STREAMS=1

TP_SIZE=8; PP_SIZE=4; CP_SIZE=1
MICRO_BATCH=1
GLOBAL_BATCH=512

OPTIONS=" \
    --num-layers 80 \
    --hidden-size 8192 \
    --ffn-hidden-size 28672 \
    --num-attention-heads 64 \
    --group-query-attention \
    --num-query-groups 8 \
    --seq-length 8192 \
    --max-position-embeddings 8192 \
    --position-embedding-type rope \
    --rotary-base 500000 \
    --normalization RMSNorm \
    --swiglu \
    --untie-embeddings-and-output-weights \
    --disable-bias-linear \
    --attention-dropout 0.0 \
    --hidden-dropout 0.0 \
    --tokenizer-type HuggingFaceTokenizer \
    --tokenizer-model meta-llama/Meta-Llama-3-70B \
    --make-vocab-size-divisible-by 1 \
    --data-path ${DATA_PATH} \
    --split 99,1,0 \
    --tensor-model-parallel-size ${TP_SIZE} \
    --pipeline-model-parallel-size ${PP_SIZE} \
    --num-layers-per-virtual-pipeline-stage 5 \
    --context-parallel-size ${CP_SIZE} \
    --sequence-parallel \
    --use-distributed-optimizer \
    --overlap-grad-reduce \
    --overlap-param-gather \
    --micro-batch-size ${MICRO_BATCH} \
    --global-batch-size ${GLOBAL_BATCH} \
    --train-samples 15000000 \
    --lr 1.5e-4 --min-lr 1.5e-5 --lr-decay-style cosine \
    --weight-decay 0.1 --adam-beta1 0.9 --adam-beta2 0.95 --clip-grad 1.0 \
    --bf16 \
    --use-flash-attn \
    --recompute-granularity full --recompute-method block --recompute-num-layers 1 \
    --log-interval 10 --eval-iters 0 --save-interval 500 \
    --save ${CKPT:-checkpoints/llama3-70b} "

# Slurm starts one of these on each node.
run_cmd="torchrun --nproc-per-node=8 --nnodes=8 --rdzv-backend=c10d \
  --rdzv-endpoint=${MASTER_ADDR}:29500 pretrain_gpt.py ${OPTIONS}"
srun -l bash -c "${run_cmd}"
