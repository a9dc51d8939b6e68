// SPDX-License-Identifier: Apache-2.0
// Builds one order of the ZB-V scheduler.
#include "kernels/schedule/automatic/vee_attempt.h"

#include <math.h>
#include <string.h>

struct vee_device {
    int32_t n[VEE_PHASES]; // operations so far
    int32_t weights[2];    // of the first and the second stage
    int32_t taken;         // entries of `waiting` that have been put
    int next;              // phase of the backward in this round
    double clock, memory, idle;
};

void vee_attempt_take(struct vee_attempt *attempt, const struct pipeline_shape *shape,
                      struct room *room)
{
    const size_t devices = (size_t)shape->devices,
                 items = devices * (size_t)shape->micro_batches;
    *attempt = (struct vee_attempt){.order = NULL};
    costs_take(&attempt->costs, shape, room);
    attempt->device = room_take(room, devices, sizeof *attempt->device);
    attempt->ends = room_take(room, VEE_PHASES * items, sizeof(double));
    attempt->waiting = room_take(room, 2 * items, 1);
    attempt->accepted = room_take(room, devices, sizeof(double));
}

// Returns the stage whose operation a device runs in a phase.
static int32_t vee_stage(int32_t devices, int phase, int32_t device)
{
    return phase == 0 || phase == 3 ? device : 2 * devices - 1 - device;
}

static int32_t devices_of(const struct vee_attempt *a)
{
    return a->costs.pipeline->shape.devices;
}

static int32_t micro_batches(const struct vee_attempt *a)
{
    return a->costs.pipeline->shape.micro_batches;
}

static int32_t stage_of(const struct vee_attempt *a, int phase, int32_t d)
{
    return vee_stage(devices_of(a), phase, d);
}

static const struct pipeline_stage *times(const struct vee_attempt *a, int phase, int32_t d)
{
    return &a->costs.pipeline->stage[stage_of(a, phase, d)];
}

static double *end_of(const struct vee_attempt *a, int phase, int32_t d, int32_t item)
{
    return &a->ends[((size_t)phase * (size_t)devices_of(a) + (size_t)d) *
                        (size_t)micro_batches(a) +
                    (size_t)item];
}

static bool fail(struct vee_attempt *a, enum family_status status)
{
    if (a->status == FAMILY_DONE)
        a->status = status;
    return false;
}

// Returns the device from which the input of a phase comes; -1: from the same device, or none.
static int32_t source_of(const struct vee_attempt *a, int phase, int32_t d)
{
    const int32_t source = phase % 2 == 0 ? d - 1 : d + 1;
    return source < devices_of(a) ? source : -1;
}

// ---- operations ---------------------------------------------------------------------------------

// Sets *at to the arrival of the input of the next operation of a phase. Fails if the operation that it
// depends on has not been put.
static bool find_arrival(struct vee_attempt *a, int phase, int32_t d, double *at)
{
    const struct vee_device *device = &a->device[d];
    const int32_t item = device->n[phase], source = source_of(a, phase, d);
    *at = 0;
    if (item >= micro_batches(a) || (phase > 0 && item >= device->n[phase - 1]))
        return fail(a, FAMILY_FAILED);
    if (source < 0)
        return true;
    if (item >= a->device[source].n[phase])
        return fail(a, FAMILY_FAILED);
    const int32_t sender = stage_of(a, phase, source);
    *at = *end_of(a, phase, source, item) +
          (phase < 2 ? a->costs.forward[sender] : a->costs.backward[sender]);
    return true;
}

static int32_t pending(const struct vee_device *device)
{
    return device->n[2] + device->n[3] - device->taken;
}

// Returns the phase of the oldest backward whose weight gradient is due.
static int oldest(const struct vee_attempt *a, int32_t d)
{
    return a->waiting[(size_t)d * 2 * (size_t)micro_batches(a) + (size_t)a->device[d].taken];
}

static void put_weight(struct vee_attempt *a, int32_t d)
{
    struct vee_device *device = &a->device[d];
    const int phase = oldest(a, d);
    order_add(a->order, d, OPERATION_W, device->weights[phase == 2]++, stage_of(a, phase, d));
    device->taken++;
    device->clock += times(a, phase, d)->w;
    device->memory -= times(a, phase, d)->kept_until_w;
}

static bool put(struct vee_attempt *a, int phase, int32_t d)
{
    struct vee_device *device = &a->device[d];
    const struct pipeline_stage *stage = times(a, phase, d);
    const int32_t item = device->n[phase];
    double arrival;
    if (poll_over(a->poll))
        return fail(a, FAMILY_STOPPED);
    if (!find_arrival(a, phase, d, &arrival))
        return false;
    if (device->n[0] > 0 && arrival > device->clock) {
        device->idle += arrival - device->clock;
        a->most_idle = fmax(a->most_idle, device->idle);
    }
    device->clock = fmax(device->clock, arrival) + (phase < 2 ? stage->f : stage->b);
    device->memory +=
        phase < 2 ? costs_memory(&a->costs, stage_of(a, phase, d)) : -stage->kept_until_b;
    if (phase < 2 && device->memory > a->costs.limit[d])
        return fail(a, FAMILY_NO_ROOM);
    if (phase >= 2)
        a->waiting[(size_t)d * 2 * (size_t)micro_batches(a) +
                   (size_t)(device->n[2] + device->n[3])] = (uint8_t)phase;
    *end_of(a, phase, d, item) = device->clock;
    device->n[phase]++;
    order_add(a->order, d, phase < 2 ? OPERATION_F : OPERATION_B, item, stage_of(a, phase, d));
    return true;
}

static bool make_room(struct vee_attempt *a, int phase, int32_t d)
{
    const double needed = costs_memory(&a->costs, stage_of(a, phase, d));
    while (a->device[d].memory + needed > a->costs.limit[d]) {
        if (pending(&a->device[d]) == 0)
            return fail(a, FAMILY_NO_ROOM);
        put_weight(a, d);
    }
    return true;
}

// Runs weight gradients until the input of the next operation of a phase arrives. late: the last
// weight gradient may delay it.
static bool fill(struct vee_attempt *a, int phase, int32_t d, bool late)
{
    struct vee_device *device = &a->device[d];
    double arrival;
    if (!find_arrival(a, phase, d, &arrival))
        return false;
    if (source_of(a, phase, d) < 0)
        return true;
    while (pending(device) > 0 &&
           costs_by(&a->costs, device->clock + times(a, oldest(a, d), d)->w, arrival))
        put_weight(a, d);
    const double most = fmax(a->most_idle, a->most_accepted - a->accepted[d]);
    if (late && pending(device) > 0 &&
        costs_before(&a->costs, most - device->idle, arrival - device->clock))
        put_weight(a, d);
    return true;
}

// ---- warm-up ------------------------------------------------------------------------------------

static bool put_on_first(struct vee_attempt *a, int32_t devices)
{
    for (int32_t d = 0; d < devices; d++)
        if (!put(a, 0, d))
            return false;
    return true;
}

// Runs, on all devices up to d, forwards that fit before the first micro-batch comes back to d.
static bool run_ahead(struct vee_attempt *a, int32_t d)
{
    const struct vee_device *device = &a->device[d];
    const double needed = (costs_memory(&a->costs, stage_of(a, 0, d)) +
                           costs_memory(&a->costs, stage_of(a, 1, d))) *
                          (d + 1);
    double arrival;
    if (!find_arrival(a, 1, d, &arrival))
        return false;
    while (device->memory + needed <= a->costs.limit[d] && device->n[0] < micro_batches(a) &&
           costs_by(&a->costs, device->clock + times(a, 0, d)->f, arrival))
        if (!put_on_first(a, d + 1))
            return false;
    return true;
}

// Brings the devices behind the first to at least its number of forwards.
static bool level(struct vee_attempt *a)
{
    const int32_t devices = devices_of(a), m = micro_batches(a);
    int phase = 0;
    for (int32_t d = 1; d < devices; d++) {
        const struct vee_device *here = &a->device[d], *before = here - 1;
        int32_t idle_rounds = 0; // without an operation on any device
        while (here->n[0] + here->n[1] < before->n[0] + before->n[1] ||
               (here->n[1] <= before->n[1] && before->n[1] < m)) {
            bool any = false;
            for (int32_t k = devices - 1; k >= d; k--)
                if (a->device[k].n[phase] < m) {
                    any = true;
                    if (!put(a, phase, k))
                        return false;
                }
            idle_rounds = any ? 0 : idle_rounds + 1;
            if (idle_rounds > 1)
                return fail(a, FAMILY_FAILED);
            phase = 1 - phase;
        }
    }
    return true;
}

static bool warm_up(struct vee_attempt *a)
{
    if (!put_on_first(a, devices_of(a)))
        return false;
    for (int32_t d = devices_of(a) - 1; d >= 0; d--)
        if ((d < devices_of(a) - 1 && !run_ahead(a, d)) || !put(a, 1, d))
            return false;
    return level(a);
}

// ---- rounds -------------------------------------------------------------------------------------

static bool has_finished(const struct vee_attempt *a, int phase, int32_t source, int32_t item)
{
    return a->device[source].n[phase] > item;
}

static int next_backward(const struct vee_attempt *a, int32_t d)
{
    const struct vee_device *device = &a->device[d];
    if (device->n[3] >= device->n[2])
        return 2;
    if (d == devices_of(a) - 1 || has_finished(a, 3, d + 1, device->n[3]) ||
        device->n[2] == micro_batches(a))
        return 3;
    return 2;
}

static bool backward(struct vee_attempt *a, int phase, int32_t d)
{
    return a->device[d].next != phase ||
           (fill(a, phase, d, phase == 3 || a->fill_backward) && put(a, phase, d));
}

static bool round_of_backwards(struct vee_attempt *a)
{
    const int32_t devices = devices_of(a);
    for (int32_t d = 0; d < devices; d++)
        a->device[d].next = next_backward(a, d);
    for (int32_t d = devices - 1; d >= 0; d--)
        if (!backward(a, 3, d))
            return false;
    for (int32_t d = 0; d < devices; d++)
        if (!backward(a, 2, d))
            return false;
    return true;
}

// Returns the phase of the next forward of a device; -1: none can run in this round.
static int next_forward(const struct vee_attempt *a, int32_t d)
{
    const struct vee_device *device = &a->device[d];
    if (device->n[1] >= device->n[0])
        return 0;
    if (d == devices_of(a) - 1 || has_finished(a, 1, d + 1, device->n[1]))
        return 1;
    if (device->n[0] < micro_batches(a) && (d == 0 || has_finished(a, 0, d - 1, device->n[0])))
        return 0;
    return -1;
}

static bool round_of_forwards(struct vee_attempt *a)
{
    for (int32_t d = 0; d < devices_of(a); d++) {
        const int phase = a->device[d].n[1] < micro_batches(a) ? next_forward(a, d) : -1;
        if (phase >= 0 &&
            !(make_room(a, phase, d) && fill(a, phase, d, a->fill_forward) && put(a, phase, d)))
            return false;
    }
    return true;
}

static void accept_idle(struct vee_attempt *a, bool again)
{
    a->most_accepted = 0;
    for (int32_t d = 0; d < devices_of(a); d++) {
        a->accepted[d] = again ? a->device[d].idle : 0;
        a->most_accepted = fmax(a->most_accepted, a->accepted[d]);
    }
}

enum family_status vee_attempt_run(struct vee_attempt *attempt, bool again, struct poll *poll,
                                   struct order *order)
{
    struct vee_attempt *a = attempt;
    a->order = order;
    a->poll = poll;
    a->status = FAMILY_DONE;
    a->most_idle = 0;
    order_clear(order);
    accept_idle(a, again);
    memset(a->device, 0, (size_t)devices_of(a) * sizeof *a->device);
    if (!warm_up(a))
        return a->status;
    for (int32_t i = 0; i < 2 * micro_batches(a); i++)
        if (!round_of_backwards(a) || !round_of_forwards(a))
            return a->status;
    for (int32_t d = 0; d < devices_of(a); d++)
        while (pending(&a->device[d]) > 0)
            put_weight(a, d);
    return FAMILY_DONE;
}
