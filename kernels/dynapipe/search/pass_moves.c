// SPDX-License-Identifier: Apache-2.0
// Changes plans at random: single passes, a micro-batch over all stages, the order of micro-batches, recomputation.
#include "kernels/dynapipe/search/pass_private.h"

#include <stdlib.h>

static int32_t stage_of(const struct pass_search *s, int32_t pass)
{
    return pass_cell(pass) % s->size.stages;
}

static int32_t micro_batch_of(const struct pass_search *s, int32_t pass)
{
    return pass_cell(pass) / s->size.stages;
}

// Draws a pass, mostly one on a longest path: only they can make the plan shorter.
static int32_t draw_pass(struct pass_search *s)
{
    return pass_draw(s, 8) > 0 ? s->critical[pass_draw(s, s->n_critical)]
                               : pass_draw(s, s->orders->passes);
}

// ---- single passes --------------------------------------------------------------------------------

// Exchanges a pass with its neighbour, and with those behind it: a forward and a backward change places at other stages,
// too, where that must be.
static void move_pass(struct pass_search *s)
{
    const struct pass_plan *t = &s->trial;
    const int32_t pass = draw_pass(s), d = s->task->pipeline->device_of[stage_of(s, pass)],
                  first = s->orders->first[d], end = s->orders->first[d + 1],
                  by = pass_draw(s, 2) == 0 ? 1 : -1,
                  steps = 1 + pass_draw(s, 1 + pass_draw(s, 1 + (end - first) / 3));
    for (int32_t i = 0; i < steps; i++) {
        const int32_t k = t->place[pass] + by;
        if (k < first || k >= end || micro_batch_of(s, t->passes[k]) == micro_batch_of(s, pass))
            return;
        const int32_t early = by > 0 ? pass : t->passes[k], late = by > 0 ? t->passes[k] : pass;
        if (pass_is_backward(early) == pass_is_backward(late))
            pass_move_behind(s, early, t->place[late]);
        else if (pass_is_backward(early))
            pass_overtake(s, late, early);
        else
            pass_wait(s, early, late);
    }
}

// ---- a micro-batch over all stages ----------------------------------------------------------------

// Moves the forwards, or the backwards, of a micro-batch next to those of another one at a stage and all behind it, or all
// before it.
static void move_along(struct pass_search *s)
{
    const struct pass_plan *t = &s->trial;
    const int32_t n = s->size.stages, x = micro_batch_of(s, draw_pass(s)),
                  shift = 1 + pass_draw(s, s->size.count - 1), y = (x + shift) % s->size.count,
                  from = pass_draw(s, 3) == 0 ? pass_draw(s, n) : 0,
                  end = pass_draw(s, 3) == 0 ? from + 1 + pass_draw(s, n - from) : n;
    const bool backward = pass_draw(s, 2) == 0, before = pass_draw(s, 2) == 0;
    for (int32_t k = from; k < end; k++) {
        const int32_t pass = pass_number(x * n + k, backward),
                      other = pass_number(y * n + k, backward);
        if (t->place[pass] > t->place[other])
            pass_move_before(s, pass, t->place[other] + !before);
        else
            pass_move_behind(s, pass, t->place[other] - before);
    }
}

// Lets the forwards of a micro-batch wait for, or overtake, the backwards of another one.
static void move_across(struct pass_search *s)
{
    const int32_t n = s->size.stages, x = micro_batch_of(s, draw_pass(s)),
                  shift = 1 + pass_draw(s, s->size.count - 1), y = (x + shift) % s->size.count,
                  k = pass_draw(s, n);
    const int32_t forward = pass_number(x * n + k, false),
                  backward = pass_number(y * n + k, true);
    if (s->trial.place[forward] < s->trial.place[backward])
        pass_wait(s, forward, backward);
    else
        pass_overtake(s, forward, backward);
}

// ---- the order of micro-batches -------------------------------------------------------------------

// Lists the micro-batches as they run at the first stage.
static void list_order(struct pass_search *s)
{
    const int32_t d = s->task->pipeline->device_of[0];
    int32_t n = 0;
    for (int32_t k = s->orders->first[d]; k < s->orders->first[d + 1]; k++) {
        const int32_t pass = s->trial.passes[k];
        if (!pass_is_backward(pass) && stage_of(s, pass) == 0)
            s->order[n++] = micro_batch_of(s, pass);
    }
}

// Gives the passes of every micro-batch to that of the map.
static void relabel(struct pass_search *s)
{
    struct pass_plan *t = &s->trial;
    const int32_t n = s->size.stages;
    for (int32_t k = 0; k < s->orders->passes; k++) {
        const int32_t pass = t->passes[k],
                      to = pass_number(s->map[micro_batch_of(s, pass)] * n + stage_of(s, pass),
                                       pass_is_backward(pass));
        t->passes[k] = to;
        t->place[to] = k;
    }
    for (int32_t d = 0; d < s->size.devices; d++)
        s->is_changed[d] = true;
}

// Two micro-batches change places, one moves to the place of another, or all between them turn round.
static void change_order(struct pass_search *s)
{
    const int32_t count = s->size.count, which = pass_draw(s, 5), a = pass_draw(s, count),
                  b = (a + 1 + pass_draw(s, count - 1)) % count, by = a < b ? 1 : -1;
    list_order(s);
    for (int32_t m = 0; m < count; m++)
        s->map[m] = m;
    if (which < 2) {
        s->map[s->order[a]] = s->order[b];
        s->map[s->order[b]] = s->order[a];
    } else if (which < 4) {
        for (int32_t k = a; k != b; k += by)
            s->map[s->order[k]] = s->order[k + by];
        s->map[s->order[b]] = s->order[a];
    } else {
        for (int32_t k = 0; k <= abs(b - a); k++)
            s->map[s->order[a + by * k]] = s->order[b - by * k];
    }
    relabel(s);
}

// ---- recomputation --------------------------------------------------------------------------------

// Lets a stage keep everything of some micro-batches that it recomputes; pass_fit chooses others then.
static void keep_more(struct pass_search *s)
{
    const int32_t stage = pass_draw(s, s->size.stages), part = 1 + pass_draw(s, 4);
    for (int32_t m = 0; m < s->size.count; m++) {
        uint8_t *type = &s->trial.recompute[m * s->size.stages + stage];
        if (*type != DYNAPIPE_KEEP && pass_draw(s, 4) < part)
            *type = DYNAPIPE_KEEP;
    }
    s->is_changed[s->task->pipeline->device_of[stage]] = true;
}

static void change_recompute(struct pass_search *s)
{
    const int32_t cell = pass_draw(s, s->size.count * s->size.stages),
                  type = pass_draw(s, DYNAPIPE_RECOMPUTE_TYPES);
    if (s->task->of[type] != NULL)
        s->trial.recompute[cell] = (uint8_t)type;
    s->is_changed[s->task->pipeline->device_of[cell % s->size.stages]] = true;
}

// ---- all moves ------------------------------------------------------------------------------------

// Returns whether forwards and backwards of every stage run in the order of the micro-batches' numbers.
static bool is_in_order(struct pass_search *s)
{
    const int32_t n = s->size.stages;
    for (int32_t m = 1; m < s->size.count; m++)
        for (int32_t pass = 2 * m * n; pass < 2 * (m + 1) * n; pass++)
            if (s->trial.place[pass - 2 * n] > s->trial.place[pass])
                return false;
    return true;
}

bool pass_move(struct pass_search *s)
{
    const bool several = s->size.count > 1,
               recomputes = s->is_limited && (s->task->of[DYNAPIPE_FULL] != NULL ||
                                              s->task->of[DYNAPIPE_SELECTIVE] != NULL);
    const int32_t which = pass_draw(s, recomputes ? 20 : 15);
    if (which >= 18)
        change_recompute(s);
    else if (which >= 15)
        keep_more(s);
    else if (!several)
        return false;
    else if (which < 6)
        move_pass(s);
    else if (which < 8)
        move_across(s);
    else if (which < 10 && !s->task->keeps_order)
        move_along(s);
    else if (!s->task->keeps_order)
        change_order(s);
    else
        move_pass(s);
    return pass_fit(s) && (!s->task->keeps_order || is_in_order(s));
}
