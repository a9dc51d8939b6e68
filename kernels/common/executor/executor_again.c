// SPDX-License-Identifier: Apache-2.0
// Executes a known order again with other times.
#include "kernels/common/executor/executor_private.h"

static double delay_of(const struct executor *e, const struct step *step, const double *delay)
{
    return delay != NULL ? *delay : e->task[step->task].delay;
}

// Executes a unit: two steps.
static void repeat_unit(const struct executor *e,
                        const struct step *step,
                        const double *durations,
                        const double *delays)
{
    const int32_t at = ~step->at;
    double *clock = &e->clock[e->task[step->task].device], start = *clock;
    for (int k = 0; k < 2; k++)
        start = e->input[step[k].input] > start ? e->input[step[k].input] : start;
    *clock = start + durations[at];
    for (int k = 0; k < 2; k++) {
        e->starts[at + k] = start;
        e->ends[at + k] = *clock;
        e->input[step[k].output] =
            *clock + delay_of(e, &step[k], delays != NULL ? &delays[at + k] : NULL);
    }
}

// Executes the steps in the order of the last run: every input is there before it is read. Compiled with
// and without delays.
static inline __attribute__((always_inline)) void repeat(const struct executor *e,
                                                         const double *durations,
                                                         const double *delays)
{
    const struct task *tasks = e->task;
    double *input = e->input, *clocks = e->clock, *starts = e->starts, *ends = e->ends;
    const struct step *last = e->step + e->n_steps;
    for (const struct step *step = e->step; step < last; step++) {
        if (step->at < 0) {
            repeat_unit(e, step++, durations, delays);
            continue;
        }
        const uint32_t at = (uint32_t)step->at;
        const struct task *task = &tasks[(uint32_t)step->task];
        double *clock = &clocks[(uint32_t)task->device];
        const double ready = input[(uint32_t)step->input], free_from = *clock,
                     start = ready > free_from ? ready : free_from, end = start + durations[at];
        *clock = end;
        starts[at] = start;
        ends[at] = end;
        input[(uint32_t)step->output] = end + (delays != NULL ? delays[at] : task->delay);
    }
}

void executor_run_again(struct executor *executor,
                        const double *durations,
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
        repeat(e, durations, delays);
    else
        repeat(e, durations, NULL);
    executor_finish(e);
}

void executor_run_lane(struct executor *e, const struct executor_times *times, int lane)
{
    executor_reset(e);
    (void)executor_execute(e, &(struct executor_own){.times = times, .lane = lane});
}
