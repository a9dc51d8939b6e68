// SPDX-License-Identifier: Apache-2.0
// The state of an executor, which its files share.
#pragma once

#include "kernels/common/executor/executor_times.h"

// What an operation of a type does on a stage in one direction.
struct task {
    double time;
    double delay;  // from the end of the operation, or the start of the sending, to the arrival
    int32_t input; // from the index of the operation to the input that it waits for
    int32_t output;           // from the index to the input that it feeds; -1: feeds none
    int16_t device, receiver; // receiver of the message; number of devices: none
    uint8_t type;
    uint8_t bit; // of `seen`
    uint8_t relevant,
        needed; // bits of `seen` that matter, and those of them that must be there
};

// The resource that sends the messages of a task.
struct channel {
    double occupation;
    int32_t resource; // index of free_at; -1: none
};

enum { SEEN_F = 1, SEEN_B = 2, SEEN_W = 4, SEEN_BW = 8, SEEN_R = 16 };

// An executed operation. Its index is input - task.input.
struct step {
    int32_t at;     // order_at; ~at: the F of a unit, whose BW is the next step
    int32_t input;  // index of the input that it waited for
    int32_t output; // index of the input that it feeds; no_output
    int32_t task;
};

// An index counts operations of a kind: part * stride + item. Input k of index i is input[k * n + i] with
// n = parts * stride: k is 0 for a forward, 1 for a backward. W and R wait for what B and F have waited for:
// `seen` holds which operations of the device ran.
struct executor {
    const struct pipeline *pipeline;
    const struct order *order;
    struct poll *poll;
    const double *release;
    int32_t room; // operations of a device at most
    int32_t n_parts, n_items;
    int32_t stride;    // indices of a part: order_stride of n_items
    int32_t no_output; // an element of `input` behind the others, which nobody reads
    double makespan, span;

    double *starts, *ends;   // [order_at]
    double *input;           // arrival; negative: not sent yet
    uint8_t *seen;           // [index]: bits SEEN_ of the executed operations
    struct task *task;       // [part * OPERATION_TYPES + type]
    int32_t *from_times;     // [task]: from an index in struct executor_times to the input
    struct channel *channel; // [part * 2 + 1 after a backward]
    double *free_at;         // [resource]
    double *clock;           // [device]
    const struct order_messages *messages; // blocking ones, at their places; NULL: none
    int32_t *next;                         // [device]: of the messages
    int32_t *position;                     // [device]: of the next operation
    int32_t *wanted;   // [device]: the input that it waits for; -1: none; one more element, -1
    int32_t *awake;    // [devices + 1]: queue of devices
    struct step *step; // [n_steps]: in the order of execution
    int32_t n_steps;
    uint64_t
        done; // number of executed F in the upper half, of B and W in the lower; a BW is both
};

// Returns whether an operation can belong to a device, by its numbers.
static inline bool executor_is_here(const struct executor *e, const struct operation *op,
                                    int32_t device)
{
    const int32_t part = op->direction * e->pipeline->shape.stages + op->stage;
    return (uint32_t)op->stage < (uint32_t)e->pipeline->shape.stages && part < e->n_parts &&
           (uint32_t)op->item < (uint32_t)e->n_items && op->type < OPERATION_TYPES &&
           e->task[part * OPERATION_TYPES].device == device;
}

static inline int32_t executor_index(const struct executor *e, const struct operation *op)
{
    return (op->direction * e->pipeline->shape.stages + op->stage) * e->stride + op->item;
}

// Returns the index in struct executor_times of an operation that waits for an input.
static inline int32_t executor_index_of_times(const struct executor *e, int32_t task,
                                              int32_t input)
{
    return input - e->from_times[task];
}

// What a type of operation needs and does.
struct executor_type {
    uint8_t excluded; // bits of `seen` that may not be there
    uint8_t needed;   // bits that must be there: inputs of the same stage
    bool backward;    // waits for a gradient and sends one
    bool local;       // neither waits for a message nor sends one
    uint64_t done;    // what it adds to `done`
};

extern const struct executor_type executor_types[OPERATION_TYPES];

// Times that an execution has instead of those of the pipeline.
struct executor_own {
    const double *durations;            // [order_at]
    const struct executor_times *times; // instead of durations; or NULL
    int lane;                           // of `times`
};

// Prepares the executor for a new order: sets its tasks, and forgets what is executed.
void executor_prepare(struct executor *e, const struct pipeline *pipeline,
                      const struct order *order, const double *release, struct poll *poll);

// Forgets what is executed.
void executor_reset(struct executor *e);

// What a message takes.
struct executor_message {
    double delay, occupation;
};

// Of the message of a task. input: index of the input of the operation that sends it. own: or NULL.
struct executor_message executor_message_of(const struct executor *e,
                                            const struct executor_own *own, int32_t task,
                                            int32_t input);

// An input that a listed message brings. Other inputs that are not there are -1.
#define EXECUTOR_BY_MESSAGE (-2.0)

// Runs the next operation of a device, or the unit that begins there. Returns the number of operations that ran.
int32_t executor_visit(struct executor *e, const struct executor_own *own, int32_t device);

// Executes with blocking messages. Returns false if the poll ends the execution.
bool executor_execute_blocking(struct executor *e, const struct executor_own *own);

// Returns whether listed messages are left.
bool executor_has_messages(const struct executor *e);

// Executes all devices from their positions on. own: NULL: the times of the pipeline. EXECUTOR_DEADLOCK:
// some operation did not run, or the set of operations is wrong.
enum executor_status executor_execute(struct executor *e, const struct executor_own *own);

// Executes the order of the last run again with the times of a lane.
void executor_run_lane(struct executor *e, const struct executor_times *times, int lane);

// Sets makespan and span.
void executor_finish(struct executor *e);

// Returns whether the operation must come after that of another slice of its micro-batch, which has not
// run.
bool executor_lacks_slice(const struct executor *e, const struct operation *op, int32_t index);

// Returns whether the two operations from a position on can be a unit.
bool executor_is_pair(const struct order *order, int32_t device, int32_t position);

// Checks the set of operations of the order; returns whether it is right. fault: may be NULL. Overwrites
// `seen`.
bool executor_check(struct executor *e, struct executor_fault *fault);
