// SPDX-License-Identifier: Apache-2.0
// An order that a search changes.
#include "kernels/schedule/search/draft.h"

#include <math.h>
#include <string.h>

// How far behind an F without memory a W may stand that makes room for it.
enum { W_BEHIND = 12 };

struct draft *draft_take(const struct pipeline_shape *most, int32_t operations,
                         struct room *room)
{
    const size_t all = (size_t)most->devices * (size_t)order_stride(operations),
                 parts = (size_t)most->directions * (size_t)most->stages,
                 items = parts * (size_t)most->micro_batches * (size_t)most->slices;
    struct draft *draft = room_take(room, 1, sizeof *draft), counted;
    struct draft *d = draft != NULL ? draft : &counted;
    *d = (struct draft){.device = 0};
    order_take(&d->order, most->devices, operations, room);
    d->level = room_take(room, all, sizeof *d->level);
    d->most = room_take(room, (size_t)most->devices, sizeof *d->most);
    d->place = room_take(room, 2 * items, sizeof *d->place);
    d->old_operations = room_take(room, (size_t)operations, sizeof *d->old_operations);
    d->old_paired = room_take(room, (size_t)operations, 1);
    return draft;
}

// ---- memory and places --------------------------------------------------------------------------

static int64_t item_index(const struct draft *draft, const struct operation *op)
{
    const int64_t part = (int64_t)op->direction * draft->pipeline->shape.stages + op->stage;
    return part * draft->n_items + op->item;
}

static int32_t *place_of(const struct draft *draft, const struct operation *op)
{
    if (op->type == OPERATION_W || op->type == OPERATION_R)
        return NULL;
    return &draft->place[2 * item_index(draft, op) + (op->type != OPERATION_F)];
}

// Computes levels and places of positions from ... end - 1. Returns whether the memory suffices.
static bool measure(struct draft *draft, int32_t device, int32_t from, int32_t end)
{
    const int64_t first = order_at(&draft->order, device, 0);
    double level = from == 0 ? draft->pipeline->fixed[device] : draft->level[first + from - 1];
    bool fits = true;
    for (int32_t i = from; i < end; i++) {
        const struct operation *op = &draft->order.operations[first + i];
        int32_t *place = place_of(draft, op);
        level += operation_memory(draft->pipeline, op);
        draft->level[first + i] = level;
        fits = fits && !(level > draft->most[device] && op->type == OPERATION_F);
        if (place != NULL)
            *place = i;
    }
    return fits;
}

bool draft_set(struct draft *draft, const struct order *order)
{
    bool fits = true;
    order_copy(&draft->order, order);
    draft->end = draft->from = 0;
    for (int32_t d = 0; d < order->devices; d++)
        fits = measure(draft, d, 0, order->n[d]) && fits;
    return fits;
}

void draft_open(struct draft *draft, const struct pipeline *pipeline)
{
    draft->pipeline = pipeline;
    draft->n_items = pipeline_items(pipeline);
    draft->order.devices = pipeline->shape.devices;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        draft->most[d] = pipeline->limit[d] + 1e-9 * fabs(pipeline->limit[d]);
}

int64_t draft_sender(const struct draft *draft, const struct operation *op)
{
    const int32_t stages = draft->pipeline->shape.stages;
    const int64_t at = item_index(draft, op);
    int32_t stage = op->stage, backward = op->type != OPERATION_F;
    int64_t item = at;
    if (op->type == OPERATION_F) {
        if (stage == 0)
            return -1;
        stage--;
        item -= draft->n_items;
    } else if (stage + 1 < stages) {
        stage++;
        item += draft->n_items;
    } else {
        backward = 0;
    }
    return order_at(&draft->order, pipeline_device(draft->pipeline, op->direction, stage),
                    draft->place[2 * item + backward]);
}

int64_t draft_receiver(const struct draft *draft, const struct operation *op)
{
    const bool forward = op->type == OPERATION_F,
               last = op->stage + 1 == draft->pipeline->shape.stages;
    const int32_t by = (forward && last) ? 0 : forward ? 1 : -1, stage = op->stage + by;
    if (op->type == OPERATION_W || op->type == OPERATION_R || stage < 0)
        return -1;
    const int64_t item = item_index(draft, op) + (int64_t)by * draft->n_items;
    return order_at(&draft->order, pipeline_device(draft->pipeline, op->direction, stage),
                    draft->place[2 * item + (!forward || last)]);
}

// ---- moves --------------------------------------------------------------------------------------

static bool is_same(const struct operation *a, const struct operation *b)
{
    return a->stage == b->stage && a->direction == b->direction;
}

// Returns whether two operations of a device may change places.
static bool may_swap(const struct operation *a, const struct operation *b)
{
    return !is_same(a, b) || (a->type != b->type && a->item != b->item);
}

static bool in_pair(const struct draft *draft, int32_t device, int32_t position)
{
    const int64_t at = order_at(&draft->order, device, position);
    return draft->order.paired[at] || (position > 0 && draft->order.paired[at - 1]);
}

bool draft_changed(struct draft *draft, const int32_t *lo, const int32_t *hi)
{
    bool fits = true;
    for (int32_t d = 0; d < draft->order.devices; d++)
        fits = measure(draft, d, lo[d], hi[d]) && fits;
    draft->end = draft->from;
    return fits;
}

// Remembers positions from ... end - 1 of a device, which are about to change.
static void begin(struct draft *draft, int32_t device, int32_t from, int32_t end)
{
    const int64_t at = order_at(&draft->order, device, from);
    draft->device = device;
    draft->from = from;
    draft->end = end;
    memcpy(draft->old_operations, draft->order.operations + at,
           (size_t)(end - from) * sizeof *draft->old_operations);
    memcpy(draft->old_paired, draft->order.paired + at, (size_t)(end - from));
}

static void restore(struct draft *draft)
{
    const int64_t at = order_at(&draft->order, draft->device, draft->from);
    const size_t n = (size_t)(draft->end - draft->from);
    memcpy(draft->order.operations + at, draft->old_operations,
           n * sizeof *draft->old_operations);
    memcpy(draft->order.paired + at, draft->old_paired, n);
    (void)measure(draft, draft->device, draft->from, draft->end);
}

// Ends a move: checks the memory; takes the move back if it does not suffice.
static bool finish(struct draft *draft)
{
    if (measure(draft, draft->device, draft->from, draft->end))
        return true;
    restore(draft);
    draft->end = draft->from;
    return false;
}

// Moves one operation, if it may pass those between.
static bool rotate(struct draft *draft, int32_t device, int32_t at, int32_t to)
{
    struct operation *ops = draft->order.operations + order_at(&draft->order, device, 0);
    uint8_t *paired = draft->order.paired + order_at(&draft->order, device, 0);
    const int32_t step = to < at ? -1 : 1;
    const struct operation moved = ops[at];
    if (in_pair(draft, device, at) || (to < at && to > 0 && paired[to - 1]) ||
        (to > at && paired[to]))
        return false;
    for (int32_t i = at + step; i != to + step; i += step)
        if (!may_swap(&moved, &ops[i]))
            return false;
    for (int32_t i = at; i != to; i += step) {
        ops[i] = ops[i + step];
        paired[i] = paired[i + step];
    }
    ops[to] = moved;
    paired[to] = 0;
    return true;
}

// Returns the first F of positions from ... end - 1 for which the device lacks memory; -1: none.
static int32_t first_over(const struct draft *draft, int32_t device, int32_t from, int32_t end)
{
    const int64_t first = order_at(&draft->order, device, 0);
    for (int32_t i = from; i < end; i++)
        if (draft->order.operations[first + i].type == OPERATION_F &&
            draft->level[first + i] > draft->most[device])
            return i;
    return -1;
}

// Moves a W from behind an F that lacks memory to directly before it.
static bool make_room(struct draft *draft, int32_t device, int32_t f)
{
    const struct operation *ops = draft->order.operations + order_at(&draft->order, device, 0);
    for (int32_t i = f + 1; i < draft->end; i++)
        if (ops[i].type == OPERATION_W && rotate(draft, device, i, f))
            return true;
    return false;
}

// Lets the last move reach up to position `end`.
static void extend(struct draft *draft, int32_t end)
{
    const int64_t at = order_at(&draft->order, draft->device, draft->end);
    const int32_t known = draft->end - draft->from, more = end - draft->end;
    memcpy(draft->old_operations + known, draft->order.operations + at,
           (size_t)more * sizeof *draft->old_operations);
    memcpy(draft->old_paired + known, draft->order.paired + at, (size_t)more);
    draft->end = end;
}

bool draft_shift(struct draft *draft, int32_t device, int32_t at, int32_t to)
{
    const int32_t n = draft->order.n[device], from = at < to ? at : to,
                  behind = (at < to ? to : at) + 1,
                  end = behind + W_BEHIND < n ? behind + W_BEHIND : n;
    if (to < 0 || to >= n || to == at)
        return false;
    begin(draft, device, from, behind);
    if (!rotate(draft, device, at, to)) {
        draft->end = draft->from;
        return false;
    }
    if (measure(draft, device, from, behind))
        return true;
    extend(draft, end);
    const int32_t f = first_over(draft, device, from, end);
    if (f >= 0)
        (void)make_room(draft, device, f);
    return finish(draft);
}

bool draft_shift_w(struct draft *draft, int32_t device, int32_t from, int32_t end, int by)
{
    const int64_t first = order_at(&draft->order, device, 0);
    const int32_t n = draft->order.n[device], low = from > 0 ? from - 1 : 0,
                  high = end < n ? end + 1 : n;
    bool moved = false;
    begin(draft, device, low, high);
    for (int32_t k = 0; k < end - from; k++) {
        const int32_t i = by < 0 ? from + k : end - 1 - k, to = i + by;
        if (draft->order.operations[first + i].type == OPERATION_W && to >= low && to < high)
            moved |= rotate(draft, device, i, to);
    }
    return finish(draft) && moved;
}

bool draft_shift_f(struct draft *draft, int32_t device, int32_t from, int32_t end, int by)
{
    const int64_t first = order_at(&draft->order, device, 0);
    const struct operation *ops = draft->order.operations + first;
    bool moved = false;
    begin(draft, device, from, end);
    for (int32_t k = 0; k < end - from; k++) {
        const int32_t i = by < 0 ? from + k : end - 1 - k;
        if (ops[i].type != OPERATION_F)
            continue;
        int32_t to = i + by; // the next backward in this direction
        while (to >= from && to < end && ops[to].type != OPERATION_B &&
               ops[to].type != OPERATION_BW && ops[to].type != OPERATION_F)
            to += by;
        if (to >= from && to < end && ops[to].type != OPERATION_F)
            moved |= rotate(draft, device, i, to);
    }
    for (int32_t f = first_over(draft, device, from, end), k = 0;
         moved && k < end - from && !measure(draft, device, from, end); k++) {
        f = first_over(draft, device, from, end);
        if (f < 0 || !make_room(draft, device, f))
            break;
    }
    return finish(draft) && moved;
}

void draft_undo(struct draft *draft)
{
    if (draft->end > draft->from)
        restore(draft);
    draft->end = draft->from;
}
