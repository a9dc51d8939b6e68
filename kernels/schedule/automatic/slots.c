// SPDX-License-Identifier: Apache-2.0
// Schedules of placement V as operations in slots of unit length.
#include "kernels/schedule/automatic/slots.h"

#include "kernels/schedule/automatic/vee_attempt.h"

#include <string.h>

void slots_take(struct slots *slots, const struct pipeline_shape *shape, int32_t per_device,
                struct room *room)
{
    const size_t devices = (size_t)shape->devices, m = (size_t)shape->micro_batches,
                 all = devices * (size_t)per_device;
    *slots = (struct slots){.room = per_device};
    slots->cell = room_take(room, all, sizeof(int32_t));
    slots->place = room_take(room, 6 * m * devices, sizeof(int32_t));
    slots->backwards = room_take(room, devices, sizeof(int32_t));
    slots->level = room_take(room, all, sizeof(int32_t));
    slots->waiting = room_take(room, all, sizeof(int32_t));
}

static int32_t *row(const struct slots *s, int32_t d)
{
    return s->cell + (size_t)d * (size_t)s->room;
}

// Weight gradients of a device are numbered through both stages.
static int32_t *place_of(const struct slots *s, int32_t d, int kind, int32_t item)
{
    const size_t m = (size_t)s->micro_batches;
    return s->place + (size_t)d * 6 * m + (size_t)kind * m + (size_t)item;
}

static void set(struct slots *s, int32_t d, int32_t slot, int kind, int32_t item)
{
    row(s, d)[slot] = item * SLOT_KINDS + kind;
    *place_of(s, d, kind, item) = slot;
    s->end = slot >= s->end ? slot + 1 : s->end;
}

static int kind_at(const struct slots *s, int32_t d, int32_t slot)
{
    const int32_t cell = row(s, d)[slot];
    return cell < 0 ? -1 : cell % SLOT_KINDS;
}

static bool is_backward(int kind)
{
    return kind == 2 || kind == 3;
}

// ---- weight gradients ---------------------------------------------------------------------------

// Puts weight gradients into free slots, in the order of their backwards.
static void insert_weights(struct slots *s)
{
    for (int32_t d = 0; d < s->devices; d++) {
        int32_t due = 0, put = 0;
        for (int32_t slot = 0; put < 2 * s->micro_batches; slot++) {
            const int kind = kind_at(s, d, slot);
            if (kind < 0 && put < due)
                set(s, d, slot, SLOT_W, put++);
            due += is_backward(kind);
        }
    }
}

static void drop_weights(struct slots *s)
{
    for (int32_t d = 0; d < s->devices; d++)
        for (int32_t slot = 0; slot < s->end; slot++)
            if (kind_at(s, d, slot) == SLOT_W)
                row(s, d)[slot] = -1;
}

// ---- memory -------------------------------------------------------------------------------------

// Steps over a slot: *level and *waiting before it become those after it. assume: free slots take
// weight gradients that are due.
static void step(int kind, bool assume, int32_t *level, int32_t *waiting)
{
    if (kind == 0 || kind == 1)
        ++*level;
    else if (is_backward(kind))
        ++*waiting;
    else if (kind == SLOT_W || (assume && *waiting > 0)) {
        --*level;
        --*waiting;
    }
}

// Sets level and waiting of a device from a slot on; returns the highest level.
static int32_t measure(struct slots *s, int32_t d, int32_t from, bool assume)
{
    int32_t *level = s->level + (size_t)d * (size_t)s->room,
            *waiting = s->waiting + (size_t)d * (size_t)s->room;
    int32_t now = from > 0 ? level[from - 1] : 0, due = from > 0 ? waiting[from - 1] : 0,
            most = 0;
    for (int32_t slot = from; slot < s->end; slot++) {
        step(kind_at(s, d, slot), assume, &now, &due);
        level[slot] = now;
        waiting[slot] = due;
        most = now > most ? now : most;
    }
    return most;
}

// Returns whether the device stays within s->most from a slot on, with free slots that take weight
// gradients.
static bool fits_from(const struct slots *s, int32_t d, int32_t from)
{
    const size_t before = (size_t)d * (size_t)s->room + (size_t)from - 1;
    int32_t level = from > 0 ? s->level[before] : 0, due = from > 0 ? s->waiting[before] : 0;
    for (int32_t slot = from; slot < s->end; slot++) {
        step(kind_at(s, d, slot), true, &level, &due);
        if (level > s->most)
            return false;
    }
    return true;
}

// ---- moves --------------------------------------------------------------------------------------

// Returns the slot of the last operation that a phase of a micro-batch waits for; -1: none.
static int32_t after_phase(const struct slots *s, int32_t d, int phase, int32_t item)
{
    const int32_t source = phase % 2 == 0 ? d - 1 : d + 1;
    int32_t last = -1;
    if (source >= 0 && source < s->devices)
        last = *place_of(s, source, phase, item);
    if (phase > 0 && *place_of(s, d, phase - 1, item) > last)
        last = *place_of(s, d, phase - 1, item);
    return last;
}

// Returns the slot of backward number n of a device, which is before `slot`. All backwards before `slot`
// have been visited.
static int32_t slot_of_backward(const struct slots *s, int32_t d, int32_t n, int32_t slot)
{
    int32_t left = s->backwards[d] - n;
    while (left > 0)
        left -= is_backward(kind_at(s, d, --slot));
    return slot;
}

static int32_t earliest(const struct slots *s, int32_t d, int kind, int32_t item, int32_t slot)
{
    int32_t last =
        kind == SLOT_W ? slot_of_backward(s, d, item, slot) : after_phase(s, d, kind, item);
    if (item > 0 && *place_of(s, d, kind, item - 1) > last)
        last = *place_of(s, d, kind, item - 1);
    return last + 1;
}

// Returns the first slot from which on a forward before `slot` keeps the level.
static int32_t first_with_memory(const struct slots *s, int32_t d, int32_t from, int32_t slot)
{
    const int32_t *level = s->level + (size_t)d * (size_t)s->room;
    while (slot > from && level[slot - 1] < s->most)
        slot--;
    return slot;
}

// Moves the operation of a slot as early as its inputs and the memory allow.
static void pull(struct slots *s, int32_t d, int32_t slot, bool assume)
{
    const int32_t cell = row(s, d)[slot], item = cell / SLOT_KINDS;
    const int kind = cell % SLOT_KINDS;
    int32_t to = earliest(s, d, kind, item, slot);
    if (!assume && kind < 2)
        to = first_with_memory(s, d, to, slot);
    row(s, d)[slot] = -1;
    for (; to < slot; to++) {
        if (row(s, d)[to] >= 0)
            continue;
        row(s, d)[to] = cell;
        if (!assume || fits_from(s, d, to))
            break;
        row(s, d)[to] = -1;
    }
    set(s, d, to, kind, item);
    if (to < slot)
        (void)measure(s, d, to, assume);
}

// An operation before which, or behind which, operations may move.
struct mark {
    int32_t slot, device;
};

// Returns where the cool-down begins: the last forward of the first stage on device 0.
static struct mark find_last(const struct slots *s)
{
    return (struct mark){*place_of(s, 0, 0, s->micro_batches - 1), 0};
}

// The same of the published rule, which looks for the last forward of the first stage on any device, from
// the first backward of the first stage on device 0 on. With few micro-batches the cool-down begins later
// therefore, or not at all: slot INT32_MAX.
static struct mark find_published_last(const struct slots *s)
{
    const int32_t first = *place_of(s, 0, 3, 0);
    struct mark last = {INT32_MAX, 0};
    for (int32_t d = 0; d < s->devices; d++) {
        const int32_t slot = *place_of(s, d, 0, s->micro_batches - 1);
        if (slot < last.slot && (slot > first || (slot == first && d > 0)))
            last = (struct mark){slot, d};
    }
    return last;
}

// Pulls the operations before the first backward of the first stage on device 0 (if early), and those of
// the cool-down.
static void pull_all(struct slots *s, bool published, bool early, bool assume)
{
    const int32_t first = *place_of(s, 0, 3, 0), end = s->end;
    const struct mark own = find_last(s), theirs = find_published_last(s),
                      last = published ? theirs : own;
    s->differs = s->differs || own.slot != theirs.slot;
    for (int32_t d = 0; d < s->devices; d++) {
        s->backwards[d] = 0;
        (void)measure(s, d, 0, assume);
    }
    for (int32_t slot = 0; slot < end && !s->stopped; slot++)
        for (int32_t d = 0; d < s->devices; d++) {
            const int kind = kind_at(s, d, slot);
            const bool late = slot > last.slot || (slot == last.slot && d > last.device);
            if (kind >= 0 && ((early && slot < first) || late))
                pull(s, d, slot, assume);
            s->backwards[d] += is_backward(kind);
            s->stopped = s->stopped || poll_over(s->poll);
        }
}

// Keeps the order of every device and starts each operation as early as possible.
static void squeeze(struct slots *s)
{
    const int32_t end = s->end;
    int32_t *free_from = s->waiting; // [devices]
    s->end = 0;
    for (int32_t d = 0; d < s->devices; d++)
        free_from[d] = s->backwards[d] = 0;
    for (int32_t slot = 0; slot < end; slot++)
        for (int32_t d = 0; d < s->devices; d++) {
            const int32_t cell = row(s, d)[slot], item = cell / SLOT_KINDS;
            const int kind = cell % SLOT_KINDS;
            if (cell < 0)
                continue;
            int32_t to = 1 + (kind == SLOT_W ? slot_of_backward(s, d, item, slot)
                                             : after_phase(s, d, kind, item));
            to = to > free_from[d] ? to : free_from[d];
            free_from[d] = to + 1;
            row(s, d)[slot] = -1;
            set(s, d, to, kind, item);
            s->backwards[d] += is_backward(kind);
        }
}

// ---- schedules ----------------------------------------------------------------------------------

// All weight gradients may follow the last slot of the pattern.
static bool has_slots(const struct slots *s, const struct slots_pattern *pattern)
{
    int32_t last = 0;
    for (int32_t i = 0; i < VEE_PHASES * s->devices; i++)
        last = pattern->first[i] > last ? pattern->first[i] : last;
    return last + (s->micro_batches - 1) * (int64_t)pattern->period + 1 +
               2 * s->micro_batches <=
           s->room;
}

static void repeat(struct slots *s, const struct slots_pattern *pattern)
{
    s->end = 0;
    memset(s->cell, -1, (size_t)s->devices * (size_t)s->room * sizeof *s->cell);
    for (int32_t d = 0; d < s->devices; d++)
        for (int phase = 0; phase < VEE_PHASES; phase++)
            for (int32_t m = 0; m < s->micro_batches; m++)
                set(s, d, pattern->first[phase * s->devices + d] + pattern->period * m, phase,
                    m);
}

// Writes the order of a device; free slots take weight gradients, first those of the second stage.
static void write(const struct slots *s, int32_t d, struct order *order)
{
    const int32_t stages[VEE_PHASES] = {d, 2 * s->devices - 1 - d, 2 * s->devices - 1 - d, d};
    int32_t due[2] = {0, 0}, put[2] = {0, 0}; // of the second, of the first stage
    for (int32_t slot = 0; put[0] + put[1] < 2 * s->micro_batches; slot++) {
        const int kind = kind_at(s, d, slot), k = put[0] < due[0] ? 0 : 1;
        if (kind >= 0) {
            order_add(order, d, kind < 2 ? OPERATION_F : OPERATION_B,
                      row(s, d)[slot] / SLOT_KINDS, stages[kind]);
            due[0] += kind == 2;
            due[1] += kind == 3;
        } else if (put[k] < due[k])
            order_add(order, d, OPERATION_W, put[k]++, stages[2 + k]);
    }
}

bool slots_build(struct slots *slots, const struct pipeline_shape *shape,
                 const struct slots_pattern *pattern, struct poll *poll, struct order *order)
{
    struct slots *s = slots;
    s->devices = shape->devices;
    s->micro_batches = shape->micro_batches;
    s->poll = poll;
    s->stopped = s->differs = false;
    if (!has_slots(s, pattern))
        return false;
    repeat(s, pattern);
    insert_weights(s);
    s->most = 0;
    for (int32_t d = 0; d < s->devices; d++) {
        const int32_t peak = measure(s, d, 0, false);
        s->most = peak > s->most ? peak : s->most;
    }
    pull_all(s, pattern->published, true, false);
    squeeze(s);
    drop_weights(s);
    pull_all(s, pattern->published, false, true);
    insert_weights(s);
    squeeze(s);
    drop_weights(s);
    for (int32_t d = 0; d < s->devices; d++)
        write(s, d, order);
    return !s->stopped;
}
