// SPDX-License-Identifier: Apache-2.0
// Executes a known order again with other times.
#include "kernels/common/executor/executor_private.h"

static double delay_of(const struct executor *e, const struct step *step, const double *delay)
{
    return delay != NULL ? *delay : e->task[step->task].delay;
}

// Executes a unit: two steps. clock: from when on the device is free. Returns the end.
static double repeat_unit(const struct executor *e, const struct step *step, double clock,
                          const double *durations, const double *delays)
{
    const int32_t at = ~step->at;
    double start = clock;
    for (int k = 0; k < 2; k++)
        start = e->input[step[k].input] > start ? e->input[step[k].input] : start;
    const double end = start + durations[at];
    for (int k = 0; k < 2; k++) {
        e->starts[at + k] = start;
        e->ends[at + k] = end;
        e->input[step[k].output] =
            end + delay_of(e, &step[k], delays != NULL ? &delays[at + k] : NULL);
    }
    return end;
}

// Executes steps in the order of the last run: every input is there before it is read. durations, delays:
// NULL: those of the tasks. Compiled for each combination that is called.
static inline __attribute__((always_inline)) void repeat(const struct executor *e,
                                                         int32_t first, int32_t n,
                                                         const double *durations,
                                                         const double *delays)
{
    const struct task *tasks = e->task;
    double *input = e->input, *clocks = e->clock, *starts = e->starts, *ends = e->ends;
    const struct step *last = e->step + first + n;
    uint32_t device = 0;
    double clock = clocks[0];
    for (const struct step *step = e->step + first; step < last; step++) {
        const struct task *task = &tasks[(uint32_t)step->task];
        if ((uint32_t)task->device != device) {
            clocks[device] = clock;
            device = (uint32_t)task->device;
            clock = clocks[device];
        }
        if (step->at < 0) {
            clock = repeat_unit(e, step++, clock, durations, delays);
            continue;
        }
        const uint32_t at = (uint32_t)step->at;
        const double ready = input[(uint32_t)step->input],
                     start = ready > clock ? ready : clock,
                     end = start + (durations != NULL ? durations[at] : task->time);
        clock = end;
        starts[at] = start;
        ends[at] = end;
        input[(uint32_t)step->output] = end + (delays != NULL ? delays[at] : task->delay);
    }
    clocks[device] = clock;
}

void executor_run_again(struct executor *executor, const double *durations,
                        const double *delays)
{
    struct executor *e = executor;
    if (delays == NULL && e->pipeline->links.channels != PIPELINE_FREE) {
        executor_reset(e); // channels serve messages in the order of time
        (void)executor_execute(e, &(struct executor_own){.durations = durations});
        return;
    }
    for (int32_t d = 0; d < e->order->devices; d++)
        e->clock[d] = e->release != NULL ? e->release[d] : 0;
    if (delays != NULL)
        repeat(e, 0, e->n_steps, durations, delays);
    else
        repeat(e, 0, e->n_steps, durations, NULL);
    executor_finish(e);
}

void executor_run_lane(struct executor *e, const struct executor_times *times, int lane)
{
    executor_reset(e);
    (void)executor_execute(e, &(struct executor_own){.times = times, .lane = lane});
}

// ---- present times of the stages ----------------------------------------------------------------

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
        repeat(e, i, n, NULL, NULL);
    }
    executor_finish(e);
    return EXECUTOR_DONE;
}
