// SPDX-License-Identifier: Apache-2.0
// Improves an order of operations by local search.
#include "kernels/schedule/search/order_search.h"

#include "kernels/schedule/search/order_window.h"

#include <math.h>

// ---- the search ---------------------------------------------------------------------------------

enum {
    SHIFT_MAX = 4, // positions that a move shifts an operation by
    SAME_DEVICE =
        24, // moves on one device before the next: the executor keeps what comes before
    WINDOW_MAX = 16, // operations of a window
    WINDOW_EVERY =
        4, // changes until the order of a window changes: of 2, 4, 8 and 16, the best per time
    TRIES = 10, // moves that are not possible, before a change fails
    PURPOSE = 0x53454152,
};

// The weight of the mean end of the operations beside the objective.
static const double FINE = 1e-7;

struct order_search {
    struct draft *draft;
    struct executor *executor;
    struct order_times *times;
    struct order_window *window;
    struct order best;
    enum family_objective objective;
    bool fine_ends;
    bool in_window;       // the last change was that of a window
    bool has_pairs;       // of the order: no windows
    bool is_pending;      // the last change was not taken back, as far as is known
    int32_t device, left; // device of the next moves; moves that are left for it
};

struct order_search *order_search_take(const struct pipeline_shape *most, int32_t operations,
                                       struct room *room)
{
    struct order_search *search = room_take(room, 1, sizeof *search), counted;
    struct order_search *s = search != NULL ? search : &counted;
    *s = (struct order_search){.draft = NULL};
    s->draft = draft_take(most, operations, room);
    s->executor = executor_take(most, operations, room);
    s->times = order_times_take(most, operations, s->executor, room);
    s->window = order_window_take(most, room);
    order_take(&s->best, most->devices, operations, room);
    return search;
}

// ---- moves --------------------------------------------------------------------------------------

// Returns the position of a critical operation of the device, the nearest behind a random place; -1: none.
static int32_t critical_position(const struct order_search *search, int32_t device,
                                 struct search_draws *draws)
{
    const struct order *order = &search->draft->order;
    const int32_t n = order->n[device], first = (int32_t)search_below(draws, (uint32_t)n);
    for (int32_t k = 0; k < n; k++) {
        const int32_t at = first + k < n ? first + k : first + k - n;
        if (order_times_is_critical(search->times,
                                    &order->operations[order_at(order, device, at)]))
            return at;
    }
    return -1;
}

static bool move_one(const struct order_search *search, struct search_draws *draws)
{
    struct draft *draft = search->draft;
    const int32_t d = search->device, n = draft->order.n[d];
    int32_t at = (int32_t)search_below(draws, (uint32_t)n),
            by = 1 + (int32_t)search_below(draws, SHIFT_MAX);
    const uint32_t way = search_below(draws, 8);
    const int32_t critical = way < 6 ? critical_position(search, d, draws) : -1;
    if (critical < 0)
        return draft_shift(draft, d, at, way % 2 == 0 ? at - by : at + by);
    if (way < 3) // the critical operation earlier
        return draft_shift(draft, d, critical, critical - by);
    if (way < 5 && critical > 0) // the operation before it later
        return draft_shift(draft, d, critical - 1, critical - 1 + by);
    at = critical + by; // an operation from behind into the gap before it
    return at < n && draft_shift(draft, d, at, critical);
}

static bool move(const struct order_search *search, struct search_draws *draws)
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
    return draft_shift_f(draft, d, from, end, wide % 2 == 0 ? -1 : 1);
}

static double value_of(const struct order_search *search)
{
    return order_times_objective(search->times) +
           (search->fine_ends ? FINE * order_times_mean_end(search->times) : 0);
}

// Moves operations of the device whose turn it is, and tells the times. Returns whether something moved.
static bool move_some(struct order_search *search, struct search_draws *draws)
{
    const struct draft *draft = search->draft;
    bool moved = false;
    for (int tries = 0; tries < TRIES && !moved; tries++)
        moved = move(search, draws);
    if (moved)
        order_times_changed(search->times, draft->device, draft->from, draft->end);
    return moved;
}

static double change(void *self, struct search_draws *draws, double most)
{
    struct order_search *search = self;
    if (search->is_pending)
        order_times_stay(search->times);
    search->is_pending = false;
    search->in_window = false;
    if (search->left-- <= 0) {
        search->device = (int32_t)search_below(draws, (uint32_t)search->draft->order.devices);
        search->left = SAME_DEVICE;
    }
    if (search->draft->order.n[search->device] < 2) {
        search->left = 0;
        return HUGE_VAL;
    }
    search->in_window = !search->has_pairs && search_below(draws, WINDOW_EVERY) == 0;
    search->is_pending = search->in_window ? order_window_change(search->window, search->draft,
                                                                 search->times, draws)
                                           : move_some(search, draws);
    if (!search->is_pending || !order_times_update(search->times, most))
        return HUGE_VAL;
    return value_of(search);
}

static void undo(void *self)
{
    struct order_search *search = self;
    struct draft *draft = search->draft;
    if (search->in_window) {
        order_window_undo(search->window, draft, search->times);
    } else if (search->is_pending) {
        const int32_t from = draft->from, end = draft->end;
        draft_undo(draft);
        order_times_changed(search->times, draft->device, from, end);
    }
    order_times_back(search->times);
    search->is_pending = search->in_window = false;
}

static void keep(void *self)
{
    struct order_search *search = self;
    order_copy(&search->best, &search->draft->order);
}

// Starts at an order, which can run.
static void start_at(struct order_search *search, const struct order *order)
{
    (void)draft_set(search->draft, order);
    (void)order_times_set(search->times, search->draft->pipeline, &search->draft->order,
                          search->objective, NULL);
    search->is_pending = search->in_window = false;
}

static void go_back(void *self)
{
    struct order_search *search = self;
    start_at(search, &search->best);
}

bool order_search_value(struct order_search *search, const struct pipeline *pipeline,
                        const struct order *order, enum family_objective objective,
                        struct poll *poll, double *value)
{
    draft_open(search->draft, pipeline);
    if (!draft_set(search->draft, order) ||
        executor_run(search->executor, pipeline, order, NULL, poll) != EXECUTOR_DONE)
        return false;
    *value = objective == FAMILY_SPAN ? executor_span(search->executor)
                                      : executor_makespan(search->executor);
    return true;
}

bool order_search_improve(struct order_search *search, const struct pipeline *pipeline,
                          const struct order_search_options *options, struct poll *poll,
                          struct order *order, double *value, int64_t *evaluations)
{
    struct search_draws draws = {.seed = options->seed, .purpose = PURPOSE + options->stream};
    const struct search_problem problem = {search, change, undo, keep, go_back};
    if (!order_search_value(search, pipeline, order, options->objective, poll, value))
        return false;
    search->best.devices = order->devices;
    search->left = 0;
    search->objective = options->objective;
    search->fine_ends = options->fine_ends;
    search->has_pairs = false;
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            search->has_pairs = search->has_pairs || order->paired[order_at(order, d, i)];
    start_at(search, order);
    keep(search);
    // A short history: the starts are good orders. 10 and 100 find the same makespans (4 and 6 devices, 8 and
    // 12 micro-batches, with and without latency, budget 20000).
    const struct search_limits limits = {.budget = options->budget,
                                         .patience = options->budget / 4 + 1,
                                         .history = 30,
                                         .bound = options->bound,
                                         .cost = (uint64_t)order_total(order),
                                         .poll = poll};
    (void)search_local(&problem, value_of(search), &limits, &draws, evaluations);
    order_copy(order, &search->draft->order);
    *value = order_times_objective(search->times);
    return true;
}
