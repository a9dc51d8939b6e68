// SPDX-License-Identifier: Apache-2.0
// Executes an order of operations on a pipeline.
//
// The devices take turns. A device executes operations until one waits for a message, which wakes it. Each
// operation waits for at most one message: an F for the F of the stage before, a B for the B of the stage
// behind, the last B for its own F. Other inputs come from the same device: `seen` tells whether they ran.
// In the same pass the operations are counted. If all ran and the counts are right, the set of operations
// was right, too; otherwise executor_check looks for the reason.
//
// The loop is compiled twice: for pipelines with free channels, without slices and with their own times, and
// for all. In both, what it needs of the executor is in local variables.
#include "kernels/common/executor/executor_private.h"

#include <math.h>

// Operations that a device executes before it is another device's turn. In the order of execution, operations
// that do not wait for each other then stand side by side, and a processor overlaps them when it repeats the
// order; with fewer, it loads more lines of the cache at a time. Of 1, 2, 3, 4, 6 and no limit, measured
// 2026-11.
enum { TURN = 3 };

#define INLINE static inline __attribute__((always_inline))

struct run {
    struct executor *executor;
    const struct executor_own *own; // NULL: the times of the pipeline
    bool simple;                    // free channels, no slices, no own times
    const struct operation *operations;
    const struct task *task;
    double *starts, *ends, *input;
    uint8_t *seen;
    int32_t *wanted, *awake;
    struct step *step;
    int32_t stages, n_parts, n_items, stride, no_output;
    int32_t n_steps;
    int32_t devices, first, last; // of the queue of awake devices; first == last: empty
    uint64_t done;
};

// ---- messages -----------------------------------------------------------------------------------

struct executor_message executor_message_of(const struct executor *e,
                                            const struct executor_own *own, int32_t number,
                                            int32_t input)
{
    const struct task *task = &e->task[number];
    const bool backward = executor_types[task->type].backward;
    const double occupation = e->channel[number / OPERATION_TYPES * 2 + backward].occupation;
    if (own == NULL || own->times == NULL)
        return (struct executor_message){task->delay, occupation};
    const int64_t at = executor_index_of_times(e, number, input);
    const double delay = own->times->delay[backward][at * EXECUTOR_LANES + own->lane];
    return (struct executor_message){delay,
                                     task->delay > 0 ? occupation * (delay / task->delay) : 0};
}

// Sends the message of an operation that ends at `end`. Returns its arrival. A blocking message begins at once, because
// what both ends have done before is known: it stands behind all of that.
static double arrival_of(const struct run *run, int32_t number, int32_t index, double end)
{
    const struct executor *e = run->executor;
    const struct task *task = &e->task[number];
    const bool backward = executor_types[task->type].backward;
    const struct channel *channel = &e->channel[number / OPERATION_TYPES * 2 + backward];
    const struct executor_message message =
        executor_message_of(e, run->own, number, index + task->input);
    if (e->messages != NULL)
        return e->input[index + task->output] == EXECUTOR_BY_MESSAGE ? EXECUTOR_BY_MESSAGE
                                                                     : end + message.delay;
    if (channel->resource >= 0 && e->pipeline->links.channels == PIPELINE_BLOCKING) {
        end = fmax(fmax(e->clock[task->device], e->clock[task->receiver]), end);
        e->clock[task->device] = e->clock[task->receiver] = end + message.occupation;
    } else if (channel->resource >= 0) {
        double *free_at = &e->free_at[channel->resource];
        end = end > *free_at ? end : *free_at;
        *free_at = end + message.occupation;
    }
    return end + message.delay;
}

// ---- steps --------------------------------------------------------------------------------------

// An operation that is ready to run, as far as its device is concerned.
struct candidate {
    const struct task *task; // NULL: the operation cannot run
    int32_t number;          // of the task
    int32_t index;
};

// Prepares an operation. It cannot run if it does not belong here, is not new, or lacks an input of this
// device.
INLINE struct candidate prepare(const struct run *run, int64_t at, int32_t d)
{
    const struct operation op = run->operations[at];
    const int32_t part = op.direction * run->stages + op.stage,
                  number = part * OPERATION_TYPES + op.type,
                  index = part * run->stride + op.item;
    if ((uint32_t)op.stage >= (uint32_t)run->stages || part >= run->n_parts ||
        (uint32_t)op.item >= (uint32_t)run->n_items || op.type >= OPERATION_TYPES)
        return (struct candidate){NULL, 0, 0};
    const struct task *task = &run->task[number];
    if (task->device != d || (run->seen[index] & task->relevant) != task->needed ||
        (!run->simple && run->executor->pipeline->shape.slices > 1 &&
         executor_lacks_slice(run->executor, &run->operations[at], index)))
        return (struct candidate){NULL, 0, 0};
    return (struct candidate){task, number, index};
}

// Adds a device to the queue, if it is awake.
INLINE void add_awake(struct run *run, int32_t device, bool is_awake)
{
    run->awake[run->last] = device;
    run->last = run->last + is_awake <= run->devices ? run->last + is_awake : 0;
}

INLINE int32_t next_awake(struct run *run)
{
    const int32_t device = run->awake[run->first];
    run->first = run->first < run->devices ? run->first + 1 : 0;
    return device;
}

// Ends an operation: its message is sent, and wakes the receiver if it waits for the message. unit: the
// operation is the F of a unit.
INLINE void finish_step(struct run *run, struct candidate c, int64_t at, bool unit,
                        double start, double end)
{
    const struct task *task = c.task;
    const bool sends = task->output >= 0;
    const int32_t output = sends ? c.index + task->output : run->no_output,
                  receiver = task->receiver;
    run->starts[at] = start;
    run->ends[at] = end;
    run->seen[c.index] |= task->bit;
    run->done += executor_types[task->type].done;
    run->step[run->n_steps++] = (struct step){.at = (int32_t)(unit ? ~at : at),
                                              .input = c.index + task->input,
                                              .output = output,
                                              .task = c.number};
    run->input[output] =
        run->simple || !sends ? end + task->delay : arrival_of(run, c.number, c.index, end);
    const int32_t wanted = run->wanted[receiver];
    const bool wakes = wanted == output;
    run->wanted[receiver] = wakes ? -1 : wanted;
    add_awake(run, receiver, wakes);
}

// Returns the duration of an operation, or of a unit that begins with it and ends with the
// operation whose times have the index `behind`.
INLINE double duration_of(const struct run *run, struct candidate c, int32_t behind, int64_t at,
                          double start)
{
    const struct executor_own *own = run->own;
    if (run->simple || own == NULL)
        return c.task->time;
    const struct executor_piece piece = {
        .type = (enum operation_type)c.task->type,
        .device = c.task->device,
        .index = executor_index_of_times(run->executor, c.number, c.index + c.task->input),
        .behind = behind,
        .lane = own->lane,
        .start = start};
    return own->times == NULL
               ? own->durations[at]
               : executor_times_duration(own->times, run->executor->pipeline, &piece);
}

// Runs a forward and the backward behind it as one unit, if they can run. Returns whether they could.
INLINE bool run_unit(struct run *run, int32_t d, int32_t position, double *clock)
{
    const struct executor *e = run->executor;
    const int64_t at = order_at(e->order, d, position);
    const double pair = e->pipeline->pair[d];
    struct candidate c[2];
    double start = *clock;
    if (!executor_is_pair(e->order, d, position))
        return false;
    for (int k = 0; k < 2; k++) {
        c[k] = prepare(run, at + k, d);
        if (c[k].task == NULL)
            return false;
        const int32_t input = c[k].index + c[k].task->input;
        if (run->input[input] < 0) {
            run->wanted[d] = input;
            return false;
        }
        start = fmax(start, run->input[input]);
    }
    double duration = isnan(pair) ? c[0].task->time + c[1].task->time : pair;
    if (run->own != NULL)
        duration = duration_of(
            run, c[0], executor_index_of_times(e, c[1].number, c[1].index + c[1].task->input),
            at, start);
    *clock = start + duration;
    for (int k = 0; k < 2; k++)
        finish_step(run, c[k], at + k, k == 0, start, *clock);
    return true;
}

// Runs the operation at a position, or the unit that begins there. Returns the number of operations that
// ran.
INLINE int32_t run_next(struct run *run, int32_t d, int32_t position, double *clock)
{
    const struct order *order = run->executor->order;
    const int64_t at = order_at(order, d, position);
    if (order->paired[at])
        return run_unit(run, d, position, clock) ? 2 : 0;
    const struct candidate c = prepare(run, at, d);
    if (c.task == NULL)
        return 0;
    const int32_t input = c.index + c.task->input;
    const double ready = run->input[input];
    if (ready < 0) {
        run->wanted[d] = input;
        return 0;
    }
    const double start = ready > *clock ? ready : *clock,
                 end = start + duration_of(run, c, -1, at, start);
    *clock = end;
    finish_step(run, c, at, false, start, end);
    return 1;
}

// ---- execution ----------------------------------------------------------------------------------

// Executes a device until its next operation waits, or for a turn.
INLINE void advance(struct run *run, int32_t d)
{
    struct executor *e = run->executor;
    const int32_t n = e->order->n[d];
    int32_t position = e->position[d], ran = 1;
    double clock = e->clock[d];
    for (int k = 0; k < TURN && ran > 0 && position < n; k++) {
        ran = run_next(run, d, position, &clock);
        position += ran;
    }
    e->position[d] = position;
    e->clock[d] = clock;
    add_awake(run, d, ran > 0 && position < n);
}

INLINE struct run open_run(struct executor *e, const struct executor_own *own, bool simple)
{
    return (struct run){.executor = e,
                        .own = own,
                        .simple = simple,
                        .operations = e->order->operations,
                        .task = e->task,
                        .starts = e->starts,
                        .ends = e->ends,
                        .input = e->input,
                        .seen = e->seen,
                        .wanted = e->wanted,
                        .awake = e->awake,
                        .step = e->step,
                        .stages = e->pipeline->shape.stages,
                        .n_parts = e->n_parts,
                        .n_items = e->n_items,
                        .stride = e->stride,
                        .no_output = e->no_output,
                        .n_steps = e->n_steps,
                        .devices = e->order->devices,
                        .done = e->done};
}

int32_t executor_visit(struct executor *e, const struct executor_own *own, int32_t d)
{
    struct run run = open_run(e, own, false);
    double clock = e->clock[d];
    const int32_t ran = run_next(&run, d, e->position[d], &clock);
    e->position[d] += ran;
    e->clock[d] = fmax(e->clock[d], clock); // messages may have occupied the device
    e->n_steps = run.n_steps;
    e->done = run.done;
    return ran;
}

// Returns false if the poll ends the execution.
INLINE bool execute(struct executor *e, const struct executor_own *own, bool simple)
{
    struct run run = open_run(e, own, simple);
    bool over = false;
    run.last = run.devices;
    while (run.first != run.last && !over) {
        const int32_t before = run.n_steps;
        advance(&run, next_awake(&run));
        over = poll_over_after(e->poll, (uint64_t)(run.n_steps - before));
    }
    e->n_steps = run.n_steps;
    e->done = run.done;
    return !over;
}

static bool execute_simple(struct executor *e)
{
    return execute(e, NULL, true);
}

static bool execute_any(struct executor *e, const struct executor_own *own)
{
    return execute(e, own, false);
}

static bool is_complete(const struct executor *e)
{
    const uint64_t all = (uint64_t)e->pipeline->shape.stages * (uint64_t)e->n_items;
    for (int32_t d = 0; d < e->order->devices; d++)
        if (e->position[d] < e->order->n[d])
            return false;
    return e->done == (all << 32 | all * 2);
}

void executor_finish(struct executor *e)
{
    e->makespan = e->span = 0;
    for (int32_t d = 0; d < e->order->devices; d++) {
        if (e->order->n[d] == 0)
            continue;
        const double first = e->starts[order_at(e->order, d, 0)], last = e->clock[d];
        e->makespan = last > e->makespan ? last : e->makespan;
        e->span = last - first > e->span ? last - first : e->span;
    }
}

enum executor_status executor_execute(struct executor *e, const struct executor_own *own)
{
    const enum pipeline_channels channels = e->pipeline->links.channels;
    const bool blocking = e->messages != NULL || channels == PIPELINE_BLOCKING,
               simple =
                   own == NULL && channels == PIPELINE_FREE && e->pipeline->shape.slices == 1;
    for (int32_t d = 0; d < e->order->devices; d++) {
        e->wanted[d] = -1;
        e->awake[d] = d;
    }
    e->wanted[e->order->devices] = -1;
    if (!(blocking ? executor_execute_blocking(e, own)
          : simple ? execute_simple(e)
                   : execute_any(e, own)))
        return EXECUTOR_STOPPED;
    if (!is_complete(e) || executor_has_messages(e))
        return EXECUTOR_DEADLOCK;
    executor_finish(e);
    return EXECUTOR_DONE;
}
