// SPDX-License-Identifier: Apache-2.0
// Executes one order with the times of several replicates: all at once, or one after the other.
#include "kernels/common/executor/lanes_private.h"

#include <string.h>

static size_t parts_of(const struct pipeline_shape *shape)
{
    return (size_t)shape->directions * (size_t)shape->stages;
}

static size_t items_of(const struct pipeline_shape *shape)
{
    return (size_t)order_stride(shape->micro_batches * shape->slices);
}

struct executor_lanes *executor_lanes_take(const struct pipeline_shape *most, struct room *room)
{
    const size_t line = EXECUTOR_LANES * sizeof(double), devices = (size_t)most->devices;
    struct executor_lanes *lanes = room_take(room, 1, sizeof *lanes), counted;
    struct executor_lanes *l = lanes != NULL ? lanes : &counted;
    l->input = room_take(room, 2 * parts_of(most) * items_of(most) + 1, line);
    l->clock = room_take(room, devices, line);
    for (int set = EXECUTOR_N_SETS - 1;
         !executor_lanes_choose(l, (enum executor_lanes_set)set);)
        set--;
    return lanes;
}

bool executor_lanes_choose(struct executor_lanes *lanes, enum executor_lanes_set set)
{
    bool can = set == EXECUTOR_PAIR;
    executor_lanes_steps *steps = executor_lanes_pair;
#ifdef __x86_64__
    if (set == EXECUTOR_AVX2) {
        can = __builtin_cpu_supports("avx2");
        steps = executor_lanes_avx2;
    } else if (set == EXECUTOR_AVX512) {
        can = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        steps = executor_lanes_avx512;
    }
#endif
    if (can)
        lanes->steps = steps;
    return can;
}

static void set_line(double *lines, int64_t index, double value)
{
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        lines[index * EXECUTOR_LANES + lane] = value;
}

// Sets the inputs of the model and the moments at which the devices are free.
static void reset(const struct executor *e, struct executor_lanes *lanes)
{
    const int32_t stages = e->pipeline->shape.stages;
    for (int32_t k = 0; k < e->n_parts; k += stages)
        memset(lanes->input + (int64_t)k * e->stride * EXECUTOR_LANES, 0,
               (size_t)e->n_items * EXECUTOR_LANES * sizeof *lanes->input);
    for (int32_t d = 0; d < e->order->devices; d++)
        set_line(lanes->clock, d, e->release != NULL ? e->release[d] : 0);
}

// Returns the start of the first operation of a device, from the inputs that it waited for.
static double first_start(const struct executor *e, const struct executor_lanes *lanes,
                          int32_t device, int lane)
{
    const int64_t at = order_at(e->order, device, 0);
    double start = e->release != NULL ? e->release[device] : 0;
    for (int k = 0; k < (e->order->paired[at] ? 2 : 1); k++) {
        const struct operation *op = &e->order->operations[at + k];
        const int32_t index = executor_index(e, op),
                      part = op->direction * e->pipeline->shape.stages + op->stage,
                      input = index + e->task[part * OPERATION_TYPES + op->type].input;
        const double ready = lanes->input[(int64_t)input * EXECUTOR_LANES + lane];
        start = ready > start ? ready : start;
    }
    return start;
}

static void measure(const struct executor *e, const struct executor_lanes *lanes,
                    struct executor_lanes_result *result)
{
    memset(result->makespan, 0, sizeof result->makespan);
    memset(result->span, 0, sizeof result->span);
    for (int32_t d = 0; d < e->order->devices; d++)
        for (int lane = 0; lane < EXECUTOR_LANES && e->order->n[d] > 0; lane++) {
            const double last = lanes->clock[d * EXECUTOR_LANES + lane],
                         span = last - first_start(e, lanes, d, lane);
            if (last > result->makespan[lane])
                result->makespan[lane] = last;
            if (span > result->span[lane])
                result->span[lane] = span;
        }
}

// Executes one lane after the other.
static void run_singly(struct executor *e, const struct executor_times *times,
                       struct executor_lanes_result *result)
{
    for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
        executor_run_lane(e, times, lane);
        result->makespan[lane] = e->makespan;
        result->span[lane] = e->span;
        for (int32_t d = 0; d < e->order->devices && result->starts != NULL; d++)
            for (int32_t i = 0; i < e->order->n[d]; i++) {
                const int64_t at = order_at(e->order, d, i);
                result->starts[at * EXECUTOR_LANES + lane] = e->starts[at];
                result->ends[at * EXECUTOR_LANES + lane] = e->ends[at];
            }
    }
}

void executor_lanes_run(struct executor *executor, struct executor_lanes *lanes,
                        const struct executor_times *times,
                        struct executor_lanes_result *result)
{
    if (executor->pipeline->links.channels != PIPELINE_FREE || times->duration != NULL) {
        run_singly(executor, times, result);
        return;
    }
    reset(executor, lanes);
    lanes->steps(executor, lanes, times, result->starts, result->ends);
    measure(executor, lanes, result);
}
