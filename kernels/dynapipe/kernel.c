// SPDX-License-Identifier: Apache-2.0
// Defines the kernel: a point is a training step of micro-batches that differ, a row its plan.
#include "kernels/dynapipe/documents.h"
#include "kernels/dynapipe/output/timeline.h"

static const struct pps_bench_axis bench_axes[] = {
    {"devices", {4, 8, 16}, 3},
    {"microbatches", {16, 32, 64}, 3},
    {NULL, {0}, 0},
};

static const char *const axis_texts[] = {"devices=devices of the pipeline",
                                         "spread=spread of micro-batch sizes",
                                         "makespan=time of a step", NULL};

extern const struct pps_kernel pps_kernel_dynapipe;
const struct pps_kernel pps_kernel_dynapipe = {
    .name = "dynapipe",
    .summary = "plans of training steps whose micro-batches differ",
    .source = "the definition in kernels/dynapipe/model.md",
    .version = "2",
    .params = dynapipe_params,
    .n_params = N_PARAMS,
    .columns = dynapipe_columns,
    .n_columns = N_COLUMNS,
    .reasons = dynapipe_reasons,
    .heatmap = {.x = "devices",
                .y = "spread",
                .value = "makespan",
                .split = "method",
                .texts = axis_texts},
    .nearest = "peak",
    .baseline = "method=1F1B",
    .trace_names = &timeline_names,
    .bench_axes = bench_axes,
    .slots = dynapipe_slots,
    .n_slots = N_SLOTS,
    .open = dynapipe_open,
    .close = dynapipe_close,
    .values = dynapipe_values,
    .scratch_bytes = dynapipe_scratch_bytes,
    .check = dynapipe_check,
    .cost = dynapipe_cost,
    .run = dynapipe_run,
    .reference = dynapipe_run_reference,
    .tolerance = 1e-9,
    .lower_bound = dynapipe_lower_bound,
    .trace = dynapipe_trace,
    .artifacts = dynapipe_artifacts,
    .artifact = dynapipe_artifact,
};
