// SPDX-License-Identifier: Apache-2.0
// Runs one training step in which every device decides what to do next while the step runs: the
// event-driven environment of online policies. A decision sees only the past: operations that have
// started or ended, messages that have arrived. The times of future operations are hidden.
//
// The environment offers only actions that can run to the end within the memory limits: no sequence of
// choices leads to a deadlock or exceeds a limit (online_guard, model.md). All F of a stage run in the
// order of the micro-batches, and so do all B and all W.
//
// Lies in a room and allocates nothing afterwards. One environment serves one thread.
#pragma once

#include "kernels/common/executor/executor_times.h"

struct online;

// ---- a problem ----------------------------------------------------------------------------------

// Returns why the environment cannot run a pipeline with a reference order, one of a fixed set of texts;
// NULL: it can. The order runs (executor_run) and stays within the limits.
const char *online_misfit(const struct pipeline *pipeline, const struct order *reference);

// Takes an environment for pipelines of at most this shape and orders with room for at most `operations`
// per device. NULL: the room only counts.
struct online *online_take(const struct pipeline_shape *most, int32_t operations,
                           struct room *room);

// Sets the pipeline, whose times are the nominal ones, and the order that policies refer to. Both must not
// change or end before the last call for them. A device without a memory limit gets the peak of the
// reference order as its limit.
void online_open(struct online *online, const struct pipeline *pipeline,
                 const struct order *reference);

// Starts a step with the times of one replicate; times: NULL for the nominal times. The times stay until
// the step is complete.
void online_start(struct online *online, const struct executor_times *times, int lane);

// Sets a step to another one at its moment, also to its last decision. Both environments are taken for the same
// shape and have the same problem; what they do afterwards is separate.
void online_copy(struct online *to, const struct online *from);

// Lets devices wait although no message is on its way to them. Static orders and rules that follow an order
// need it. When all devices wait for each other, they are asked again without WAIT. Off after online_open;
// online_start keeps it.
void online_let_wait(struct online *online, bool always);

// ---- decisions ----------------------------------------------------------------------------------

// The type of the action that waits until the input of the next F or B of a stage arrives.
enum { ONLINE_WAIT = OPERATION_TYPES };

struct online_candidate {
    int32_t type;   // OPERATION_F, OPERATION_B, OPERATION_W, ONLINE_WAIT
    int32_t chunk;  // the number of the stage among those of its device, ascending; WAIT: -1
    int32_t stage;  // WAIT: -1
    int32_t item;   // micro-batch; WAIT: -1
    int32_t at;     // position in the reference order of the device; WAIT: -1
    double nominal; // time; WAIT: 0
};

// Chunks of a device in ascending order of their stages; of each the next F, the next B, and the oldest W
// that can run, as far as admissible; then WAIT.
struct online_decision {
    int32_t device;
    int32_t n; // candidates: at least 1
    double now;
    struct online_candidate *candidate; // [n]; of the environment, until the next call
};

// Advances to the next moment in which a device is free and has an admissible operation. Of devices that
// decide at the same moment, the one with the smallest number is first. Returns false when the step is
// complete.
bool online_next(struct online *online, struct online_decision *decision);

// Carries out a candidate of the decision that online_next returned last.
void online_act(struct online *online, int32_t candidate);

// ---- what a policy may know ---------------------------------------------------------------------

// A device as it is at the moment of the decision. `next` and all other positions are those of the
// reference order of the device.
struct online_device {
    double used, limit;  // memory, with the fixed part
    int32_t n_chunks;    // stages of the device
    int32_t n;           // operations of the step
    int32_t started;     // operations that have started
    int32_t next;        // the first position whose operation has not started; n: none
    int32_t next_fb;     // the first position of an F or B that has not started; n: none
    int32_t next_w;      // the first position of a W that has not started; n: none
    int32_t left[3];     // F, B, W that have not started
    double work_left[3]; // their nominal time
    int32_t in_flight;   // F that have started whose W has not started
    int32_t cap;     // forwards that fit in the limit, at the device's mean memory of a forward
    int32_t pending; // W that could run: their B has ended
    // Of the operations that have ended: for the speed of the device, and how much it varies.
    int32_t n_ended;
    double actual, nominal; // sums of times
    double squares;         // sum of (actual / nominal)^2
    double ratios;          // sum of actual / nominal
    // Of the inputs from other devices that its F and B have used: how late they were.
    int32_t n_received;
    double late;         // sum of arrival - expected arrival
    double late_squares; // sum of the squares
    // The running operation.
    bool busy;
    double expected; // its end by its nominal time; not busy: the end of the last operation
};

const struct online_device *online_device(struct online *online, int32_t device);

// Returns whether the input of the next F or B (`type`) of a stage has arrived.
bool online_is_here(const struct online *online, int32_t type, int32_t stage);

// Returns the arrival of the input of the next F or B of a stage: the time if it is here; if the operation
// that sends it has started before now, the expected time by nominal times from its start, which may have
// passed; otherwise, and after the last micro-batch, INFINITY.
double online_expected(const struct online *online, int32_t type, int32_t stage);

// Numbers of F, B, W (`type`) of a stage that have started.
int32_t online_count(const struct online *online, int32_t type, int32_t stage);

// Stages of a device, ascending, [n_chunks].
const int32_t *online_stages(const struct online *online, int32_t device);

// Returns an operation of the reference order.
struct operation online_reference(const struct online *online, int32_t device,
                                  int32_t position);

// Nominal figures of the reference order, [order_at]: start of each operation, and time from its start to
// the end of the step along the longest chain of operations and messages.
const double *online_reference_starts(const struct online *online);
const double *online_reference_tails(const struct online *online);
double online_reference_makespan(const struct online *online);

// ---- results of a complete step ----------------------------------------------------------------

double online_makespan(const struct online *online);

// The order that was run, with the starts and ends at [order_at] of this order.
const struct order *online_order(const struct online *online);
const double *online_starts(const struct online *online);
const double *online_ends(const struct online *online);
