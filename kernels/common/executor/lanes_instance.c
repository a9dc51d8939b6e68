// SPDX-License-Identifier: Apache-2.0
// Executes the steps of an executor in all lanes. CMakeLists.txt compiles this file once for each
// instruction set, and defines
//   LANES_WIDTH  doubles of a vector: 2, 4, 8
//   LANES_RUN    the name of the function
#include "kernels/common/executor/lanes_private.h"
#include "kernels/common/executor/lanes_vector.h"

#include <math.h>

struct run {
    const struct executor_lanes *lanes;
    const struct executor_times *times;
    const struct step *step;
    const struct task *task;
    const int32_t *from_times;
    const double *pair;
    double *starts, *ends; // NULL: unwanted
};

LINE_INLINE struct line time_of(const struct executor_times *times, int type, int32_t index)
{
    static const uint8_t column[OPERATION_TYPES] = {0, 1, 2, 1, 3};
    const struct line time = line_load(line_at(times->time[column[type]], index));
    return type == OPERATION_BW ? line_add(time, line_load(line_at(times->time[2], index)))
                                : time;
}

LINE_INLINE void store_times(const struct run *run,
                             int32_t at,
                             struct line start,
                             struct line end)
{
    if (run->starts == NULL)
        return;
    line_store(line_at(run->starts, at), start);
    line_store(line_at(run->ends, at), end);
}

LINE_INLINE void send(const struct run *run,
                      const struct step *step,
                      bool backward,
                      int32_t index,
                      struct line end)
{
    const struct line delay = line_load(line_at(run->times->delay[backward], index));
    line_store(line_at(run->lanes->input, step->output), line_add(end, delay));
}

// Executes an F and the BW behind it, which start and end together, as executor_pair_duration has it.
LINE_INLINE void run_unit(const struct run *run, const struct step *step, struct line *clock)
{
    const struct task *task[2] = {&run->task[step[0].task], &run->task[step[1].task]};
    const int32_t index[2] = {step[0].input - run->from_times[step[0].task],
                              step[1].input - run->from_times[step[1].task]};
    const double pair = run->pair[task[0]->device], nominal = task[0]->time + task[1]->time;
    struct line duration = line_add(time_of(run->times, OPERATION_F, index[0]),
                                    time_of(run->times, OPERATION_BW, index[1]));
    if (!isnan(pair))
        duration = nominal > 0 ? line_scale(pair, duration, nominal) : line_all(pair);
    struct line start = *clock;
    for (int k = 0; k < 2; k++)
        start = line_later(line_load(line_at(run->lanes->input, step[k].input)), start);
    *clock = line_add(start, duration);
    for (int k = 0; k < 2; k++) {
        store_times(run, ~step[0].at + k, start, *clock);
        send(run, &step[k], k == 1, index[k], *clock);
    }
}

LINE_INLINE void run_step(const struct run *run, const struct step *step, struct line *clock)
{
    const struct task *task = &run->task[step->task];
    const int type = task->type;
    const int32_t index = step->input - run->from_times[step->task];
    const bool local = type == OPERATION_W || type == OPERATION_R;
    struct line start = *clock;
    if (!local)
        start = line_later(line_load(line_at(run->lanes->input, step->input)), start);
    *clock = line_add(start, time_of(run->times, type, index));
    store_times(run, step->at, start, *clock);
    if (!local)
        send(run, step, type != OPERATION_F, index, *clock);
}

LINE_INLINE void run_steps(const struct executor *executor,
                           const struct executor_lanes *lanes,
                           const struct executor_times *times,
                           double *starts,
                           double *ends)
{
    const struct executor_lanes own = *lanes; // so that the pointers stay in registers
    const struct executor_times own_times = *times;
    const struct run run = {.lanes = &own,
                            .times = &own_times,
                            .step = executor->step,
                            .task = executor->task,
                            .from_times = executor->from_times,
                            .pair = executor->pipeline->pair,
                            .starts = starts,
                            .ends = ends};
    int32_t device = 0;
    struct line clock = line_load(line_at(own.clock, device)); // of the device
    for (int32_t i = 0; i < executor->n_steps; i++) {
        const struct step *step = &run.step[i];
        const int32_t d = run.task[step->task].device;
        if (d != device) {
            line_store(line_at(own.clock, device), clock);
            device = d;
            clock = line_load(line_at(own.clock, device));
        }
        if (step->at >= 0) {
            run_step(&run, step, &clock);
            continue;
        }
        run_unit(&run, step, &clock);
        i++;
    }
    line_store(line_at(own.clock, device), clock);
}

void LANES_RUN(const struct executor *executor,
               const struct executor_lanes *lanes,
               const struct executor_times *times,
               double *starts,
               double *ends)
{
    if (starts != NULL)
        run_steps(executor, lanes, times, starts, ends);
    else
        run_steps(executor, lanes, times, NULL, NULL);
}
