// SPDX-License-Identifier: Apache-2.0
// Executes a known order again with the present times of the stages.
#include "kernels/common/executor/executor_private.h"

static void take_times(struct executor *e)
{
    const int32_t stages = e->pipeline->shape.stages;
    for (int32_t k = 0; k < e->n_parts; k++) {
        const struct pipeline_stage *stage = &e->pipeline->stage[k % stages];
        struct task *task = &e->task[k * OPERATION_TYPES];
        task[OPERATION_F].time = stage->f;
        task[OPERATION_B].time = stage->b;
        task[OPERATION_W].time = stage->w;
        task[OPERATION_BW].time = stage->b + stage->w;
        task[OPERATION_R].time = stage->r;
    }
}

static void repeat(const struct executor *e, int32_t first, int32_t last)
{
    const struct task *tasks = e->task;
    double *input = e->input, *clocks = e->clock, *starts = e->starts, *ends = e->ends;
    for (const struct step *step = e->step + first; step < e->step + last; step++) {
        const uint32_t at = (uint32_t)step->at;
        const struct task *task = &tasks[(uint32_t)step->task];
        double *clock = &clocks[(uint32_t)task->device];
        const double ready = input[(uint32_t)step->input], free_from = *clock,
                     start = ready > free_from ? ready : free_from, end = start + task->time;
        *clock = end;
        starts[at] = start;
        ends[at] = end;
        input[(uint32_t)step->output] = end + task->delay;
    }
}

enum executor_status executor_run_retimed(struct executor *executor, struct poll *poll)
{
    struct executor *e = executor;
    e->poll = poll;
    take_times(e);
    for (int32_t d = 0; d < e->order->devices; d++)
        e->clock[d] = e->release != NULL ? e->release[d] : 0;
    for (int32_t i = 0; i < e->n_steps; i += POLL_STEPS) {
        const int32_t left = e->n_steps - i, n = left < POLL_STEPS ? left : POLL_STEPS;
        if (poll_over_after(poll, (uint64_t)n))
            return EXECUTOR_STOPPED;
        repeat(e, i, i + n);
    }
    executor_finish(e);
    return EXECUTOR_DONE;
}
