// SPDX-License-Identifier: Apache-2.0
// Orders the operations of a window of time anew.
//
// The dispatch makes active schedules (Giffler, Thompson: Algorithms for solving production-scheduling
// problems; Operations Research 1960): of all operations that are ready, the one that would end first
// determines the device; of those of the device that can start before that end, the one that started
// first so far, give or take a random time, runs.
#include "kernels/schedule/search/window.h"

#include <math.h>
#include <string.h>

enum { WINDOW_MOST = 24 }; // operations of a device in a window

// An operation of the window.
struct pending {
    struct operation operation;
    double rank; // the smallest runs first
    double length;
    int32_t place; // position in the new order
    bool done;
};

struct window {
    bool critical_known;      // by the draft, before the change
    int32_t *lo, *hi;         // [devices]: positions lo ... hi - 1 are in the window
    int32_t *left;            // [devices]: operations that have not run
    double *clock, *held;     // [devices]
    struct pending *pending;  // [devices * WINDOW_MOST]
    struct operation *before; // [devices * WINDOW_MOST]: as they were
    double *ends; // [devices * WINDOW_MOST]: end of an operation of the window, by its
                  // old position; NAN: not run yet
};

struct window *window_take(const struct pipeline_shape *most, struct room *room)
{
    const size_t devices = (size_t)most->devices;
    struct window *window = room_take(room, 1, sizeof *window), counted;
    struct window *w = window != NULL ? window : &counted;
    w->lo = room_take(room, devices, sizeof *w->lo);
    w->hi = room_take(room, devices, sizeof *w->hi);
    w->left = room_take(room, devices, sizeof *w->left);
    w->clock = room_take(room, devices, sizeof *w->clock);
    w->held = room_take(room, devices, sizeof *w->held);
    w->pending = room_take(room, devices * WINDOW_MOST, sizeof *w->pending);
    w->before = room_take(room, devices * WINDOW_MOST, sizeof *w->before);
    w->ends = room_take(room, devices * WINDOW_MOST, sizeof *w->ends);
    return window;
}

// ---- the window ---------------------------------------------------------------------------------

// Returns the first position of a device that starts at `time` or later.
static int32_t position_at(const struct draft *draft, int32_t device, double time)
{
    const double *starts =
        executor_starts(draft->executor) + order_at(&draft->order, device, 0);
    int32_t low = 0, high = draft->order.n[device];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (starts[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Chooses the window around a random operation, and random times by which operations of each type go
// earlier or later.
static void open_window(struct window *w, const struct draft *draft, struct search_draws *draws)
{
    const struct order *order = &draft->order;
    const double *starts = executor_starts(draft->executor),
                 *ends = executor_ends(draft->executor);
    const int32_t middle = (int32_t)search_below(draws, (uint32_t)order->devices),
                  at = (int32_t)search_below(draws, (uint32_t)order->n[middle]),
                  wide = 3 + (int32_t)search_below(draws, WINDOW_MOST / 2 - 3);
    const int32_t last = at + wide < order->n[middle] ? at + wide : order->n[middle] - 1;
    const double from = starts[order_at(order, middle, at)],
                 to = ends[order_at(order, middle, last)],
                 noise = (to - from) * search_fraction(draws) / 2;
    double bias[OPERATION_TYPES];
    for (int k = 0; k < OPERATION_TYPES; k++)
        bias[k] = noise * (search_fraction(draws) - 0.5);
    for (int32_t d = 0; d < order->devices; d++) {
        const int64_t first = order_at(order, d, 0);
        const int32_t lo = position_at(draft, d, from), end = position_at(draft, d, to),
                      hi = end < lo + WINDOW_MOST ? end : lo + WINDOW_MOST;
        w->lo[d] = lo;
        w->hi[d] = hi;
        w->left[d] = hi - lo;
        w->clock[d] = lo > 0 ? ends[first + lo - 1] : 0;
        w->held[d] = lo > 0 ? draft->level[first + lo - 1] : draft->pipeline->fixed[d];
        for (int32_t i = lo; i < hi; i++) {
            const struct operation *op = &order->operations[first + i];
            w->before[d * WINDOW_MOST + i - lo] = *op;
            w->ends[d * WINDOW_MOST + i - lo] = (double)NAN;
            w->pending[d * WINDOW_MOST + i - lo] = (struct pending){
                *op,
                starts[first + i] + bias[op->type] + noise * (search_fraction(draws) - 0.5),
                ends[first + i] - starts[first + i], 0, false};
        }
    }
}

// ---- dispatch -----------------------------------------------------------------------------------

// Returns the end of an operation of the old order; NAN: it is in the window or after it, and has not run.
static double end_of(const struct window *w, const struct draft *draft, int64_t at)
{
    const int32_t d = (int32_t)(at / draft->order.room), i = (int32_t)(at % draft->order.room);
    if (i < w->lo[d])
        return executor_ends(draft->executor)[at];
    return i < w->hi[d] ? w->ends[d * WINDOW_MOST + i - w->lo[d]] : (double)NAN;
}

// Returns whether an operation of the window has to run before the one at k.
static bool is_behind(const struct pending *pending, int32_t k)
{
    const struct operation *op = &pending[k].operation;
    for (int32_t i = 0; i < k; i++) {
        const struct operation *other = &pending[i].operation;
        if (!pending[i].done && other->stage == op->stage &&
            other->direction == op->direction &&
            (other->type == op->type || other->item == op->item))
            return true;
    }
    return false;
}

// Returns the time at which operation k of a device can start; NAN: it has to wait for another one.
static double ready(const struct window *w,
                    const struct draft *draft,
                    int32_t device,
                    int32_t k)
{
    const struct pending *pending = &w->pending[device * WINDOW_MOST];
    const struct operation *op = &pending[k].operation;
    if (pending[k].done || is_behind(pending, k) ||
        (op->type == OPERATION_F &&
         w->held[device] + operation_memory(draft->pipeline, op) > draft->most[device]))
        return (double)NAN;
    if (op->type == OPERATION_W || op->type == OPERATION_R)
        return w->clock[device];
    const int64_t sender = draft_sender(draft, op);
    if (sender < 0)
        return w->clock[device];
    const int32_t from = (int32_t)(sender / draft->order.room);
    const struct pipeline_stage *stage =
        &draft->pipeline->stage[draft->order.operations[sender].stage];
    const double delay = from == device
                             ? 0
                             : pipeline_delay(draft->pipeline, from, device,
                                              op->type == OPERATION_F ? stage->forward_bytes
                                                                      : stage->backward_bytes);
    const double arrival = end_of(w, draft, sender) + delay;
    return arrival < w->clock[device] ? w->clock[device] : arrival;
}

struct choice {
    int32_t device, k;
    double start, end;
};

// Returns the operation that would end first; device -1: none can start. (Comparisons with NAN fail.)
static struct choice first_to_end(const struct window *w, const struct draft *draft)
{
    struct choice best = {.device = -1, .end = (double)INFINITY};
    for (int32_t d = 0; d < draft->order.devices; d++)
        for (int32_t k = 0; k < w->hi[d] - w->lo[d]; k++) {
            const double start = ready(w, draft, d, k),
                         end = start + w->pending[d * WINDOW_MOST + k].length;
            if (end < best.end)
                best = (struct choice){d, k, start, end};
        }
    return best;
}

static struct choice first_in_rank(const struct window *w,
                                   const struct draft *draft,
                                   struct choice first)
{
    const struct pending *pending = &w->pending[first.device * WINDOW_MOST];
    struct choice best = first;
    for (int32_t k = 0; k < w->hi[first.device] - w->lo[first.device]; k++) {
        const double start = ready(w, draft, first.device, k);
        if ((start < first.end || start == first.start) &&
            pending[k].rank < pending[best.k].rank)
            best = (struct choice){first.device, k, start, start + pending[k].length};
    }
    return best;
}

bool window_change(struct window *window, struct draft *draft, struct search_draws *draws)
{
    struct window *w = window;
    const int32_t devices = draft->order.devices;
    int32_t left = 0;
    if (!draft_sync(draft))
        return false;
    open_window(w, draft, draws);
    w->critical_known = draft->critical_known;
    for (int32_t d = 0; d < devices; d++)
        left += w->left[d];
    for (; left > 0; left--) {
        struct choice next = first_to_end(w, draft);
        if (next.device < 0)
            break;
        next = first_in_rank(w, draft, next);
        const int32_t d = next.device;
        struct pending *pending = &w->pending[d * WINDOW_MOST + next.k];
        pending->done = true;
        w->clock[d] = next.end;
        w->held[d] += operation_memory(draft->pipeline, &pending->operation);
        w->ends[d * WINDOW_MOST + next.k] = next.end;
        pending->place = w->hi[d] - w->left[d]--;
    }
    if (left > 0)
        return false;
    for (int32_t d = 0; d < devices; d++)
        for (int32_t k = 0; k < w->hi[d] - w->lo[d]; k++) {
            const struct pending *pending = &w->pending[d * WINDOW_MOST + k];
            draft->order.operations[order_at(&draft->order, d, pending->place)] =
                pending->operation;
        }
    return draft_changed(draft, w->lo, w->hi);
}

void window_undo(struct window *window, struct draft *draft)
{
    const struct window *w = window;
    for (int32_t d = 0; d < draft->order.devices; d++)
        memcpy(draft->order.operations + order_at(&draft->order, d, w->lo[d]),
               w->before + d * WINDOW_MOST, (size_t)(w->hi[d] - w->lo[d]) * sizeof *w->before);
    (void)draft_changed(draft, w->lo, w->hi);
    draft->critical_known = w->critical_known;
}
