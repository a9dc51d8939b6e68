// SPDX-License-Identifier: Apache-2.0
// Finds the shape of a rank's passes and measures the times between their kernels.
#include "planner/profiles/kernels/layer_cut.h"

#include "base/text/grow_list.h"
#include "planner/profiles/kernels/layer_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_LAYER_MOST = 64, WARM_UP_MOST = 4096 };

// The kernels of the trace as two lists, and the best hypothesis so far.
struct cutting {
    const struct kernel_events *events;
    const struct layer_request *request;
    size_t *forward, *backward; // events
    size_t n_forward, n_backward;
    size_t *before;     // see struct layer_order
    size_t *recomputed; // of the hypothesis in work
    struct layer_order order;
    struct order_pass *passes; // of the hypothesis in work
    // The best.
    struct order_shape best; // without `recomputed`
    size_t best_passes, best_micro_batches, best_per_layer;
    int best_rank; // the lower the better
    bool best_is_complete;
};

static void free_parts(struct cutting *c)
{
    free(c->forward);
    free(c->backward);
    free(c->before);
    free(c->recomputed);
    free(c->passes);
}

static bool list_kernels(struct cutting *c)
{
    const struct kernel_events *events = c->events;
    c->forward = calloc(events->n_forward + 1, sizeof *c->forward);
    c->backward = calloc(events->n_backward + 1, sizeof *c->backward);
    c->before = calloc(events->n_backward + 1, sizeof *c->before);
    c->recomputed = calloc(events->n_backward + 1, sizeof *c->recomputed);
    c->passes = calloc(events->n_backward + 1, sizeof *c->passes);
    if (c->forward == NULL || c->backward == NULL || c->before == NULL ||
        c->recomputed == NULL || c->passes == NULL)
        return false;
    for (size_t i = 0; i < events->n; i++) {
        if (events->rows[i].kind == KERNEL_FORWARD) {
            c->forward[c->n_forward++] = i;
        } else if (events->rows[i].kind == KERNEL_BACKWARD) {
            c->before[c->n_backward] = c->n_forward;
            c->backward[c->n_backward++] = i;
        }
    }
    c->order = (struct layer_order){c->before, 0, c->n_backward, c->n_forward};
    return true;
}

// ---- hypotheses ---------------------------------------------------------------------------------

// Takes the recomputed forwards of the first backward pass. Returns false if a pass of `layers`
// layers cannot recompute so many.
static bool take_recomputed(struct cutting *c, size_t layers, size_t warm_up)
{
    const size_t forwards = (warm_up + 1) * layers;
    for (size_t k = 0; k < layers; k++) {
        if (c->before[k] < forwards || c->before[k] - forwards > layers)
            return false;
        c->recomputed[k] = c->before[k] - forwards;
    }
    return true;
}

// Returns whether layers are recomputed one by one.
static bool is_one_by_one(const size_t *recomputed, size_t layers, size_t per_layer)
{
    for (size_t k = 0; k < layers; k++)
        if (recomputed[k] - (k > 0 ? recomputed[k - 1] : 0) > per_layer)
            return false;
    return true;
}

// Tries one hypothesis and keeps it if it is better than the best: all kernels agree before some,
// complete last passes before incomplete ones, layers recomputed one by one before several at once,
// and fewer layers before more.
static void try_shape(struct cutting *c,
                      size_t layers,
                      size_t per_layer,
                      struct order_shape shape)
{
    size_t micro_batches;
    bool is_complete;
    shape.layers = layers;
    shape.recomputed = c->recomputed;
    if (layers == 0 || layers > c->n_backward || !take_recomputed(c, layers, shape.warm_up))
        return;
    const size_t passes =
        order_follow(&c->order, &shape, c->passes, &micro_batches, &is_complete);
    const bool is_enough = passes >= 4 && 2 * passes * layers >= c->n_backward;
    if (passes == 0 || (!is_complete && !is_enough))
        return;
    const int rank = (is_complete ? 0 : 4) + (passes * layers == c->n_backward ? 0 : 2) +
                     (is_one_by_one(c->recomputed, layers, per_layer) ? 0 : 1);
    if (c->best_passes > 0 &&
        (rank > c->best_rank || (rank == c->best_rank && layers >= c->best.layers)))
        return;
    c->best = shape;
    c->best_rank = rank;
    c->best_passes = passes;
    c->best_micro_batches = micro_batches;
    c->best_per_layer = per_layer;
}

// Tries all numbers of layers that this warm-up allows.
static void try_warm_up(struct cutting *c, size_t warm_up, bool has_steady_part)
{
    const struct layer_request *request = c->request;
    const size_t first = c->before[0]; // forward kernels before the first backward kernel
    const size_t known = (size_t)request->layers;
    const struct order_shape shape = {
        .warm_up = warm_up,
        .micro_batches = has_steady_part ? (size_t)request->micro_batches : warm_up + 1,
        .has_steady_part = has_steady_part,
    };
    if (request->micro_batches > 0 && shape.micro_batches != (size_t)request->micro_batches)
        return;
    for (size_t k = 1; known > 0 && k <= PER_LAYER_MOST; k++)
        try_shape(c, known * k, k, shape);
    const size_t least = (first + warm_up + 1) / (warm_up + 2), most = first / (warm_up + 1);
    for (size_t layers = least; known == 0 && layers <= most; layers++)
        try_shape(c, layers, 1, shape);
}

// Tries the 1F1B order, then all forward passes before all backward passes (few micro-batches, or
// another schedule). With an unknown stage, every warm-up.
static void try_all(struct cutting *c)
{
    const struct layer_request *request = c->request;
    const bool is_known = request->stage >= 0;
    const size_t first = c->before[0];
    const size_t expected = is_known ? (size_t)(request->stages - 1 - request->stage) : 0;
    if (is_known)
        try_warm_up(c, expected, true);
    for (size_t w = 0; c->best_passes == 0 && !is_known && w < (size_t)request->stages; w++)
        try_warm_up(c, w, true);
    for (size_t w = expected; c->best_passes == 0 && w-- > 0;)
        try_warm_up(c, w, false); // as many micro-batches as possible
    for (size_t w = expected; c->best_passes == 0 && w < first && w < WARM_UP_MOST; w++)
        try_warm_up(c, w, false);
}

// Uses the number of steps if the order does not show where steps begin.
static void use_steps(struct cutting *c)
{
    const size_t steps = (size_t)c->request->steps;
    if (c->best_micro_batches == 0 && steps > 0 && c->best_passes % steps == 0)
        c->best.micro_batches = c->best_passes / steps;
    take_recomputed(c, c->best.layers, c->best.warm_up);
    c->best.recomputed = c->recomputed;
    c->best_passes = order_follow(&c->order, &c->best, c->passes, &c->best_micro_batches,
                                  &c->best_is_complete);
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
    const size_t step = c->best_per_layer;
    bool stored = true;
    for (size_t k = 0; stored && k + step < c->best.layers; k += step)
        stored =
            add_time(cut, us_between(c, c->forward[first + k], c->forward[first + k + step]),
                     k / step, LAYER_FORWARD);
    return stored;
}

// Layers that are recomputed together share the time until the next layers: its mean belongs to each.
static bool add_backward(struct layer_cut *cut, const struct cutting *c, size_t first)
{
    const size_t step = c->best_per_layer, layers = c->best.layers;
    for (size_t k = 0; k + step < layers;) {
        const size_t again = (c->recomputed[k + step] - c->recomputed[k]) / step;
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
    const struct order_pass *pass = &c->passes[p], *next = pass + 1;
    const bool is_warm_up = c->best.has_steady_part && pass->micro_batch < c->best.warm_up;
    bool stored = is_warm_up || add_forward(cut, c, pass->forward);
    if (stored)
        stored = add_backward(cut, c, pass->backward);
    if (stored && !is_warm_up && p + 1 < c->best_passes && next->step == pass->step)
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
    const size_t step = c->best_per_layer, layers = c->best.layers / step;
    cut->has_experts = calloc(layers, sizeof *cut->has_experts);
    for (size_t layer = 0; cut->has_experts != NULL && layer < layers; layer++) {
        size_t votes = 0;
        for (size_t p = 0; p < c->best_passes; p++)
            votes +=
                runs_experts(c, c->forward[c->passes[p].forward + layer * step + step - 1]);
        cut->has_experts[layer] = 2 * votes > c->best_passes;
    }
    return cut->has_experts != NULL;
}

// ---- all ----------------------------------------------------------------------------------------

static bool measure(struct layer_cut *cut, struct cutting *c)
{
    const size_t per_layer = c->best_per_layer, layers = c->best.layers;
    cut->shape = (struct layer_shape){
        .layers = (int32_t)(layers / per_layer),
        .recomputed = (int32_t)(c->recomputed[layers - 1] / per_layer),
        .per_layer = (int32_t)per_layer,
        .warm_up = (int32_t)c->best.warm_up,
        .micro_batches = (int32_t)c->best_micro_batches,
        .steps = (int32_t)c->passes[c->best_passes - 1].step + 1,
        .passes = (int32_t)c->best_passes,
        .is_partial = !c->best_is_complete,
    };
    bool stored = find_experts(cut, c);
    for (size_t p = 0; stored && p < c->best_passes; p++)
        if (c->passes[p].step >= (size_t)c->request->skip_steps)
            stored = add_pass(cut, c, p);
    return stored;
}

void layer_cut_free(struct layer_cut *cut)
{
    free(cut->has_experts);
    free(cut->times);
    *cut = (struct layer_cut){0};
}

enum layer_cut_status layer_cut_find(struct layer_cut *cut,
                                     const struct kernel_events *events,
                                     const struct layer_request *request,
                                     char *why,
                                     size_t why_size)
{
    struct cutting c = {.events = events, .request = request};
    *cut = (struct layer_cut){0};
    bool stored = list_kernels(&c);
    if (stored && c.n_backward > 0)
        try_all(&c);
    if (stored && c.best_passes > 0) {
        use_steps(&c);
        stored = measure(cut, &c);
    }
    snprintf(
        why, why_size,
        "%zu forward and %zu backward attention kernels do not follow the 1F1B order of one "
        "chunk per stage",
        c.n_forward, c.n_backward);
    free_parts(&c);
    if (!stored)
        layer_cut_free(cut);
    return !stored              ? LAYER_CUT_NO_MEMORY
           : c.best_passes == 0 ? LAYER_CUT_NO_ORDER
                                : LAYER_CUT_DONE;
}
