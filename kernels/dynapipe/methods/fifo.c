// SPDX-License-Identifier: Apache-2.0
// First in, first out: a lane runs what has waited longest. Ends closer than a tolerance count as simultaneous.
#include "kernels/dynapipe/methods/methods_private.h"

#include <math.h>

#define TOLERANCE 1e-6 // us

static void wait(const struct making *m, enum lane lane, const struct lane_operation *op)
{
    lanes_add(&m->room->queue, lane, m->pipeline->device_of[op->stage], op);
}

// Lets the operation behind one that has ended wait.
static void pass_on(const struct making *m, enum lane lane, struct lane_operation op)
{
    if (lane == LANE_COMPUTE && lane_sends(m->pipeline->stages, &op)) {
        wait(m, LANE_SEND, &op);
        return;
    }
    if (lane == LANE_COMPUTE && op.backward)
        return; // the chain ends
    if (lane == LANE_COMPUTE)
        op.backward = true;
    else
        op.stage += op.backward ? -1 : 1;
    wait(m, LANE_COMPUTE, &op);
}

// Starts the head of a queue if its lane is idle. Returns whether it did.
static bool start(const struct making *m, enum lane lane, int32_t device, double now,
                  int64_t launch)
{
    struct method_room *r = m->room;
    const int32_t which = device * LANES + (int32_t)lane;
    if (r->ends[which] < HUGE_VAL || r->first[which] == r->queue.n[lane][device])
        return false;
    const struct lane_operation op =
        r->queue.operations[lane][lanes_at(&r->queue, device, r->first[which]++)];
    r->running[which] = (struct running){op, lane, launch};
    r->ends[which] = now + lane_duration(m->batches, lane, &op);
    lanes_add(m->lanes, lane, device, &op);
    lanes_set(m->times, lane, &op, now, r->ends[which]);
    return true;
}

// Ends what ends next, in the order of launches. Returns how many operations ended; *now: the latest of their ends.
static int32_t end_next(const struct making *m, double *now)
{
    struct method_room *r = m->room;
    const int32_t lanes = m->pipeline->devices * LANES;
    double first = HUGE_VAL;
    int32_t n = 0;
    for (int32_t k = 0; k < lanes; k++)
        first = r->ends[k] < first ? r->ends[k] : first;
    for (int32_t k = 0; k < lanes && first < HUGE_VAL; k++) {
        if (r->ends[k] > first + TOLERANCE)
            continue;
        *now = r->ends[k] > *now ? r->ends[k] : *now;
        int32_t at = n++;
        for (; at > 0 && r->ended[at - 1].launch > r->running[k].launch; at--)
            r->ended[at] = r->ended[at - 1];
        r->ended[at] = r->running[k];
        r->ends[k] = HUGE_VAL;
    }
    for (int32_t k = 0; k < n; k++)
        pass_on(m, r->ended[k].lane, r->ended[k].operation);
    return n;
}

enum method_outcome fifo_make(const struct making *m)
{
    struct method_room *r = m->room;
    double now = 0;
    int64_t launches = 0;
    lanes_clear(m->lanes);
    lanes_clear(&r->queue);
    for (int32_t k = 0; k < m->pipeline->devices * LANES; k++) {
        r->first[k] = 0;
        r->ends[k] = HUGE_VAL;
    }
    for (int32_t i = 0; i < m->batches->count; i++)
        wait(m, LANE_COMPUTE, &(struct lane_operation){.micro_batch = i});
    do {
        if (poll_over(m->poll))
            return METHOD_STOPPED;
        for (int32_t d = 0; d < m->pipeline->devices; d++)
            launches += start(m, LANE_SEND, d, now, launches);
        for (int32_t d = 0; d < m->pipeline->devices; d++)
            launches += start(m, LANE_COMPUTE, d, now, launches);
    } while (end_next(m, &now) > 0);
    lanes_set_makespan(m->times, now);
    return METHOD_DONE;
}
