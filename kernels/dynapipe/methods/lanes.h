// SPDX-License-Identifier: Apache-2.0
// Holds what each device does in which order, and executes it. A device has two lanes: one computes, one sends in both
// directions; receiving costs nothing. A lane runs one operation at a time. Operations of a micro-batch form a chain:
// forwards through all stages with the activations between them, then backwards with the gradients. There is no
// transfer between the forward and the backward of the last stage.
//
// An operation starts when the one before it in its chain and the one before it on its lane have ended, so that the
// starts are longest paths in an acyclic graph. Times are in us, memory in MB.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/dynapipe/model/micro_batches.h"

enum lane { LANE_COMPUTE, LANE_SEND, LANES };

// Of the compute lane: the forward or the backward of a stage. Of the send lane: the activation behind the forward of
// `stage`, or the gradient that `stage` sends to stage - 1.
struct lane_operation {
    int32_t micro_batch;
    int32_t stage;
    bool backward;
};

// Returns whether the result of an operation of the compute lane is sent.
static inline bool lane_sends(int32_t stages, const struct lane_operation *op)
{
    return op->backward ? op->stage > 0 : op->stage < stages - 1;
}

static inline double lane_duration(const struct micro_batches *batches, enum lane lane,
                                   const struct lane_operation *op)
{
    const int64_t at = micro_batches_at(batches, op->micro_batch, op->stage);
    if (lane == LANE_COMPUTE)
        return op->backward ? batches->backward[at] : batches->forward[at];
    return op->backward ? batches->gradient[at - 1] : batches->activation[at];
}

// The operation at position i of a lane of device d is at [d * room + i].
struct lanes {
    int32_t devices, room;
    int32_t *n[LANES]; // [devices]
    struct lane_operation *operations[LANES];
};

// Takes the arrays; the lanes are empty then.
void lanes_take(struct lanes *lanes, int32_t devices, int32_t room, struct room *memory);
void lanes_clear(struct lanes *lanes);

static inline int64_t lanes_at(const struct lanes *lanes, int32_t device, int32_t position)
{
    return (int64_t)device * lanes->room + position;
}

static inline void lanes_add(struct lanes *lanes, enum lane lane, int32_t device,
                             const struct lane_operation *operation)
{
    lanes->operations[lane][lanes_at(lanes, device, lanes->n[lane][device]++)] = *operation;
}

// Fills the send lanes: each device sends in the order in which it computes.
void lanes_send_as_computed(struct lanes *lanes, const struct dynapipe_pipeline *pipeline);

// ---- execution ------------------------------------------------------------------------------------

struct lanes_times; // one thread

// Takes the memory for schedules of this size.
struct lanes_times *lanes_times_take(int32_t devices, int32_t stages, int32_t micro_batches,
                                     struct room *room);

// Executes the lanes. Returns false if they cannot run: an operation waits for one behind it on a lane, or is
// missing. The lanes hold each operation at most once.
bool lanes_execute(struct lanes_times *times, const struct dynapipe_pipeline *pipeline,
                   const struct micro_batches *batches, const struct lanes *lanes);

// Start and end of an operation after lanes_execute has returned true.
double lanes_start(const struct lanes_times *times, enum lane lane,
                   const struct lane_operation *operation);
double lanes_end(const struct lanes_times *times, enum lane lane,
                 const struct lane_operation *operation);
double lanes_makespan(const struct lanes_times *times); // the latest end

// Overwrites the times of an operation: for methods with clocks of their own.
void lanes_set(struct lanes_times *times, enum lane lane,
               const struct lane_operation *operation, double start, double end);
void lanes_set_makespan(struct lanes_times *times, double makespan);

// ---- figures --------------------------------------------------------------------------------------

// Returns the time that a device computes.
double lanes_busy(const struct lanes *lanes, const struct micro_batches *batches,
                  int32_t device);

// Returns the largest memory of a device: the order of its compute lane decides it. A forward needs its peak besides,
// then keeps what it stores until the end of the backward, which needs what it makes again besides.
double lanes_peak(const struct lanes *lanes, const struct dynapipe_pipeline *pipeline,
                  const struct micro_batches *batches, int32_t device);
