// SPDX-License-Identifier: Apache-2.0
// Moves passes on their devices, and makes plans fit in memory.
#include "kernels/dynapipe/search/pass_private.h"

#include <string.h>

static int32_t micro_batch_of(const struct pass_search *s, int32_t pass)
{
    return pass_cell(pass) / s->size.stages;
}

static int32_t device_of(const struct pass_search *s, int32_t stage)
{
    return s->task->pipeline->device_of[stage];
}

static void put(struct pass_plan *plan, int32_t place, int32_t pass)
{
    plan->passes[place] = pass;
    plan->place[pass] = place;
}

void pass_move_behind(struct pass_search *s, int32_t pass, int32_t place)
{
    struct pass_plan *t = &s->trial;
    const int32_t m = micro_batch_of(s, pass);
    int32_t n = 0, to = t->place[pass];
    if (place <= to)
        return;
    for (int32_t k = to; k <= place; k++) {
        if (micro_batch_of(s, t->passes[k]) == m)
            s->moved[n++] = t->passes[k];
        else
            put(t, to++, t->passes[k]);
    }
    for (int32_t i = 0; i < n; i++)
        put(t, to++, s->moved[i]);
    s->is_changed[device_of(s, pass_cell(pass) % s->size.stages)] = true;
}

void pass_move_before(struct pass_search *s, int32_t pass, int32_t place)
{
    struct pass_plan *t = &s->trial;
    const int32_t m = micro_batch_of(s, pass);
    int32_t n = 0, to = t->place[pass];
    if (place >= to)
        return;
    for (int32_t k = to; k >= place; k--) {
        if (micro_batch_of(s, t->passes[k]) == m)
            s->moved[n++] = t->passes[k];
        else
            put(t, to--, t->passes[k]);
    }
    for (int32_t i = 0; i < n; i++)
        put(t, to--, s->moved[i]);
    s->is_changed[device_of(s, pass_cell(pass) % s->size.stages)] = true;
}

static int32_t pass_of(const struct pass_search *s, int32_t m, int32_t stage, bool backward)
{
    return pass_number(m * s->size.stages + stage, backward);
}

// Returns the stage of a device that is next to `stage`, itself included, in a direction; -1: there is none.
static int32_t next_stage(const struct pass_search *s, int32_t device, int32_t stage,
                          int32_t by)
{
    while (stage >= 0 && stage < s->size.stages && device_of(s, stage) != device)
        stage += by;
    return stage < s->size.stages ? stage : -1;
}

void pass_wait(struct pass_search *s, int32_t forward, int32_t backward)
{
    const int32_t stages = s->size.stages, y = micro_batch_of(s, backward),
                  from = pass_cell(backward) % stages;
    for (int32_t pass = forward, k = pass_cell(forward) % stages; k < stages; k++, pass += 2) {
        const int32_t j = next_stage(s, device_of(s, k), from, 1);
        if (j >= 0)
            pass_move_behind(s, pass, s->trial.place[pass_of(s, y, j, true)]);
    }
}

void pass_overtake(struct pass_search *s, int32_t forward, int32_t backward)
{
    const int32_t stages = s->size.stages, y = micro_batch_of(s, backward),
                  from = pass_cell(backward) % stages;
    for (int32_t pass = forward, k = pass_cell(forward) % stages; k >= 0; k--, pass -= 2) {
        const int32_t j = next_stage(s, device_of(s, k), from, -1);
        if (j >= 0)
            pass_move_before(s, pass, s->trial.place[pass_of(s, y, j, true)]);
    }
}

// ---- memory ---------------------------------------------------------------------------------------

// Changes the type of a cell to one that keeps less, or needs less while its pass runs. Returns false if there is none.
static bool lower(struct pass_search *s, int32_t cell, bool runs)
{
    const struct micro_batches *present = s->task->of[s->trial.recompute[cell]];
    const int from = pass_draw(s, DYNAPIPE_RECOMPUTE_TYPES);
    for (int k = 0; k < DYNAPIPE_RECOMPUTE_TYPES; k++) {
        const int type = (from + k) % DYNAPIPE_RECOMPUTE_TYPES;
        const struct micro_batches *b = s->task->of[type];
        if (b == NULL || !(runs ? plan_needs(b, cell) < plan_needs(present, cell)
                                : b->stored[cell] < present->stored[cell]))
            continue;
        s->trial.recompute[cell] = (uint8_t)type;
        return true;
    }
    return false;
}

// Lets a random micro-batch that is in flight at a place keep less, or the pass there need less.
static bool keep_less(struct pass_search *s, int32_t device, int32_t place)
{
    const struct pass_plan *t = &s->trial;
    const int32_t first = s->orders->first[device], n = place - first + 1,
                  shift = pass_draw(s, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t k = first + (shift + i) % n, pass = t->passes[k], cell = pass_cell(pass);
        if (k < place && (pass_is_backward(pass) || t->place[pass_number(cell, true)] <= place))
            continue;
        if (lower(s, cell, k == place))
            return true;
    }
    return false;
}

// A forward runs at a place: it waits for the next backward of a micro-batch in flight.
static bool delay_forward(struct pass_search *s, int32_t device, int32_t place)
{
    const struct pass_plan *t = &s->trial;
    const int32_t pass = t->passes[place], end = s->orders->first[device + 1];
    for (int32_t k = place + 1; k < end; k++) {
        const int32_t next = t->passes[k];
        if (!pass_is_backward(next) || micro_batch_of(s, next) == micro_batch_of(s, pass) ||
            t->place[pass_number(pass_cell(next), false)] > place)
            continue;
        pass_wait(s, pass, next);
        return t->place[pass] > place;
    }
    return false;
}

// A backward runs at a place: the last forward before it waits for it.
static bool delay_last_forward(struct pass_search *s, int32_t device, int32_t place)
{
    const struct pass_plan *t = &s->trial;
    const int32_t pass = t->passes[place];
    for (int32_t k = place - 1; k >= s->orders->first[device]; k--) {
        const int32_t before = t->passes[k];
        if (pass_is_backward(before) || micro_batch_of(s, before) == micro_batch_of(s, pass))
            continue;
        pass_wait(s, before, pass);
        return t->place[pass] < place;
    }
    return false;
}

static bool delay(struct pass_search *s, int32_t device, int32_t place)
{
    return pass_is_backward(s->trial.passes[place]) ? delay_last_forward(s, device, place)
                                                    : delay_forward(s, device, place);
}

static bool fit_device(struct pass_search *s, int32_t device, bool prefers_order,
                       int32_t *steps)
{
    const double limit = s->task->pipeline->limit[device];
    for (; *steps > 0; --*steps) {
        const struct pass_peak peak = pass_orders_peak(s->orders, &s->trial, device);
        if (plan_fits(peak.memory, limit))
            return true;
        if (peak.place < 0)
            return false;
        if ((s->is_over = s->is_over || poll_over_after(s->poll, (uint64_t)s->size.count / 8)))
            return false;
        if (prefers_order ? delay(s, device, peak.place) || keep_less(s, device, peak.place)
                          : keep_less(s, device, peak.place) || delay(s, device, peak.place))
            continue;
        return false;
    }
    return false;
}

bool pass_fit(struct pass_search *s)
{
    const bool prefers_order = pass_draw(s, 2) == 0;
    int32_t steps = 2 * s->size.count + 8;
    for (bool again = true; again && s->is_limited;) {
        again = false;
        for (int32_t d = 0; d < s->size.devices; d++) {
            if (!s->is_changed[d])
                continue;
            s->is_changed[d] = false;
            again = true;
            if (s->task->pipeline->limit[d] < HUGE_VAL &&
                !fit_device(s, d, prefers_order, &steps))
                return false;
            s->is_changed[d] = false;
        }
    }
    return true;
}
