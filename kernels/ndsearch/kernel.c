// SPDX-License-Identifier: Apache-2.0
// Defines the kernel: a point is a parallel strategy, a row holds its memory and step time.
#include "kernels/common/executor/step_trace.h"
#include "kernels/ndsearch/table.h"

#include <math.h>

// ---- parameters ---------------------------------------------------------------------------------

#define COUNT(name_, symbol_, unit_, summary_, fallback_, min_, max_)                          \
    {                                                                                          \
        .name = name_, .symbol = symbol_, .unit = unit_, .summary = summary_,                  \
        .kind = PPS_INTEGER, .fallback = fallback_, .min = min_, .max = max_                   \
    }
#define WORK(name_, symbol_, unit_, summary_, fallback_, max_)                                 \
    {                                                                                          \
        .name = name_, .symbol = symbol_, .unit = unit_, .summary = summary_,                  \
        .kind = PPS_INTEGER, .fallback = fallback_, .min = 1, .max = max_,                     \
        .changes_work = true                                                                   \
    }
#define OF_MODEL(name_, symbol_, summary_)                                                     \
    {                                                                                          \
        .name = name_, .symbol = symbol_, .unit = "", .summary = summary_ " (of the model)",   \
        .kind = PPS_INTEGER, .fallback = 0, .min = 0, .max = 0x1p52, .fixed = true             \
    }
#define DEGREE(name_, summary_) COUNT(name_, NULL, "", summary_, 1, 1, 1 << 20)
#define AMOUNT(name_, unit_, summary_, fallback_, max_)                                        \
    {                                                                                          \
        .name = name_, .unit = unit_, .summary = summary_, .kind = PPS_REAL,                   \
        .fallback = fallback_, .min = 0, .max = max_                                           \
    }
#define SWITCH(name_, summary_, fallback_)                                                     \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_BOOLEAN,                   \
        .fallback = fallback_, .max = 1                                                        \
    }

static const char *const hardware_names[] = {"own",  "A100",  "Ascend910B", "H100",
                                             "H800", "H200",  "B200",       "GB200",
                                             "B300", "GB300", NULL};
static const char *const precision_names[] = {"bf16", "fp8", "mxfp8", NULL};
static const char *const recompute_names[] = {"none", "select", "full", "auto", NULL};

static const struct pps_param params[N_PARAMS] = {
    [P_MODEL] = {.name = "model",
                 .unit = "",
                 .summary = "the model, if the experiment names several",
                 .kind = PPS_CHOICE,
                 .max = 0x1p20,
                 .changes_work = true},
    [P_CLUSTER] = {.name = "cluster",
                   .unit = "",
                   .summary = "the cluster, if the experiment names several",
                   .kind = PPS_CHOICE,
                   .max = 0x1p20},
    [P_STACK] = {.name = "stack",
                 .unit = "",
                 .summary = "the software stack, if the experiment names several",
                 .kind = PPS_CHOICE,
                 .max = 0x1p20},
    [P_WORLD_SIZE] = COUNT("world_size", "N", "", "devices", 8, 1, 1 << 20),
    [P_HARDWARE] = {.name = "hardware",
                    .unit = "",
                    .summary = "device: own (of the cluster file), or a built-in record",
                    .kind = PPS_CHOICE,
                    .fallback = HARDWARE_OWN,
                    .max = sizeof hardware_names / sizeof *hardware_names - 2,
                    .names = hardware_names},
    [P_MEMORY] = AMOUNT("memory", "GiB", "usable memory per device; 0: all of it", 0, 0x1p30),
    [P_RESERVE] = AMOUNT("reserve", "MiB",
                         "part of memory reserved for framework and communication", 0, 0x1p40),
    [P_GBS] = WORK("gbs", NULL, "sequences", "global batch size of a step", 1024, 0x1p40),
    [P_ZERO_LEVEL] = COUNT(
        "zero_level", NULL, "",
        "sharded states: 0 none, 1 optimizer, 2 also gradients, 3 also parameters", 1, 0, 3),
    [P_DISTRIBUTED_OPTIMIZER] = SWITCH("distributed_optimizer", "false: nothing is sharded", 1),
    [P_BYTES_PARAM] = AMOUNT("bytes_param", "B", "bytes per parameter (FP8: 1)", 2, 64),
    [P_BYTES_GRAD] = AMOUNT("bytes_grad", "B", "bytes per gradient", 4, 64),
    [P_BYTES_OPTIM] =
        AMOUNT("bytes_optim", "B", "optimizer bytes per parameter (8-bit: 6)", 12, 64),
    [P_EXPERT_TENSOR_PARALLEL] =
        SWITCH("expert_tensor_parallel", "experts are also split over tp", 0),
    [P_FLASH_ATTENTION] = SWITCH("flash_attention", "attention scores are never stored", 1),
    [P_FUSED_CROSS_ENTROPY] =
        SWITCH("fused_cross_entropy", "the loss reads the logits only once", 1),
    [P_LOW_MEM_VPP] = SWITCH("low_mem_vpp", "interleaved order with the shorter warm-up", 0),
    [P_DUMMY_WGRAD] = SWITCH("dummy_wgrad", "one gradient buffer per matrix shape", 0),
    [P_PRECISION] = {.name = "precision",
                     .unit = "",
                     .summary =
                         "numbers that linear layers multiply (head and attention: bf16)",
                     .kind = PPS_CHOICE,
                     .max = 2,
                     .names = precision_names},
    [P_SEQ_LENGTH] = WORK("seq_length", "s", "tokens", "sequence length", 4096, 1 << 28),
    [P_LAYERS] = OF_MODEL("layers", "L", "layers, including MTP layers"),
    [P_HIDDEN] = OF_MODEL("hidden", "h", "hidden size"),
    [P_HEADS] = OF_MODEL("heads", "A", "attention heads"),
    [P_QUERY_GROUPS] = OF_MODEL("query_groups", "G", "key-value heads"),
    [P_FFN] = OF_MODEL("ffn", "f", "feed-forward width of a dense layer"),
    [P_VOCAB] = OF_MODEL("vocab", "V", "vocabulary"),
    [P_EXPERTS] = OF_MODEL("experts", "E", "routed experts per layer; 0: a dense model"),
    [P_TP] = DEGREE("tp", "tensor parallel degree"),
    [P_CP] = DEGREE("cp", "context parallel degree"),
    [P_PP] = DEGREE("pp", "pipeline stages"),
    [P_DP] =
        COUNT("dp", NULL, "", "data parallel degree; 0: the remaining devices", 0, 0, 1 << 20),
    [P_EP] = DEGREE("ep", "expert parallel degree"),
    [P_OP] = COUNT("op", NULL, "", "optimizer shards; 0: dp*cp", 0, 0, 1 << 20),
    [P_VP] = DEGREE("vp", "chunks (virtual stages) per stage"),
    [P_MBS] = COUNT("mbs", NULL, "sequences", "micro-batch size", 1, 1, 1 << 20),
    [P_SP] = SWITCH("sp", "sequence parallelism: split norms and inputs over tp", 0),
    [P_RECOMPUTE] = {.name = "recompute",
                     .unit = "",
                     .summary = "recompute in the backward pass; auto: the least that fits",
                     .kind = PPS_CHOICE,
                     .fallback = RECOMPUTE_AUTO,
                     .max = RECOMPUTE_AUTO,
                     .names = recompute_names},
    [P_TOKENS] =
        AMOUNT("tokens", "1e9", "tokens of the whole training, for column days", 1000, 1e9),
};

// ---- columns ------------------------------------------------------------------------------------

#define GIB(name_, summary_)                                                                   \
    {                                                                                          \
        .name = name_, .unit = "GiB", .summary = summary_, .kind = PPS_COLUMN_REAL,            \
        .decimals = 3, .goal = PPS_LOWER, .on_request = true                                   \
    }
#define MS(name_, summary_)                                                                    \
    {                                                                                          \
        .name = name_, .unit = "ms", .summary = summary_, .kind = PPS_COLUMN_REAL,             \
        .decimals = 3, .goal = PPS_LOWER, .on_request = true                                   \
    }

static const struct pps_column columns[N_COLUMNS] = {
    [C_STEP] = {.name = "step_ms",
                .unit = "ms",
                .summary = "time of a training step; empty if it does not fit in memory",
                .kind = PPS_COLUMN_REAL,
                .decimals = 3,
                .goal = PPS_LOWER},
    [C_MFU] = {.name = "mfu",
               .unit = "%",
               .summary = "model FLOPs utilization: causal attention, no recomputation",
               .kind = PPS_COLUMN_REAL,
               .decimals = 2,
               .goal = PPS_HIGHER,
               .size_free = true},
    [C_TOKENS] = {.name = "tokens_per_s",
                  .unit = "1/s",
                  .summary = "tokens per second on all devices",
                  .kind = PPS_COLUMN_REAL,
                  .decimals = 0,
                  .goal = PPS_HIGHER},
    [C_MEMORY] = {.name = "memory_gib",
                  .unit = "GiB",
                  .summary = "peak memory of a device in the worst stage",
                  .kind = PPS_COLUMN_REAL,
                  .decimals = 3,
                  .goal = PPS_LOWER},
    [C_RECOMPUTE] = {.name = "recomputed",
                     .unit = "",
                     .summary = "recompute in the backward pass",
                     .kind = PPS_COLUMN_TEXT,
                     .text_max = 6},
    [C_FITS] = {.name = "fits",
                .unit = "",
                .summary = "yes or no: whether it fits in device memory",
                .kind = PPS_COLUMN_TEXT,
                .text_max = 3},
    [C_MICRO_BATCHES] = {.name = "micro_batches",
                         .unit = "",
                         .summary = "micro-batches per step and replica",
                         .kind = PPS_COLUMN_INTEGER,
                         .on_request = true},
    [C_DAYS] = {.name = "days",
                .unit = "d",
                .summary = "training time for parameter tokens",
                .kind = PPS_COLUMN_REAL,
                .decimals = 2,
                .goal = PPS_LOWER,
                .on_request = true},
    [C_HFU] = {.name = "hfu",
               .unit = "%",
               .summary =
                   "hardware FLOPs utilization: all executed FLOPs, including recomputation",
               .kind = PPS_COLUMN_REAL,
               .decimals = 2,
               .goal = PPS_HIGHER,
               .on_request = true},
    [C_MEM_PARAMETERS] = GIB("mem_parameters", "of memory_gib: parameters"),
    [C_MEM_GRADIENTS] = GIB("mem_gradients", "of memory_gib: gradients"),
    [C_MEM_OPTIMIZER] = GIB("mem_optimizer", "of memory_gib: optimizer state"),
    [C_MEM_ACTIVATIONS] = GIB("mem_activations", "of memory_gib: activations in flight"),
    [C_MEM_TRANSIENT] = GIB("mem_transient", "of memory_gib: logits and one recomputed layer"),
    [C_MEM_RESERVE] =
        GIB("mem_reserve", "of memory_gib: framework, communication, what the allocator adds"),
    [C_MEM_STAGE] = {.name = "mem_stage",
                     .unit = "",
                     .summary = "the worst stage, from 0",
                     .kind = PPS_COLUMN_INTEGER,
                     .on_request = true},
    [C_MEM_NONE] = GIB("mem_none", "peak memory without recompute"),
    [C_MEM_SELECT] = GIB("mem_select", "peak memory with selective recompute"),
    [C_MEM_FULL] = GIB("mem_full", "peak memory with full recompute"),
    [C_COMPUTE] = MS("compute_ms", "of step_ms: layers of the longest stage"),
    [C_TP_TIME] = MS("tp_ms", "of step_ms: tensor parallel communication of that stage"),
    [C_EP_TIME] = MS("ep_ms", "of step_ms: expert parallel communication of that stage"),
    [C_CP_TIME] = MS("cp_ms", "of step_ms: context parallel communication of that stage"),
    [C_HEAD] = MS("head_ms", "of step_ms: output head, if on the longest stage"),
    [C_BUBBLE] = MS("bubble_ms", "of step_ms: bubble of that stage"),
    [C_P2P] = MS("p2p_ms", "of step_ms: transfers between stages"),
    [C_DP_TIME] = MS("dp_ms", "of step_ms: exposed communication between replicas"),
    [C_OPTIMIZER] = MS("optimizer_ms", "of step_ms: the optimizer"),
};

static const struct pps_stack stacks[] = {
    {"memory",
     "mem_parameters,mem_gradients,mem_optimizer,mem_activations,mem_transient,mem_reserve"},
    {"time", "compute_ms,head_ms,tp_ms,ep_ms,cp_ms,bubble_ms,p2p_ms,dp_ms,optimizer_ms"},
    {NULL, NULL},
};

static const struct pps_bench_axis bench_axes[] = {
    {"tp", {1, 4, 8}, 3},
    {"pp", {1, 4, 16}, 3},
    {NULL, {0}, 0},
};

// ---- kernel -------------------------------------------------------------------------------------

static const char *const axis_texts[] = {"tp=tensor parallelism",
                                         "pp=pipeline stages",
                                         "dp=data parallelism",
                                         "step_ms=time of a step",
                                         "memory_gib=memory of the fullest device",
                                         NULL};

extern const struct pps_kernel pps_kernel_ndsearch;
const struct pps_kernel pps_kernel_ndsearch = {
    .name = "ndsearch",
    .summary = "memory and step time of parallel strategies (DP x TP x PP x EP x CP ...)",
    .source = "the definition in kernels/ndsearch/model.md",
    .version = "7",
    .params = params,
    .n_params = N_PARAMS,
    .columns = columns,
    .n_columns = N_COLUMNS,
    .reasons = nd_reasons,
    .heatmap =
        {.x = "tp",
         .y = "pp",
         .value = "step_ms",
         .best = true,
         .by =
             "model,cluster,stack,precision,world_size,hardware,memory,reserve,gbs,seq_length",
         .texts = axis_texts},
    .stacks = stacks,
    .nearest = "memory_gib",
    .trace_names = &step_trace_names_us,
    .bench_axes = bench_axes,
    .bench_experiment =
        "{\"kernel\": \"ndsearch\", \"world_size\": 1024, \"preset\": \"megatron\"}",
    .slots = nd_slots,
    .n_slots = N_SLOTS,
    .presets = nd_presets,
    .open = nd_open,
    .close = nd_close,
    .values = nd_values,
    .doubts = nd_doubts,
    .scratch_bytes = nd_scratch_bytes,
    .check = nd_check,
    .check_points = nd_check_points,
    .cost = nd_cost,
    .run = nd_run,
    .reference = nd_run_reference,
    .tolerance = 1e-9,
    .trace = nd_trace,
};
