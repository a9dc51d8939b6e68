// SPDX-License-Identifier: Apache-2.0
// Builds one order of the zero-bubble scheduler, with its three switches set.
#ifndef PPS_SCHEDULE_AUTOMATIC_ZB_ATTEMPT_H
#define PPS_SCHEDULE_AUTOMATIC_ZB_ATTEMPT_H

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"
#include "kernels/schedule/automatic/costs.h"

struct zb_switches {
    bool
        until_arrival; // A: a forward of the warm-up may end as late as the first gradient arrives
    bool hold_back; // Q: a stage that is two forwards ahead of the next one may skip a forward
    bool fill_all; // Z: a weight gradient fills every gap, even if it delays the next operation
};

enum zb_status {
    ZB_DONE,
    ZB_BROKEN,  // a forward comes before the forward that it depends on
    ZB_NO_ROOM, // a forward exceeds the limit although nothing can be freed
    ZB_STOPPED, // by the poll
};

struct zb_stage;

// The memory of attempts; of the family's room.
struct zb_attempt {
    struct costs costs;
    struct zb_stage *stage; // [devices]
    double *ends[2];        // [device * M + micro-batch]: of forwards, of backwards
    struct order *order;
    struct poll *poll;
    struct zb_switches on;
    enum zb_status status;
    double most_idle;      // of a device, after its first forward
    double makespan, span; // of the order, with messages that never wait for each other
};

void zb_attempt_take(struct zb_attempt *attempt,
                     const struct pipeline_shape *shape,
                     struct room *room);

// Writes the order; attempt->costs is set. Reference: Qi et al., "Zero Bubble Pipeline Parallelism".
enum zb_status zb_attempt_run(struct zb_attempt *attempt,
                              const struct zb_switches *on,
                              struct poll *poll,
                              struct order *order);

#endif
