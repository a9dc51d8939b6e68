// SPDX-License-Identifier: Apache-2.0
// Executes the steps of an executor in all lanes. CMakeLists.txt compiles this file once for each
// instruction set, and defines
//   LANES_WIDTH  doubles of a vector: 2, 4, 8
//   LANES_RUN    the name of the function
#include "kernels/common/executor/lanes_private.h"
#include "kernels/common/executor/lanes_vector.h"

#include <math.h>

struct run {
    const struct executor *executor;
    const struct executor_lanes *lanes;
    const struct executor_times *times;
    double *starts, *ends; // NULL: unwanted
};

LINE_INLINE struct line time_of(const struct executor_times *times, int32_t type, int32_t index)
{
    static const uint8_t column[OPERATION_TYPES] = {0, 1, 2, 1, 3};
    const struct line time = line_load(line_at(times->time[column[type]], index));
    return type == OPERATION_BW ? line_add(time, line_load(line_at(times->time[2], index)))
                                : time;
}

LINE_INLINE void store_times(const struct run *run,
                             const struct step *step,
                             int64_t at,
                             struct line start,
                             struct line end)
{
    if (at == order_at(run->executor->order, step->device, 0))
        line_store(line_at(run->lanes->first, step->device), start);
    line_store(line_at(run->lanes->clock, step->device), end);
    if (run->starts == NULL)
        return;
    line_store(line_at(run->starts, at), start);
    line_store(line_at(run->ends, at), end);
}

LINE_INLINE void send(const struct run *run, const struct step *step, struct line end)
{
    const bool backward = executor_types[step->type].backward;
    const struct line delay = line_load(line_at(run->times->delay[backward], step->index));
    line_store(line_at(run->lanes->input, step->output), line_add(end, delay));
}

// Executes an F and the BW behind it, which start and end together, as executor_pair_duration has it.
static void run_unit(const struct run *run, const struct step *step)
{
    const struct executor *e = run->executor;
    double *input = run->lanes->input;
    const double pair = e->pipeline->pair[step->device],
                 nominal = e->part[step[0].index / e->n_items].time[OPERATION_F] +
                           e->part[step[1].index / e->n_items].time[OPERATION_BW];
    struct line start = line_load(line_at(run->lanes->clock, step->device)),
                duration = line_add(time_of(run->times, OPERATION_F, step[0].index),
                                    time_of(run->times, OPERATION_BW, step[1].index));
    if (!isnan(pair))
        duration = nominal > 0 ? line_scale(pair, duration, nominal) : line_all(pair);
    for (int k = 0; k < 2; k++)
        start = line_later(line_load(line_at(input, step[k].input)), start);
    const struct line end = line_add(start, duration);
    for (int k = 0; k < 2; k++) {
        store_times(run, &step[k], ~step[0].at + k, start, end);
        send(run, &step[k], end);
    }
}

LINE_INLINE void run_step(const struct run *run, const struct step *step)
{
    const bool local = executor_types[step->type].local;
    struct line start = line_load(line_at(run->lanes->clock, step->device));
    if (!local)
        start = line_later(line_load(line_at(run->lanes->input, step->input)), start);
    const struct line end = line_add(start, time_of(run->times, step->type, step->index));
    store_times(run, step, step->at, start, end);
    if (!local)
        send(run, step, end);
}

void LANES_RUN(const struct executor *executor,
               const struct executor_lanes *lanes,
               const struct executor_times *times,
               double *starts,
               double *ends)
{
    const struct run run = {executor, lanes, times, starts, ends};
    for (int32_t i = 0; i < executor->n_steps; i++) {
        if (executor->step[i].at >= 0) {
            run_step(&run, &executor->step[i]);
            continue;
        }
        run_unit(&run, &executor->step[i]);
        i++;
    }
}
