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
    const double *pair;
    double *starts, *ends; // NULL: unwanted
    int32_t room;          // of the order
};

LINE_INLINE struct line time_of(const struct executor_times *times, int type, int32_t index)
{
    static const uint8_t column[OPERATION_TYPES] = {0, 1, 2, 1, 3};
    const struct line time = line_load(line_at(times->time[column[type]], index));
    return type == OPERATION_BW ? line_add(time, line_load(line_at(times->time[2], index)))
                                : time;
}

LINE_INLINE void store_times(const struct run *run,
                             int32_t device,
                             int32_t at,
                             struct line start,
                             struct line end)
{
    if (at == device * run->room) // the first of the device
        line_store(line_at(run->lanes->first, device), start);
    line_store(line_at(run->lanes->clock, device), end);
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
static void run_unit(const struct run *run, const struct step *step)
{
    const struct task *task[2] = {&run->task[step[0].task], &run->task[step[1].task]};
    const int32_t index[2] = {step[0].input - task[0]->input, step[1].input - task[1]->input},
                  d = task[0]->device;
    const double pair = run->pair[d], nominal = task[0]->time + task[1]->time;
    struct line start = line_load(line_at(run->lanes->clock, d)),
                duration = line_add(time_of(run->times, OPERATION_F, index[0]),
                                    time_of(run->times, OPERATION_BW, index[1]));
    if (!isnan(pair))
        duration = nominal > 0 ? line_scale(pair, duration, nominal) : line_all(pair);
    for (int k = 0; k < 2; k++)
        start = line_later(line_load(line_at(run->lanes->input, step[k].input)), start);
    const struct line end = line_add(start, duration);
    for (int k = 0; k < 2; k++) {
        store_times(run, d, ~step[0].at + k, start, end);
        send(run, &step[k], k == 1, index[k], end);
    }
}

LINE_INLINE void run_step(const struct run *run, const struct step *step)
{
    const struct task *task = &run->task[step->task];
    const int type = task->type;
    const int32_t index = step->input - task->input;
    const bool local = type == OPERATION_W || type == OPERATION_R;
    struct line start = line_load(line_at(run->lanes->clock, task->device));
    if (!local)
        start = line_later(line_load(line_at(run->lanes->input, step->input)), start);
    const struct line end = line_add(start, time_of(run->times, type, index));
    store_times(run, task->device, step->at, start, end);
    if (!local)
        send(run, step, type != OPERATION_F, index, end);
}

void LANES_RUN(const struct executor *executor,
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
                            .pair = executor->pipeline->pair,
                            .starts = starts,
                            .ends = ends,
                            .room = executor->order->room};
    for (int32_t i = 0; i < executor->n_steps; i++) {
        if (run.step[i].at >= 0) {
            run_step(&run, &run.step[i]);
            continue;
        }
        run_unit(&run, &run.step[i]);
        i++;
    }
}
