// SPDX-License-Identifier: Apache-2.0
// Finds the shape of a rank's passes and measures the times between their kernels.
#include "planner/profiles/kernels/layer_cut.h"

#include "base/text/grow_list.h"
#include "planner/profiles/kernels/layer_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kernels of the trace as two lists, and what was found.
struct cutting {
    const struct kernel_events *events;
    const struct layer_request *request;
    size_t *forward, *backward; // events
    size_t n_forward, n_backward;
    size_t *before; // see struct layer_order
    struct order_found found;
};

static void free_parts(struct cutting *c)
{
    free(c->forward);
    free(c->backward);
    free(c->before);
    order_found_free(&c->found);
}

static bool list_kernels(struct cutting *c)
{
    const struct kernel_events *events = c->events;
    c->forward = calloc(events->n_forward + 1, sizeof *c->forward);
    c->backward = calloc(events->n_backward + 1, sizeof *c->backward);
    c->before = calloc(events->n_backward + 1, sizeof *c->before);
    if (c->forward == NULL || c->backward == NULL || c->before == NULL)
        return false;
    for (size_t i = 0; i < events->n; i++) {
        if (events->rows[i].kind == KERNEL_FORWARD) {
            c->forward[c->n_forward++] = i;
        } else if (events->rows[i].kind == KERNEL_BACKWARD) {
            c->before[c->n_backward] = c->n_forward;
            c->backward[c->n_backward++] = i;
        }
    }
    return true;
}

// ---- times --------------------------------------------------------------------------------------

static bool add_time(struct layer_cut *cut, double us, size_t layer, enum layer_pass pass)
{
    struct layer_time *times = pps_grow(cut->times, &cut->room, cut->n + 1, sizeof *times);
    if (times == NULL)
        return false;
    cut->times = times;
    const int32_t number = pass == LAYER_PERIOD ? -1 : (int32_t)layer;
    times[cut->n++] = (struct layer_time){us, number, pass};
    return true;
}

static double us_between(const struct cutting *c, size_t from, size_t to)
{
    return (double)(c->events->rows[to].ns - c->events->rows[from].ns) / 1e3;
}

static bool add_forward(struct layer_cut *cut, const struct cutting *c, size_t first)
{
    const size_t step = c->found.per_layer;
    bool stored = true;
    for (size_t k = 0; stored && k + step < c->found.shape.layers; k += step)
        stored =
            add_time(cut, us_between(c, c->forward[first + k], c->forward[first + k + step]),
                     k / step, LAYER_FORWARD);
    return stored;
}

// Layers that are recomputed together share the time until the next layers: its mean belongs to each.
static bool add_backward(struct layer_cut *cut, const struct cutting *c, size_t first)
{
    const size_t step = c->found.per_layer, layers = c->found.shape.layers;
    for (size_t k = 0; k + step < layers;) {
        const size_t again = (c->found.recomputed[k + step] - c->found.recomputed[k]) / step;
        const size_t together = again > 1 ? again : 1;
        const size_t to = k + together * step;
        if (to >= layers)
            break;
        const double us =
            us_between(c, c->backward[first + k], c->backward[first + to]) / (double)together;
        for (size_t i = 1; i <= together; i++)
            if (!add_time(cut, us, layers / step - 1 - k / step - i,
                          again > 0 ? LAYER_BACKWARD_FULL : LAYER_BACKWARD))
                return false;
        k = to;
    }
    return true;
}

static bool add_pass(struct layer_cut *cut, const struct cutting *c, size_t p)
{
    const struct order_pass *pass = &c->found.passes[p], *next = pass + 1;
    const bool is_warm_up =
        c->found.shape.has_steady_part && pass->micro_batch < c->found.shape.warm_up;
    bool stored = is_warm_up || add_forward(cut, c, pass->forward);
    if (stored)
        stored = add_backward(cut, c, pass->backward);
    if (stored && !is_warm_up && p + 1 < c->found.n_passes && next->step == pass->step)
        stored =
            add_time(cut, us_between(c, c->forward[pass->forward], c->forward[next->forward]),
                     0, LAYER_PERIOD);
    return stored;
}

// ---- experts ------------------------------------------------------------------------------------

// Returns whether experts run between the attention of a layer and the next attention.
static bool runs_experts(const struct cutting *c, size_t event)
{
    const struct kernel_events *events = c->events;
    for (size_t i = event + 1; i < events->n; i++) {
        if (events->rows[i].kind == KERNEL_EXPERTS)
            return true;
        if (events->rows[i].kind != KERNEL_OTHER)
            return false;
    }
    return false;
}

// A layer has experts if they run in most of its forward passes.
static bool find_experts(struct layer_cut *cut, const struct cutting *c)
{
    const size_t step = c->found.per_layer, layers = c->found.shape.layers / step;
    cut->has_experts = calloc(layers, sizeof *cut->has_experts);
    for (size_t layer = 0; cut->has_experts != NULL && layer < layers; layer++) {
        size_t votes = 0;
        for (size_t p = 0; p < c->found.n_passes; p++)
            votes += runs_experts(
                c, c->forward[c->found.passes[p].forward + layer * step + step - 1]);
        cut->has_experts[layer] = 2 * votes > c->found.n_passes;
    }
    return cut->has_experts != NULL;
}

// ---- all ----------------------------------------------------------------------------------------

static bool measure(struct layer_cut *cut, struct cutting *c)
{
    const size_t per_layer = c->found.per_layer, layers = c->found.shape.layers;
    cut->shape = (struct layer_shape){
        .layers = (int32_t)(layers / per_layer),
        .recomputed = (int32_t)(c->found.recomputed[layers - 1] / per_layer),
        .per_layer = (int32_t)per_layer,
        .warm_up = (int32_t)c->found.shape.warm_up,
        .micro_batches = (int32_t)c->found.micro_batches,
        .steps = (int32_t)c->found.passes[c->found.n_passes - 1].step + 1,
        .passes = (int32_t)c->found.n_passes,
        .is_partial = !c->found.is_complete,
    };
    bool stored = find_experts(cut, c);
    for (size_t p = 0; stored && p < c->found.n_passes; p++)
        if (c->found.passes[p].step >= (size_t)c->request->skip_steps)
            stored = add_pass(cut, c, p);
    return stored;
}

void layer_cut_free(struct layer_cut *cut)
{
    free(cut->has_experts);
    free(cut->times);
    *cut = (struct layer_cut){0};
}

enum layer_cut_status layer_cut_find(struct layer_cut *cut, const struct kernel_events *events,
                                     const struct layer_request *request, char *why,
                                     size_t why_size)
{
    struct cutting c = {.events = events, .request = request};
    *cut = (struct layer_cut){0};
    bool stored = list_kernels(&c);
    if (stored)
        stored = order_search(&c.found, c.before, c.n_backward, request);
    if (stored && c.found.n_passes > 0)
        stored = measure(cut, &c);
    snprintf(
        why, why_size,
        "%zu forward and %zu backward attention kernels do not follow the 1F1B order of one "
        "chunk per stage",
        c.n_forward, c.n_backward);
    const bool found = c.found.n_passes > 0;
    free_parts(&c);
    if (!stored)
        layer_cut_free(cut);
    return !stored ? LAYER_CUT_NO_MEMORY : found ? LAYER_CUT_DONE : LAYER_CUT_NO_ORDER;
}
