// SPDX-License-Identifier: Apache-2.0
// Improves an order of operations by local search.
#include "kernels/schedule/search/order_search.h"

#include "kernels/common/search/local_search.h"
#include "kernels/schedule/search/draft.h"
#include "kernels/schedule/search/window.h"

#include <math.h>

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

struct order_search *order_search_take(const struct pipeline_shape *most,
                                       int32_t operations,
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
static int32_t critical_position(struct draft *draft,
                                 int32_t device,
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

bool order_search_value(struct order_search *search,
                        const struct pipeline *pipeline,
                        const struct order *order,
                        enum family_objective objective,
                        struct poll *poll,
                        double *value)
{
    draft_open(search->draft, pipeline, objective);
    if (!draft_set(search->draft, order, poll))
        return false;
    *value = draft_objective(search->draft);
    return true;
}

bool order_search_improve(struct order_search *search,
                          const struct pipeline *pipeline,
                          const struct order_search_options *options,
                          struct poll *poll,
                          struct order *order,
                          double *value,
                          int64_t *evaluations)
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
