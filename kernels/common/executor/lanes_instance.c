// SPDX-License-Identifier: Apache-2.0
// Executes the steps of an executor in all lanes. CMakeLists.txt compiles this file once for each
// instruction set, and defines
//   LANES_WIDTH  doubles of a vector: 2, 4, 8
//   LANES_RUN    the name of the function
#include "kernels/common/executor/lanes_private.h"
#include "kernels/common/executor/lanes_vector.h"

#include <math.h>

struct run {
    double *input, *clock;
    double *time[OPERATION_TYPES],
        *delay[OPERATION_TYPES]; // BW: its B, to which its W is added
    const struct step *step;
    const struct task *task;
    const int32_t *from_times;
    const double *pair;
    double *starts, *ends; // NULL: unwanted
};

LINE_INLINE struct line time_of(const struct run *run, int type, uint32_t index)
{
    const struct line time = line_load(line_at(run->time[type], index));
    return type == OPERATION_BW
               ? line_add(time, line_load(line_at(run->time[OPERATION_W], index)))
               : time;
}

LINE_INLINE void store_times(const struct run *run, int32_t at, struct line start,
                             struct line end)
{
    if (run->starts == NULL)
        return;
    line_store(line_at(run->starts, at), start);
    line_store(line_at(run->ends, at), end);
}

LINE_INLINE void send(const struct run *run, const struct step *step, int type, uint32_t index,
                      struct line end)
{
    const struct line delay = line_load(line_at(run->delay[type], index));
    line_store(line_at(run->input, (uint32_t)step->output), line_add(end, delay));
}

// Executes an F and the BW behind it, which start and end together, as executor_pair_duration has it.
LINE_INLINE void run_unit(const struct run *run, const struct step *step, struct line *clock)
{
    const struct task *task[2] = {&run->task[step[0].task], &run->task[step[1].task]};
    const uint32_t index[2] = {(uint32_t)(step[0].input - run->from_times[step[0].task]),
                               (uint32_t)(step[1].input - run->from_times[step[1].task])};
    const double pair = run->pair[task[0]->device], nominal = task[0]->time + task[1]->time;
    struct line duration =
        line_add(time_of(run, OPERATION_F, index[0]), time_of(run, OPERATION_BW, index[1]));
    if (!isnan(pair))
        duration = nominal > 0 ? line_scale(pair, duration, nominal) : line_all(pair);
    struct line start = *clock;
    for (int k = 0; k < 2; k++)
        start = line_later(line_load(line_at(run->input, step[k].input)), start);
    *clock = line_add(start, duration);
    for (int k = 0; k < 2; k++) {
        store_times(run, ~step[0].at + k, start, *clock);
        send(run, &step[k], k == 0 ? OPERATION_F : OPERATION_BW, index[k], *clock);
    }
}

LINE_INLINE void run_step(const struct run *run, const struct step *step, struct line *clock)
{
    const struct task *task = &run->task[(uint32_t)step->task];
    const int type = task->type;
    const uint32_t input = (uint32_t)step->input,
                   index = input - (uint32_t)run->from_times[(uint32_t)step->task];
    const bool local = type == OPERATION_W || type == OPERATION_R;
    struct line start = *clock;
    if (!local)
        start = line_later(line_load(line_at(run->input, input)), start);
    *clock = line_add(start, time_of(run, type, index));
    store_times(run, step->at, start, *clock);
    if (!local)
        send(run, step, type, index, *clock);
}

LINE_INLINE void run_steps(const struct executor *executor, const struct executor_lanes *lanes,
                           const struct executor_times *times, double *starts, double *ends)
{
    double *const *time = times->time, *const *delay = times->delay;
    const struct run run = {.input = lanes->input,
                            .clock = lanes->clock,
                            .time = {time[0], time[1], time[2], time[1], time[3]},
                            .delay = {delay[0], delay[1], NULL, delay[1], NULL},
                            .step = executor->step,
                            .task = executor->task,
                            .from_times = executor->from_times,
                            .pair = executor->pipeline->pair,
                            .starts = starts,
                            .ends = ends};
    int32_t device = 0;
    struct line clock = line_load(line_at(run.clock, device)); // of the device
    const struct step *last = run.step + executor->n_steps;
    for (const struct step *step = run.step; step < last; step++) {
        const int32_t d = run.task[(uint32_t)step->task].device;
        if (d != device) {
            line_store(line_at(run.clock, device), clock);
            device = d;
            clock = line_load(line_at(run.clock, device));
        }
        if (step->at >= 0) {
            run_step(&run, step, &clock);
            continue;
        }
        run_unit(&run, step++, &clock);
    }
    line_store(line_at(run.clock, device), clock);
}

void LANES_RUN(const struct executor *executor, const struct executor_lanes *lanes,
               const struct executor_times *times, double *starts, double *ends)
{
    if (starts != NULL)
        run_steps(executor, lanes, times, starts, ends);
    else
        run_steps(executor, lanes, times, NULL, NULL);
}
