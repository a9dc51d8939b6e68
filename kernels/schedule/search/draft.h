// SPDX-License-Identifier: Apache-2.0
// An order that a search changes: applies moves within one device, takes the last move back, and keeps
// every device within its memory limit. A move never puts an operation past another of its type and
// stage, nor past another of its micro-batch and stage, and never divides a pair.
#ifndef PPS_SCHEDULE_SEARCH_DRAFT_H
#define PPS_SCHEDULE_SEARCH_DRAFT_H

#include "kernels/common/executor/executor.h"
#include "kernels/schedule/families/family.h"

enum { DRAFT_CLEAN = -1, DRAFT_ALL = -2 };

struct draft {
    const struct pipeline *pipeline;
    enum family_objective objective;
    struct executor *executor;
    struct order order;
    bool valid;      // the executor holds the times of `order`
    double makespan; // of the last draft_run
    double span;
    double *level;  // [order_at]: memory that the device holds after the operation has started
    double *most;   // [devices]: the limit with its tolerance
    int32_t *place; // [2 * parts * items]: position of an F, of a B or BW, on its device
    int32_t n_items;
    // The last move: the old contents of positions from ... end - 1 of a device.
    int32_t device, from, end; // end <= from: nothing to take back
    struct operation *old_operations;
    uint8_t *old_paired;
    // Device whose operations from `dirty_from` on the executor does not know.
    int32_t dirty, dirty_from; // DRAFT_CLEAN: none; DRAFT_ALL: all devices
    // The critical path of `order`: operations that have to start earlier.
    int32_t n_critical;
    int32_t *critical; // order_at
    bool fine_ends;    // draft_value tells orders of one objective apart by the mean end
    bool critical_known, critical_before; // before: when the last move began
};

// Takes a draft for pipelines of at most this shape and orders of at most `operations` per device. NULL:
// the room only counts.
struct draft *draft_take(const struct pipeline_shape *most, int32_t operations,
                         struct room *room);

// Starts with a pipeline, whose limits hold; draft_set supplies the order.
void draft_open(struct draft *draft, const struct pipeline *pipeline,
                enum family_objective objective);

// Copies an order into the draft, and runs it. Returns false if a poll ended the run, the order cannot
// run, or it exceeds a limit of memory.
bool draft_set(struct draft *draft, const struct order *order, struct poll *poll);

// Returns the value of the order after a run: the objective and, with fine_ends, a small part of the mean
// end of the operations.
double draft_value(const struct draft *draft);

double draft_objective(const struct draft *draft); // makespan or span

// Moves the operation at `at` of a device to position `to`. Where an F then lacks memory, moves a W from
// behind to directly before it. Returns false, without a change, if no rule allows that.
bool draft_shift(struct draft *draft, int32_t device, int32_t at, int32_t to);

// Moves each W of positions from ... end - 1 one step: earlier (by -1) or later (by 1). Returns false if
// none moved.
bool draft_shift_w(struct draft *draft, int32_t device, int32_t from, int32_t end, int by);

// Moves each F of positions from ... end - 1 past the next B: earlier by one (-1) or later (1).
bool draft_shift_f(struct draft *draft, int32_t device, int32_t from, int32_t end, int by);

// Runs the order after a move; false: it cannot run.
bool draft_run(struct draft *draft);

void draft_undo(struct draft *draft); // takes the last move back

// Finds the critical path; draft_run has returned true, and nothing has moved since then.
void draft_find_critical(struct draft *draft);

// Ends a change of the operations at positions lo[d] ... hi[d] - 1 of each device d by the caller, who takes
// it back as well. Returns whether the memory suffices.
bool draft_changed(struct draft *draft, const int32_t *lo, const int32_t *hi);

// Makes the executor know the order; false: it cannot run.
bool draft_sync(struct draft *draft);

// Returns the order_at of the operation whose result an F or B waits for; -1: none.
int64_t draft_sender(const struct draft *draft, const struct operation *op);

#endif
