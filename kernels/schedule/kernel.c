// SPDX-License-Identifier: Apache-2.0
// Defines the kernel: a point is a pipeline and a schedule, a row holds its time, bubbles and memory.
#include "kernels/common/executor/step_trace.h"
#include "kernels/schedule/documents.h"
#include "kernels/schedule/table.h"

#include <stddef.h>

static const struct pps_bench_axis bench_axes[] = {
    {"p", {4, 8, 32}, 3},
    {"m", {8, 64, 256}, 3},
    {NULL, {0}, 0},
};

static const char *const axis_texts[] = {"m=micro-batches", "p=devices of the pipeline",
                                         "bubble=idle share of the devices",
                                         "makespan=time of a step", NULL};

extern const struct pps_kernel pps_kernel_schedule;
const struct pps_kernel pps_kernel_schedule = {
    .name = "schedule",
    .summary =
        "time, bubble and memory of pipeline schedules (1F1B, zero bubble, DualPipe ...)",
    .source = "the definition in kernels/schedule/model.md",
    .version = "6", // 6: searches
    .params = schedule_params,
    .n_params = N_PARAMS,
    .columns = schedule_columns,
    .n_columns = N_COLUMNS,
    .reasons = schedule_reasons,
    .heatmap = {.x = "m", .y = "p", .value = "bubble", .split = "family", .texts = axis_texts},
    .stacks = schedule_stacks,
    .nearest = "peak",
    .ranks = "mean",
    .baseline = "family=1f1b",
    .trace_names = &step_trace_names,
    .bench_axes = bench_axes,
    .slots = schedule_slots,
    .n_slots = N_SLOTS,
    .presets = schedule_presets,
    .open = schedule_open,
    .close = schedule_close,
    .values = schedule_values,
    .scratch_bytes = schedule_scratch_bytes,
    .check = schedule_check,
    .cost = schedule_cost,
    .run = schedule_run,
    .reference = schedule_run_reference,
    .tolerance = 1e-9,
    .trace = schedule_trace,
    .artifacts = schedule_artifacts,
    .artifact = schedule_artifact,
};
