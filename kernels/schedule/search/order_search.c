// SPDX-License-Identifier: Apache-2.0
// Improves an order of operations by local search.
#include "kernels/schedule/search/order_search.h"

#include "kernels/common/search/local_search.h"
#include "kernels/schedule/search/draft.h"

#include <math.h>
#include <string.h>

// ---- windows -----------------------------------------------------------------------------------

struct window;

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

// NULL: the room only counts.
static struct window *window_take(const struct pipeline_shape *most, struct room *room)
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
static double ready(const struct window *w, const struct draft *draft, int32_t device,
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

static struct choice first_in_rank(const struct window *w, const struct draft *draft,
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

// Changes the draft, whose order has run and has no pairs. Returns false, and leaves the order as it is,
// if the dispatch ends without room for memory. On true, draft_run follows, and then window_undo to take
// the change back.
static bool window_change(struct window *window, struct draft *draft,
                          struct search_draws *draws)
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

static void window_undo(struct window *window, struct draft *draft)
{
    const struct window *w = window;
    for (int32_t d = 0; d < draft->order.devices; d++)
        memcpy(draft->order.operations + order_at(&draft->order, d, w->lo[d]),
               w->before + d * WINDOW_MOST, (size_t)(w->hi[d] - w->lo[d]) * sizeof *w->before);
    (void)draft_changed(draft, w->lo, w->hi);
    draft->critical_known = w->critical_known;
}

// ---- the search ---------------------------------------------------------------------------------

enum {
    SHIFT_MAX = 4, // positions that a move shifts an operation by
    SAME_DEVICE =
        24, // moves on one device before the next: the executor keeps what comes before
    WINDOW_MAX = 16,  // operations of a window
    WINDOW_EVERY = 8, // changes until the order of a window changes
    TRIES = 10,       // moves that are not possible, before a change fails
    PURPOSE = 0x53454152,
};

struct order_search {
    struct draft *draft;
    struct window *window;
    struct order best;
    bool in_window;       // the last change was that of a window
    bool has_pairs;       // of the order: no windows
    int32_t device, left; // device of the next moves; moves that are left for it
};

struct order_search *order_search_take(const struct pipeline_shape *most, int32_t operations,
                                       struct room *room)
{
    struct order_search *search = room_take(room, 1, sizeof *search), counted;
    struct order_search *s = search != NULL ? search : &counted;
    *s = (struct order_search){.draft = NULL};
    s->draft = draft_take(most, operations, room);
    s->window = window_take(most, room);
    order_take(&s->best, most->devices, operations, room);
    return search;
}

// ---- moves --------------------------------------------------------------------------------------

// Returns the position of an operation of the critical path on the device, the nearest behind a random
// place; -1: none.
static int32_t critical_position(struct draft *draft, int32_t device,
                                 struct search_draws *draws)
{
    if (!draft->critical_known)
        return -1;
    const int32_t n = draft->n_critical, first = (int32_t)search_below(draws, (uint32_t)n);
    for (int32_t k = 0; k < n; k++) {
        const int64_t at = draft->critical[(first + k) % n];
        if (at / draft->order.room == device)
            return (int32_t)(at % draft->order.room);
    }
    return -1;
}

static bool move_one(struct order_search *search, struct search_draws *draws)
{
    struct draft *draft = search->draft;
    const int32_t d = search->device, n = draft->order.n[d];
    int32_t at = (int32_t)search_below(draws, (uint32_t)n),
            by = 1 + (int32_t)search_below(draws, SHIFT_MAX);
    const uint32_t way = search_below(draws, 8);
    const int32_t critical = way < 6 ? critical_position(draft, d, draws) : -1;
    if (critical < 0)
        return draft_shift(draft, d, at, way % 2 == 0 ? at - by : at + by);
    if (way < 3) // the critical operation earlier
        return draft_shift(draft, d, critical, critical - by);
    if (way < 5 && critical > 0) // the operation before it later
        return draft_shift(draft, d, critical - 1, critical - 1 + by);
    at = critical + by; // an operation from behind into the gap before it
    return at < n && draft_shift(draft, d, at, critical);
}

static bool move(struct order_search *search, struct search_draws *draws)
{
    struct draft *draft = search->draft;
    const int32_t d = search->device, n = draft->order.n[d],
                  from = (int32_t)search_below(draws, (uint32_t)n),
                  wide = from + 2 + (int32_t)search_below(draws, WINDOW_MAX),
                  end = wide < n ? wide : n;
    const uint32_t kind = search_below(draws, 32);
    if (kind < 28)
        return move_one(search, draws);
    if (kind < 30)
        return draft_shift_w(draft, d, from, end, kind == 28 ? -1 : 1);
    return draft_shift_f(draft, d, from, kind == 30 ? n : end, wide % 2 == 0 ? -1 : 1);
}

static double change(void *self, struct search_draws *draws)
{
    struct order_search *search = self;
    if (search->left-- <= 0) {
        search->device = (int32_t)search_below(draws, (uint32_t)search->draft->order.devices);
        search->left = SAME_DEVICE;
    }
    if (search->draft->order.n[search->device] < 2) {
        search->left = 0;
        return HUGE_VAL;
    }
    if (search->draft->valid && !search->draft->critical_known)
        draft_find_critical(search->draft);
    search->in_window = !search->has_pairs && search_below(draws, WINDOW_EVERY) == 0;
    bool moved = search->in_window && window_change(search->window, search->draft, draws);
    search->in_window = moved;
    for (int tries = 0; tries < TRIES && !moved; tries++)
        moved = move(search, draws);
    if (!moved || !draft_run(search->draft))
        return HUGE_VAL;
    return draft_value(search->draft);
}

static void undo(void *self)
{
    struct order_search *search = self;
    if (search->in_window)
        window_undo(search->window, search->draft);
    else
        draft_undo(search->draft);
    search->in_window = false;
}

static void keep(void *self)
{
    struct order_search *search = self;
    order_copy(&search->best, &search->draft->order);
}

static void go_back(void *self)
{
    struct order_search *search = self;
    (void)draft_set(search->draft, &search->best, NULL);
}

bool order_search_value(struct order_search *search, const struct pipeline *pipeline,
                        const struct order *order, enum family_objective objective,
                        struct poll *poll, double *value)
{
    draft_open(search->draft, pipeline, objective);
    if (!draft_set(search->draft, order, poll))
        return false;
    *value = draft_objective(search->draft);
    return true;
}

bool order_search_improve(struct order_search *search, const struct pipeline *pipeline,
                          const struct order_search_options *options, struct poll *poll,
                          struct order *order, double *value, int64_t *evaluations)
{
    struct draft *draft = search->draft;
    struct search_draws draws = {.seed = options->seed, .purpose = PURPOSE + options->stream};
    const struct search_problem problem = {search, change, undo, keep, go_back};
    if (!order_search_value(search, pipeline, order, options->objective, poll, value))
        return false;
    search->best.devices = order->devices;
    search->left = 0;
    search->in_window = false;
    search->has_pairs = false;
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            search->has_pairs = search->has_pairs || order->paired[order_at(order, d, i)];
    draft->fine_ends = options->fine_ends;
    keep(search);
    // A short history: the starts are good orders. 10 and 100 find the same makespans (4 and 6 devices, 8 and
    // 12 micro-batches, with and without latency, budget 20000).
    const struct search_limits limits = {.budget = options->budget,
                                         .history = 30,
                                         .bound = options->bound,
                                         .cost = (uint64_t)order_total(order),
                                         .poll = poll};
    (void)search_local(&problem, draft_value(draft), &limits, &draws, evaluations);
    order_copy(order, &draft->order);
    *value = draft_objective(draft);
    return true;
}
