// SPDX-License-Identifier: Apache-2.0
// Defines families in placement loop that run all micro-batches of a chunk, then of the next chunk: GPipe and
// looped breadth-first.
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/families/shapes.h"

static void add_breadth_first(const struct family_task *task, int32_t device, bool descending)
{
    const int32_t n = task->pipeline->shape.micro_batches;
    const int32_t devices = task->pipeline->shape.devices;
    const int32_t chunks = task->pipeline->shape.stages / devices;
    for (int32_t c = 0; c < chunks; c++)
        for (int32_t m = 0; m < n; m++)
            order_add(task->order, device, OPERATION_F, m, c * devices + device);
    for (int32_t c = chunks - 1; c >= 0; c--)
        for (int32_t m = 0; m < n; m++)
            order_add(task->order, device, OPERATION_BW, descending ? n - 1 - m : m,
                      c * devices + device);
}

static void order_bfs(const struct family_task *task, int32_t device)
{
    add_breadth_first(task, device, task->options->descending);
}

const struct family family_gpipe = {
    .name = "gpipe",
    .summary = "all forwards, then all backwards",
    .source = "Huang et al., GPipe, NeurIPS 2019",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_DESCENDING,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .device = order_bfs,
};

const struct family family_bfs_loop = {
    .name = "bfs_loop",
    .summary = "all micro-batches of a chunk, then of the next chunk",
    .source = "Lamy-Poirier, Breadth-First Pipeline Parallelism, MLSys 2023",
    .kind = FAMILY_RULE,
    .uses = FAMILY_USES_DESCENDING,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_loop,
    .chunks = shapes_several_chunks,
    .device = order_bfs,
};

static void order_bfs_descending(const struct family_task *task, int32_t device)
{
    add_breadth_first(task, device, true);
}

const struct family family_pytorch_bfs = {
    .name = "pytorch_bfs",
    .summary = "bfs_loop with backwards from the last micro-batch, as ScheduleLoopedBFS",
    .source = "torch.distributed.pipelining; Lamy-Poirier, MLSys 2023",
    .kind = FAMILY_RULE,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_loop,
    .chunks = shapes_several_chunks,
    .device = order_bfs_descending,
};
