// SPDX-License-Identifier: Apache-2.0
// Builds orders from a repeated pattern.
#include "kernels/schedule/search/pattern.h"

#include <math.h>

enum { STEP_MAX = 5 };

struct pattern_memory {
    int32_t *slot; // [3 * stages]: F, B, W of a stage
    int32_t *item; // [3 * stages]: next micro-batch while the order is written
};

struct pattern_memory *pattern_take(const struct pipeline_shape *most, struct room *room)
{
    struct pattern_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct pattern_memory *m = memory != NULL ? memory : &counted;
    m->slot = room_take(room, 3 * (size_t)most->stages, sizeof *m->slot);
    m->item = room_take(room, 3 * (size_t)most->stages, sizeof *m->item);
    return memory;
}

int pattern_phases(const struct pipeline *pipeline)
{
    const struct pipeline_shape *shape = &pipeline->shape;
    const int32_t devices = shape->devices;
    if (shape->directions != 1 || shape->slices != 1 ||
        (shape->stages != devices && shape->stages != 2 * devices))
        return 0;
    for (int32_t s = 0; s < shape->stages; s++)
        if (pipeline->device_of[s] != (s < devices ? s : 2 * devices - 1 - s))
            return 0;
    return shape->stages == devices ? 2 : 4;
}

// ---- slots --------------------------------------------------------------------------------------

static int32_t modulo(int32_t a, int32_t n)
{
    return a % n < 0 ? a % n + n : a % n;
}

// Sets the slots of the forwards and backwards of micro-batch 0: the chain of its messages.
static void place_chain(int32_t *slot, const struct pipeline *p, const struct pattern *pattern)
{
    const int32_t devices = p->shape.devices, stages = p->shape.stages;
    int32_t at = -1;
    for (int32_t x = 0; x < 2 * stages; x++) {
        const int32_t phase = x / devices, k = x % devices;
        const bool down = phase == 0 || (phase == 2 && stages > devices);
        if (k == 0)
            at += 1 + pattern->turn[phase];
        else if (!down)
            at += pattern->up_step;
        else
            at += k < pattern->devices ? pattern->step : pattern->late_step;
        slot[3 * (x < stages ? x : 2 * stages - 1 - x) + (x >= stages)] = at;
    }
}

// Returns the stage after `stage` on a device; the first one is `device`.
static int32_t next_stage(const struct pipeline *p, int32_t device, int32_t stage)
{
    return stage == device ? 2 * p->shape.devices - 1 - device : p->shape.stages;
}

// Sets the slots of the W's on a device: the first free one behind the B. Returns false if two
// operations share a slot.
static bool place_weights(int32_t *slot, const struct pipeline *p, int32_t device,
                          int32_t period)
{
    bool used[PATTERN_PERIOD_MAX] = {false};
    const int32_t stages = p->shape.stages;
    for (int32_t s = device; s < stages; s = next_stage(p, device, s))
        for (int k = 0; k < 2; k++) {
            bool *here = &used[modulo(slot[3 * s + k], period)];
            if (*here)
                return false;
            *here = true;
        }
    for (int32_t s = device; s < stages; s = next_stage(p, device, s)) {
        int32_t w = slot[3 * s + 1] + 1;
        while (used[modulo(w, period)])
            w++;
        used[modulo(w, period)] = true;
        slot[3 * s + 2] = w;
    }
    return true;
}

// Returns how many of n micro-batches have begun a slot until `now`, that slot included.
static int32_t begun(int32_t slot, int64_t now, int32_t period, int32_t n)
{
    const int64_t most = now < slot ? 0 : (now - slot) / period + 1;
    return (int32_t)(most < n ? most : n);
}

// Returns the memory of a device at a slot: from the forward until the end of the slot of B, of W.
static double held_at(const int32_t *slot, const struct pipeline *p, int32_t device,
                      int64_t now, int32_t period)
{
    const int32_t n = p->shape.micro_batches;
    double held = p->fixed[device];
    for (int32_t s = device; s < p->shape.stages; s = next_stage(p, device, s)) {
        const int32_t f = begun(slot[3 * s], now, period, n);
        held += p->stage[s].kept_until_b * (f - begun(slot[3 * s + 1], now - 1, period, n)) +
                p->stage[s].kept_until_w * (f - begun(slot[3 * s + 2], now - 1, period, n));
    }
    return held;
}

// Returns whether the memory of a device suffices at every forward.
static bool has_room(const int32_t *slot, const struct pipeline *p, int32_t device,
                     int32_t period)
{
    const double most = p->limit[device] + 1e-9 * fabs(p->limit[device]);
    for (int32_t m = 0; m < p->shape.micro_batches; m++)
        for (int32_t s = device; s < p->shape.stages; s = next_stage(p, device, s))
            if (held_at(slot, p, device, slot[3 * s] + (int64_t)m * period, period) > most)
                return false;
    return true;
}

// ---- orders -------------------------------------------------------------------------------------

// Writes the operations of a device by slot.
static void write_device(struct pattern_memory *memory, const struct pipeline *p,
                         int32_t device, int32_t period, struct order *order)
{
    const int32_t stages = p->shape.stages,
                  n = (stages == p->shape.devices ? 3 : 6) * p->shape.micro_batches;
    for (int32_t s = device; s < stages; s = next_stage(p, device, s))
        for (int k = 0; k < 3; k++)
            memory->item[3 * s + k] = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t best = -1;
        int64_t best_slot = 0;
        for (int32_t s = device; s < stages; s = next_stage(p, device, s))
            for (int32_t x = 3 * s; x < 3 * s + 3; x++) {
                const int64_t at = memory->slot[x] + (int64_t)memory->item[x] * period;
                if (memory->item[x] < p->shape.micro_batches && (best < 0 || at < best_slot)) {
                    best = x;
                    best_slot = at;
                }
            }
        order_add(order, device, (enum operation_type)(OPERATION_F + best % 3),
                  memory->item[best]++, best / 3);
    }
}

bool pattern_build(struct pattern_memory *memory, const struct pipeline *pipeline,
                   const struct pattern *pattern, struct order *order)
{
    const int32_t devices = pipeline->shape.devices;
    place_chain(memory->slot, pipeline, pattern);
    for (int32_t d = 0; d < devices; d++)
        if (!place_weights(memory->slot, pipeline, d, pattern->period) ||
            !has_room(memory->slot, pipeline, d, pattern->period))
            return false;
    for (int32_t d = 0; d < devices; d++)
        write_device(memory, pipeline, d, pattern->period, order);
    return true;
}

void pattern_first_slots(const struct pattern_memory *memory, const struct pipeline *pipeline,
                         int32_t *first)
{
    const int32_t devices = pipeline->shape.devices;
    for (int32_t d = 0; d < devices; d++) {
        const int32_t *down = &memory->slot[3 * d],
                      *up = &memory->slot[3 * (2 * devices - 1 - d)];
        first[d] = down[0];
        first[devices + d] = up[0];
        first[2 * devices + d] = up[1];
        first[3 * devices + d] = down[1];
    }
}

// ---- enumeration --------------------------------------------------------------------------------

struct pattern_walk pattern_first(const struct pipeline *pipeline, int32_t period)
{
    return (struct pattern_walk){pattern_phases(pipeline),
                                 pipeline->shape.devices,
                                 {.period = period,
                                  .step = 1,
                                  .late_step = 1,
                                  .devices = pipeline->shape.devices,
                                  .up_step = 1}};
}

// Counts the turns of the phases from the last one on; false: they are all 0 again.
static bool next_turn(struct pattern_walk *walk)
{
    struct pattern *p = &walk->next;
    for (int k = walk->phases - 1; k > 0; k--) {
        if (++p->turn[k] < p->period)
            return true;
        p->turn[k] = 0;
    }
    return false;
}

// Moves on to the next steps of V: one step on all devices, then a smaller one from some device on.
static bool next_step(struct pattern_walk *walk)
{
    struct pattern *p = &walk->next;
    if (p->late_step < p->step && ++p->devices < walk->n_devices)
        return true;
    p->late_step = p->late_step < p->step ? p->late_step + 1 : 1;
    p->devices = 2;
    if (p->late_step < p->step && walk->n_devices > 2)
        return true;
    p->step++;
    p->late_step = p->step;
    p->devices = walk->n_devices;
    return p->step <= STEP_MAX;
}

bool pattern_next(struct pattern_walk *walk)
{
    struct pattern *p = &walk->next;
    if (next_turn(walk))
        return true;
    if (walk->phases == 4)
        return next_step(walk);
    if (++p->up_step <= STEP_MAX)
        return true;
    p->up_step = 1;
    p->late_step = ++p->step;
    return p->step <= STEP_MAX;
}
