// SPDX-License-Identifier: Apache-2.0
// Executes an order of operations on a pipeline: every operation starts as soon as its device is free
// and its input has arrived. Tells the start and the end of every operation, or why the order cannot
// run.
//
// An executor owns no memory of its own: it lies in a room (executor_take) and allocates nothing
// afterwards. One executor serves one thread.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order_messages.h"

#include <stddef.h>

enum executor_status {
    EXECUTOR_DONE,
    EXECUTOR_WRONG_OPERATIONS, // an operation is missing, double, or does not belong to its device
    EXECUTOR_DEADLOCK,
    EXECUTOR_STOPPED, // by the poll
};

struct executor;

// Takes an executor for pipelines of at most this shape and orders with room for at most `operations`
// per device. Returns NULL if the room only counts.
struct executor *executor_take(const struct pipeline_shape *most, int32_t operations,
                               struct room *room);

// Executes a new order with the times of the pipeline. The pipeline and the order must not change or
// end before the last call for them. poll: may be NULL. release: times before which the devices are
// not free; NULL: 0.
enum executor_status executor_run(struct executor *executor, const struct pipeline *pipeline,
                                  const struct order *order, const double *release,
                                  struct poll *poll);

// Executes an order whose messages are blocking: a message occupies both ends until both have come to it, and
// then for the occupation of the links; the rest of its delay passes without them. Devices come to messages where the
// list has them, and the channels of the pipeline are ignored. The set of operations is right, and the order does not deadlock
// without messages. Returns EXECUTOR_DONE, EXECUTOR_STOPPED, or EXECUTOR_DEADLOCK: see executor_blocked_heads. The messages
// must not change or end before the last call for them.
enum executor_status executor_run_blocking(struct executor *executor,
                                           const struct pipeline *pipeline,
                                           const struct order *order,
                                           const struct order_messages *messages,
                                           struct poll *poll);

// What a device waits at: a message, or an operation.
struct executor_head {
    int32_t device;
    int32_t message,
        other;        // of order_messages: the message, and its other end; -1: an operation
    int32_t position; // of the operation
};

// Lists the heads of all devices that wait after executor_run_blocking has returned EXECUTOR_DEADLOCK, in ascending
// order. heads: [devices]. Returns their number.
int32_t executor_blocked_heads(const struct executor *executor,
                               const struct order_messages *messages,
                               struct executor_head *heads);

// Executes the order of the last executor_run that returned EXECUTOR_DONE again, with a time for each
// operation (order_at; of a unit: at its F), and a time between the end of each operation and the
// arrival of its message (NULL: as the pipeline says).
void executor_run_again(struct executor *executor, const double *durations,
                        const double *delays);

// Executes the order of the last executor_run that returned EXECUTOR_DONE again, with the present times
// of the stages of the pipeline. The links have not changed and are PIPELINE_FREE, and no operations are
// units. poll: may be NULL. Returns EXECUTOR_DONE, or EXECUTOR_STOPPED; the order can be executed again then, too.
enum executor_status executor_run_retimed(struct executor *executor, struct poll *poll);

// ---- results of the last run that returned EXECUTOR_DONE -------------------------------------------

// Start and end of the operation at [order_at]; both parts of a unit have the times of the unit.
const double *executor_starts(const struct executor *executor);
const double *executor_ends(const struct executor *executor);
double executor_makespan(
    const struct executor *executor); // the latest end; 0 without operations
// The greatest time, over all devices, from the start of the first operation to the end of the last.
double executor_span(const struct executor *executor);

// ---- what is wrong with an order -----------------------------------------------------------------

// The position of an operation.
struct executor_place {
    int32_t device, position; // position -1: the operation is missing
    struct operation operation;
};

enum executor_wrong {
    EXECUTOR_MISSING, // the micro-batch has other operations, or its number is below M
    EXECUTOR_DOUBLE,
    EXECUTOR_FOREIGN,  // its stage is not on this device, or its numbers are out of range
    EXECUTOR_BOTH,     // BW beside B or W
    EXECUTOR_NOT_PAIR, // a paired F without a BW of the same device behind it
};

struct executor_blocked {
    struct executor_place head;      // the first operation that cannot run
    struct executor_place waits_for; // its first input that is not computed
};

enum { EXECUTOR_CYCLE_MAX = 64 };

struct executor_fault {
    // EXECUTOR_WRONG_OPERATIONS
    enum executor_wrong wrong;
    struct executor_place place;
    // EXECUTOR_DEADLOCK: n_blocked devices in ascending order, at most `room` stored, and one cycle:
    // each operation waits for the next, the last for the first. Holds at most the first
    // EXECUTOR_CYCLE_MAX operations.
    int32_t n_blocked, room;
    struct executor_blocked *blocked; // of the caller; may be NULL with room 0
    int32_t n_cycle;
    struct executor_place cycle[EXECUTOR_CYCLE_MAX];
};

// Finds out what is wrong after executor_run has returned EXECUTOR_WRONG_OPERATIONS or
// EXECUTOR_DEADLOCK. `fault` has room and blocked set by the caller.
void executor_diagnose(struct executor *executor, struct executor_fault *fault);
