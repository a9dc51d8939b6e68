// SPDX-License-Identifier: Apache-2.0
// Builds one order of the ZB-V scheduler, with its two switches set.
//
// A micro-batch crosses every device in four phases: forward of the first stage (from device 0 to
// P - 1), forward of the second stage (back to device 0), backward of the second stage (to P - 1),
// and backward of the first stage (back to 0). A weight gradient follows each backward.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"
#include "kernels/schedule/automatic/costs.h"
#include "kernels/schedule/families/family.h"

enum { VEE_PHASES = 4 };

struct vee_device;

struct vee_attempt {
    struct costs costs;
    struct vee_device *device; // [devices]
    double *ends;              // [(phase * devices + device) * M + micro-batch]
    uint8_t *waiting;          // [device * 2 M]: phases of the backwards whose weights are due
    double *accepted;          // [devices]: idle times of the attempt before
    double most_accepted;
    bool fill_backward, fill_forward; // let weight gradients delay a phase 2, a forward
    struct order *order;
    struct poll *poll;
    enum family_status status;
    double most_idle;
};

void vee_attempt_take(struct vee_attempt *attempt, const struct pipeline_shape *shape,
                      struct room *room);

// Writes the order; attempt->costs and the switches are set. again: the idle times of the last attempt
// are accepted. FAMILY_FAILED: an operation comes before the operation that it depends on. FAMILY_NO_ROOM: a
// forward exceeds the limit although nothing can be freed. On FAMILY_DONE, attempt->most_idle is the greatest idle time of a device.
enum family_status vee_attempt_run(struct vee_attempt *attempt, bool again, struct poll *poll,
                                   struct order *order);
