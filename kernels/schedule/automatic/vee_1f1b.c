// SPDX-License-Identifier: Apache-2.0
// V-1F1B: placement V with whole backwards.
//
// A pattern in slots of unit length is repeated with a period of six slots: a forward takes one slot, a
// backward two. Then every operation is pulled to the earliest free slots after its inputs, forwards
// only as far as the memory stays within the peak of the pattern.
#include "kernels/schedule/automatic/alternatives.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/families/shapes.h"

#include <string.h>

enum { PHASES = 4, PERIOD = 6, FREE = -1, TAKEN = -2 };

struct vee_1f1b {
    struct alternatives alternatives;
    int32_t devices, micro_batches;
    int32_t room;   // slots of a device
    int32_t most;   // memory of a device at most, in chunks
    int32_t *first; // [device * PHASES + phase]: slot of micro-batch 0
    int32_t *pattern,
        *compact;   // [device * room + slot]: micro-batch * PHASES + phase, or FREE, TAKEN
    int32_t *end;   // [(device * PHASES + phase) * M + micro-batch]: slot behind
    int32_t *level; // [device * room + slot]: chunks in memory in the slot
    int32_t *known; // [devices]: slots whose level is known
};

static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    struct vee_1f1b *memory = room_take(room, 1, sizeof *memory), counted;
    struct vee_1f1b *v = memory != NULL ? memory : &counted;
    const size_t devices = (size_t)shape->devices, m = (size_t)shape->micro_batches;
    const size_t n = 8 * devices + PERIOD * m + 16;
    alternatives_take(&v->alternatives, shape, options, 6 * shape->micro_batches, room);
    v->room = (int32_t)n;
    v->first = room_take(room, PHASES * devices, sizeof(int32_t));
    v->pattern = room_take(room, devices * n, sizeof(int32_t));
    v->compact = room_take(room, devices * n, sizeof(int32_t));
    v->end = room_take(room, PHASES * devices * m, sizeof(int32_t));
    v->level = room_take(room, devices * n, sizeof(int32_t));
    v->known = room_take(room, devices, sizeof(int32_t));
    return memory;
}

static int32_t *slots_of(const struct vee_1f1b *v, int32_t *slots, int32_t d)
{
    return slots + (size_t)d * (size_t)v->room;
}

static int32_t *end_of(const struct vee_1f1b *v, int32_t d, int phase, int32_t item)
{
    return v->end + ((size_t)d * PHASES + (size_t)phase) * (size_t)v->micro_batches +
           (size_t)item;
}

// Sets the slots of micro-batch 0.
static void find_first(struct vee_1f1b *v)
{
    const int32_t devices = v->devices;
    int32_t slot = 2 * devices + (devices % 3 == 0 ? 3 : 0), n = (3 - (devices + 2) % 3) % 3;
    for (int32_t d = 0; d < devices; d++) {
        v->first[d * PHASES] = d;
        v->first[d * PHASES + 1] = 2 * devices - 1 - d;
    }
    for (int32_t k = 0; k < 2 * devices; k++) {
        const int32_t d = k < devices ? k : 2 * devices - 1 - k;
        v->first[d * PHASES + (k < devices ? 2 : 3)] = slot;
        slot += 2 + (++n % 3 == 0 ? 3 : 0);
    }
}

static void repeat(struct vee_1f1b *v)
{
    const size_t all = (size_t)v->devices * (size_t)v->room;
    for (size_t i = 0; i < all; i++)
        v->pattern[i] = v->compact[i] = FREE;
    v->most = 0;
    for (int32_t d = 0; d < v->devices; d++) {
        int32_t *slots = slots_of(v, v->pattern, d), level = 0;
        for (int phase = 0; phase < PHASES; phase++)
            for (int32_t m = 0; m < v->micro_batches; m++)
                slots[v->first[d * PHASES + phase] + PERIOD * m] = m * PHASES + phase;
        // A backward frees its memory in its second slot, where no forward starts.
        for (int32_t slot = 0; slot < v->room; slot++)
            if (slots[slot] != FREE) {
                level += slots[slot] % PHASES < 2 ? 1 : -1;
                v->most = level > v->most ? level : v->most;
            }
    }
}

// Returns the first slot after the inputs of an operation.
static int32_t after_inputs(const struct vee_1f1b *v, int32_t d, int phase, int32_t item)
{
    const int32_t source = phase % 2 == 0 ? d - 1 : d + 1;
    int32_t slot = 0, end;
    if (source >= 0 && source < v->devices && (end = *end_of(v, source, phase, item)) > slot)
        slot = end;
    if (phase > 0 && (end = *end_of(v, d, phase - 1, item)) > slot)
        slot = end;
    if (item > 0 && (end = *end_of(v, d, phase, item - 1)) > slot)
        slot = end;
    return slot;
}

// Places an operation, which is in `slot` of the pattern, in the earliest slots that its inputs and the
// memory allow. The slots of the pattern are free.
static void place(struct vee_1f1b *v, int32_t d, int32_t slot)
{
    const int32_t cell = slots_of(v, v->pattern, d)[slot], item = cell / PHASES;
    const int phase = cell % PHASES;
    int32_t *slots = slots_of(v, v->compact, d), *level = slots_of(v, v->level, d),
            *known = &v->known[d], to = after_inputs(v, d, phase, item);
    for (; *known < slot + 2; ++*known)
        level[*known] = *known > 0 ? level[*known - 1] : 0;
    if (phase < 2) {
        int32_t from = slot;
        while (from > to && level[from - 1] < v->most)
            from--;
        for (to = from; slots[to] != FREE;)
            to++;
    } else {
        while (slots[to] != FREE || slots[to + 1] != FREE)
            to++;
        slots[to + 1] = TAKEN;
    }
    slots[to] = cell;
    *end_of(v, d, phase, item) = to + (phase < 2 ? 1 : 2);
    for (int32_t i = phase < 2 ? to : to + 1; i < *known; i++)
        level[i] += phase < 2 ? 1 : -1;
}

static void write(const struct vee_1f1b *v, int32_t d, struct order *order)
{
    const int32_t *slots = slots_of(v, v->compact, d), last = 2 * v->devices - 1 - d;
    for (int32_t slot = 0; slot < v->room; slot++)
        if (slots[slot] >= 0) {
            const int phase = slots[slot] % PHASES;
            order_add(order, d, phase < 2 ? OPERATION_F : OPERATION_BW, slots[slot] / PHASES,
                      phase == 0 || phase == 3 ? d : last);
        }
}

static enum family_status build(const struct family_task *task)
{
    struct vee_1f1b *v = task->memory;
    v->devices = task->pipeline->shape.devices;
    v->micro_batches = task->pipeline->shape.micro_batches;
    find_first(v);
    repeat(v);
    memset(v->known, 0, (size_t)v->devices * sizeof *v->known);
    for (int32_t slot = 0; slot < v->room; slot++)
        for (int32_t d = 0; d < v->devices; d++) {
            if (slots_of(v, v->pattern, d)[slot] != FREE)
                place(v, d, slot);
            if (poll_over(task->poll))
                return FAMILY_STOPPED;
        }
    for (int32_t d = 0; d < v->devices; d++)
        write(v, d, task->order);
    return alternatives_choose(&v->alternatives, task->pipeline, task->options,
                               &alternatives_vee_whole, task->poll, task->order);
}

const struct family family_v_1f1b = {
    .name = "v_1f1b",
    .summary = "placement V with whole backwards and two thirds of the memory of 1F1B",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_AUTOMATIC,
    .uses = FAMILY_USES_PUBLISHED,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .whole_backward = true,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .build = build,
};
