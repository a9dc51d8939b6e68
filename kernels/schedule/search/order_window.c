// SPDX-License-Identifier: Apache-2.0
// Changes the order of a window of time.
#include "kernels/schedule/search/order_window.h"

#include <math.h>
#include <string.h>

enum { MOST = 24 }; // operations of a device in a window

// An operation of the window.
struct pending {
    struct operation operation;
    double rank; // the smallest runs first
    double length;
    double arrival; // of its message; 0: it waits for none; NAN: not known yet
    double memory;
    uint32_t behind; // bits of the operations of its device that have to run before it
    int32_t place;   // position in the new order
};

// The operations of a device.
struct lane {
    int32_t lo, hi; // positions lo ... hi - 1 are in the window
    int32_t left;   // operations that have not run
    uint32_t done;  // bits of those that have
    double clock, held;
    int32_t first; // operation that would end first; -1: none can start
    double first_start, first_end;
    bool known; // first is
    struct pending pending[MOST];
    struct operation before[MOST]; // as they were
};

struct order_window {
    bool changed;
    int32_t devices;
    int32_t *lo, *hi;  // [devices]
    struct lane *lane; // [devices]
};

struct order_window *order_window_take(const struct pipeline_shape *most, struct room *room)
{
    const size_t devices = (size_t)most->devices;
    struct order_window *window = room_take(room, 1, sizeof *window), counted;
    struct order_window *w = window != NULL ? window : &counted;
    w->lo = room_take(room, devices, sizeof *w->lo);
    w->hi = room_take(room, devices, sizeof *w->hi);
    w->lane = room_take(room, devices, sizeof *w->lane);
    return window;
}

// ---- the window ---------------------------------------------------------------------------------

// Where a window lies, and how its operations are ranked.
struct span {
    double from, to, noise;
    double bias[OPERATION_TYPES];
};

static const struct operation *operation_at(const struct draft *draft, int32_t device,
                                            int32_t position)
{
    return &draft->order.operations[order_at(&draft->order, device, position)];
}

// Returns the first position of a device that starts at `time` or later.
static int32_t position_at(const struct draft *draft, const struct order_times *times,
                           int32_t device, double time)
{
    int32_t low = 0, high = draft->order.n[device];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (order_times_start(times, operation_at(draft, device, middle)) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Chooses a random operation, the window from it on, and random times by which operations of each type go
// earlier or later.
static struct span draw_span(const struct draft *draft, const struct order_times *times,
                             struct search_draws *draws)
{
    const struct order *order = &draft->order;
    const int32_t middle = (int32_t)search_below(draws, (uint32_t)order->devices),
                  at = (int32_t)search_below(draws, (uint32_t)order->n[middle]),
                  wide = 3 + (int32_t)search_below(draws, MOST / 2 - 3);
    const int32_t last = at + wide < order->n[middle] ? at + wide : order->n[middle] - 1;
    struct span span = {.from = order_times_start(times, operation_at(draft, middle, at)),
                        .to = order_times_end(times, operation_at(draft, middle, last))};
    span.noise = (span.to - span.from) * search_fraction(draws) / 2;
    for (int k = 0; k < OPERATION_TYPES; k++)
        span.bias[k] = span.noise * (search_fraction(draws) - 0.5);
    return span;
}

// Returns the arrival of the message of an operation, if the sender is not in the window.
static double arrival_of(const struct order_window *w, const struct draft *draft,
                         const struct order_times *times, const struct operation *op)
{
    const int64_t sender =
        op->type == OPERATION_W || op->type == OPERATION_R ? -1 : draft_sender(draft, op);
    if (sender < 0)
        return 0;
    const int32_t from = (int32_t)(sender / draft->order.room),
                  at = (int32_t)(sender % draft->order.room);
    if (at >= w->lane[from].lo)
        return (double)NAN;
    const struct operation *sends = &draft->order.operations[sender];
    return order_times_end(times, sends) + order_times_delay(times, sends);
}

// Returns the bits of the operations before k that have to run before it.
static uint32_t behind(const struct pending *pending, int32_t k)
{
    const struct operation *op = &pending[k].operation;
    uint32_t bits = 0;
    for (int32_t i = 0; i < k; i++) {
        const struct operation *other = &pending[i].operation;
        if (other->stage == op->stage && other->direction == op->direction &&
            (other->type == op->type || other->item == op->item))
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

static void open_lane(struct order_window *w, const struct draft *draft,
                      const struct order_times *times, int32_t d, const struct span *span,
                      struct search_draws *draws)
{
    struct lane *lane = &w->lane[d];
    const int64_t first = order_at(&draft->order, d, 0);
    lane->left = lane->hi - lane->lo;
    lane->done = 0;
    lane->known = false;
    lane->clock =
        lane->lo > 0 ? order_times_end(times, operation_at(draft, d, lane->lo - 1)) : 0;
    lane->held = lane->lo > 0 ? draft->level[first + lane->lo - 1] : draft->pipeline->fixed[d];
    for (int32_t k = 0; k < lane->left; k++) {
        const struct operation *op = operation_at(draft, d, lane->lo + k);
        const double start = order_times_start(times, op);
        lane->before[k] = *op;
        lane->pending[k] = (struct pending){*op,
                                            start + span->bias[op->type] +
                                                span->noise * (search_fraction(draws) - 0.5),
                                            order_times_end(times, op) - start,
                                            arrival_of(w, draft, times, op),
                                            operation_memory(draft->pipeline, op),
                                            0,
                                            0};
        lane->pending[k].behind = behind(lane->pending, k);
    }
}

static void open_window(struct order_window *w, const struct draft *draft,
                        const struct order_times *times, struct search_draws *draws)
{
    const struct span span = draw_span(draft, times, draws);
    w->devices = draft->order.devices;
    for (int32_t d = 0; d < w->devices; d++) {
        const int32_t lo = position_at(draft, times, d, span.from),
                      end = position_at(draft, times, d, span.to),
                      hi = end < lo + MOST ? end : lo + MOST;
        w->lo[d] = w->lane[d].lo = lo;
        w->hi[d] = w->lane[d].hi = hi > lo ? hi : lo;
    }
    for (int32_t d = 0; d < w->devices; d++)
        open_lane(w, draft, times, d, &span, draws);
}

// ---- dispatch -----------------------------------------------------------------------------------

// Returns the time at which operation k of a device, which has not run, can start; NAN: it has to wait for
// another one.
static double ready(const struct lane *lane, double most, int32_t k)
{
    const struct pending *pending = &lane->pending[k];
    if ((pending->behind & ~lane->done) != 0 ||
        (pending->operation.type == OPERATION_F && lane->held + pending->memory > most))
        return (double)NAN;
    return pending->arrival < lane->clock ? lane->clock : pending->arrival;
}

// Returns the bits of the operations of a device that have not run.
static uint32_t waiting(const struct lane *lane)
{
    return ((UINT32_C(1) << (lane->hi - lane->lo)) - 1) & ~lane->done;
}

// Finds the operation of a device that would end first. (Comparisons with NAN fail.)
static void find_first(struct lane *lane, double most)
{
    lane->known = true;
    lane->first = -1;
    lane->first_end = (double)INFINITY;
    for (uint32_t bits = waiting(lane); bits != 0; bits &= bits - 1) {
        const int32_t k = __builtin_ctz(bits);
        const double start = ready(lane, most, k), end = start + lane->pending[k].length;
        if (end < lane->first_end) {
            lane->first = k;
            lane->first_start = start;
            lane->first_end = end;
        }
    }
}

// Returns the device whose next operation would end first; -1: none can start.
static int32_t first_to_end(struct order_window *w, const struct draft *draft)
{
    int32_t best = -1;
    for (int32_t d = 0; d < w->devices; d++) {
        struct lane *lane = &w->lane[d];
        if (!lane->known)
            find_first(lane, draft->most[d]);
        if (lane->first >= 0 && (best < 0 || lane->first_end < w->lane[best].first_end))
            best = d;
    }
    return best;
}

// Returns the operation of a device with the smallest rank among those that can start before its first one
// would end.
static int32_t first_in_rank(const struct lane *lane, double most)
{
    int32_t best = lane->first;
    for (uint32_t bits = waiting(lane); bits != 0; bits &= bits - 1) {
        const int32_t k = __builtin_ctz(bits);
        const double start = ready(lane, most, k);
        if ((start < lane->first_end || start == lane->first_start) &&
            lane->pending[k].rank < lane->pending[best].rank)
            best = k;
    }
    return best;
}

// Brings the message of an operation to its receiver in the window.
static void send(struct order_window *w, const struct draft *draft,
                 const struct order_times *times, const struct operation *op, double end)
{
    const int64_t to = draft_receiver(draft, op);
    if (to < 0)
        return;
    const int32_t device = (int32_t)(to / draft->order.room),
                  k = (int32_t)(to % draft->order.room) - w->lane[device].lo;
    if (k < 0 || k >= w->lane[device].hi - w->lane[device].lo)
        return;
    w->lane[device].pending[k].arrival = end + order_times_delay(times, op);
    w->lane[device].known = false;
}

static void run(struct order_window *w, const struct draft *draft,
                const struct order_times *times, int32_t d)
{
    struct lane *lane = &w->lane[d];
    const int32_t k = first_in_rank(lane, draft->most[d]);
    struct pending *pending = &lane->pending[k];
    lane->clock = ready(lane, draft->most[d], k) + pending->length;
    lane->held += pending->memory;
    lane->done |= UINT32_C(1) << k;
    lane->known = false;
    pending->place = lane->hi - lane->left--;
    send(w, draft, times, &pending->operation, lane->clock);
}

static void tell(const struct order_window *w, struct order_times *times)
{
    for (int32_t d = 0; d < w->devices; d++)
        if (w->hi[d] > w->lo[d])
            order_times_changed(times, d, w->lo[d], w->hi[d]);
}

bool order_window_change(struct order_window *window, struct draft *draft,
                         struct order_times *times, struct search_draws *draws)
{
    struct order_window *w = window;
    int32_t left = 0;
    open_window(w, draft, times, draws);
    w->changed = false;
    for (int32_t d = 0; d < w->devices; d++)
        left += w->lane[d].left;
    for (; left > 0; left--) {
        const int32_t d = first_to_end(w, draft);
        if (d < 0)
            return false;
        run(w, draft, times, d);
    }
    for (int32_t d = 0; d < w->devices; d++)
        for (int32_t k = 0; k < w->hi[d] - w->lo[d]; k++) {
            const struct pending *pending = &w->lane[d].pending[k];
            draft->order.operations[order_at(&draft->order, d, pending->place)] =
                pending->operation;
            w->changed = w->changed || pending->place != w->lo[d] + k;
        }
    if (!w->changed)
        return false;
    const bool fits = draft_changed(draft, w->lo, w->hi);
    tell(w, times);
    return fits;
}

void order_window_undo(struct order_window *window, struct draft *draft,
                       struct order_times *times)
{
    const struct order_window *w = window;
    if (!w->changed)
        return;
    for (int32_t d = 0; d < w->devices; d++)
        memcpy(draft->order.operations + order_at(&draft->order, d, w->lo[d]),
               w->lane[d].before, (size_t)(w->hi[d] - w->lo[d]) * sizeof *w->lane[d].before);
    (void)draft_changed(draft, w->lo, w->hi);
    tell(w, times);
}
