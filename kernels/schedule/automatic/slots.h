// SPDX-License-Identifier: Apache-2.0
// Schedules of placement V as operations in slots of unit length: repeats a pattern with a period,
// and then pulls the operations of the warm-up and of the cool-down forward without more
// memory.
//
// Phases of a micro-batch on a device: 0, 1: forwards of the first and the second stage; 2, 3: backwards of
// the second and the first stage.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"

enum { SLOT_W = 4, SLOT_KINDS }; // kinds 0 to 3: the phases

struct slots {
    int32_t devices, micro_batches;
    int32_t period;
    int32_t room;       // slots of a device
    int32_t end;        // the slots from here on are free on all devices
    int32_t most;       // memory of a device at most, in chunks
    int32_t *cell;      // [device * room + slot]: item * SLOT_KINDS + kind; -1: free
    int32_t *place;     // slot of an operation; see place_of
    int32_t *backwards; // [devices]: backwards that a pass has visited
    int32_t *level;     // [device * room + slot]: chunks in memory after the slot
    int32_t *waiting;   // [device * room + slot]: weight gradients that are due after the slot
    struct poll *poll;
    bool stopped;
    bool differs; // of slots_build: `published` of the pattern matters
};

// per_device: slots of a device; slots_build needs two per micro-batch behind the last of the pattern.
void slots_take(struct slots *slots, const struct pipeline_shape *shape, int32_t per_device,
                struct room *room);

struct slots_pattern {
    int32_t period;
    const int32_t *first; // [phase * devices + device]: the slot of micro-batch 0
    bool published; // with few micro-batches, (a part of) the cool-down is not pulled forward
};

// Writes the order of the repeated pattern, with F, B and W. Returns false if the poll ended it, or the
// pattern needs more slots than were taken.
bool slots_build(struct slots *slots, const struct pipeline_shape *shape,
                 const struct slots_pattern *pattern, struct poll *poll, struct order *order);
