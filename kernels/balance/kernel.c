// SPDX-License-Identifier: Apache-2.0
// Defines the kernel: a point is a pipeline with a memory limit, a row its best split of layers and recomputation.
#include "kernels/balance/documents.h"
#include "kernels/balance/output/timeline.h"

static const struct pps_bench_axis bench_axes[] = {
    {"stages", {4, 8, 16}, 3},
    {"micro_batches", {16, 32, 64}, 3},
    {NULL, {0}, 0},
};

static const char *const axis_texts[] = {
    "memory=memory of a device", "chunks=chunks of a stage", "step_time=time of a step", NULL};

extern const struct pps_kernel pps_kernel_balance;
const struct pps_kernel pps_kernel_balance = {
    .name = "balance",
    .summary = "layers and recomputation over the chunks of a pipeline, within memory",
    .source = "the definition in kernels/balance/model.md",
    .version = "4", // 4: proofs by branch and bound
    .params = balance_params,
    .n_params = N_PARAMS,
    .columns = balance_columns,
    .n_columns = N_COLUMNS,
    .reasons = balance_reasons,
    .heatmap = {.x = "memory",
                .y = "chunks",
                .value = "step_time",
                .split = "order",
                .texts = axis_texts},
    .nearest = "peak",
    .trace_names = &balance_trace_names,
    .bench_axes = bench_axes,
    .slots = balance_slots,
    .n_slots = N_SLOTS,
    .open = balance_open,
    .close = balance_close,
    .values = balance_values,
    .doubts = balance_doubts,
    .scratch_bytes = balance_scratch_bytes,
    .check = balance_check,
    .cost = balance_cost,
    .run = balance_run,
    .reference = balance_run_reference,
    .tolerance = 1e-9,
    .lower_bound = balance_lower_bound,
    .trace = balance_trace,
    .artifacts = balance_artifacts,
    .artifact = balance_artifact,
};
