// SPDX-License-Identifier: Apache-2.0
// An order that a search changes: applies moves within one device, takes the last move back, and keeps
// every device within its memory limit. A move never puts an operation past another of its type and
// stage, nor past another of its micro-batch and stage, and never divides a pair.
#pragma once

#include "kernels/schedule/families/family.h"

struct draft {
    const struct pipeline *pipeline;
    struct order order;
    double *level;  // [order_at]: memory that the device holds after the operation has started
    double *most;   // [devices]: the limit with its tolerance
    int32_t *place; // [2 * parts * items]: position of an F, of a B or BW, on its device
    int32_t n_items;
    // The last move: the old contents of positions from ... end - 1 of a device.
    int32_t device, from, end; // end <= from: nothing to take back
    struct operation *old_operations;
    uint8_t *old_paired;
};

// Takes a draft for pipelines of at most this shape and orders of at most `operations` per device. NULL:
// the room only counts.
struct draft *draft_take(const struct pipeline_shape *most, int32_t operations,
                         struct room *room);

// Starts with a pipeline, whose limits hold; draft_set supplies the order.
void draft_open(struct draft *draft, const struct pipeline *pipeline);

// Copies an order into the draft. Returns false if it exceeds a limit of memory.
bool draft_set(struct draft *draft, const struct order *order);

// Moves the operation at `at` of a device to position `to`. Where an F then lacks memory, moves a W from
// behind to directly before it. Returns false, without a change, if no rule allows that.
bool draft_shift(struct draft *draft, int32_t device, int32_t at, int32_t to);

// Moves each W of positions from ... end - 1 one step: earlier (by -1) or later (by 1). Returns false if
// none moved.
bool draft_shift_w(struct draft *draft, int32_t device, int32_t from, int32_t end, int by);

// Moves each F of positions from ... end - 1 past the next B: earlier by one (-1) or later (1).
bool draft_shift_f(struct draft *draft, int32_t device, int32_t from, int32_t end, int by);

void draft_undo(struct draft *draft); // takes the last move back

// Ends a change of the operations at positions lo[d] ... hi[d] - 1 of each device d by the caller, who takes
// it back as well. Returns whether the memory suffices.
bool draft_changed(struct draft *draft, const int32_t *lo, const int32_t *hi);

// Returns the order_at of the operation whose result an F or B waits for; -1: none.
int64_t draft_sender(const struct draft *draft, const struct operation *op);

// Returns the order_at of the F or B that waits for an operation on its stage or another; -1: none.
int64_t draft_receiver(const struct draft *draft, const struct operation *op);
