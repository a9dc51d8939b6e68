// SPDX-License-Identifier: Apache-2.0
// Searches the shape of the passes on a rank.
#include "planner/profiles/kernels/layer_order.h"

#include <stdlib.h>

enum { PER_LAYER_MOST = 64, WARM_UP_MOST = 4096, STARTS_MOST = 4096 };

// The hypothesis in work, and what was found so far.
struct search {
    const struct layer_request *request;
    struct order_found *found;
    struct layer_order order;
    size_t *recomputed;
    bool accepts_partial;
    int rank; // of what was found: the lower the better
};

void order_found_free(struct order_found *found)
{
    free(found->recomputed);
    free(found->passes);
    *found = (struct order_found){0};
}

// Returns the forward kernels before the k-th backward kernel of the piece.
static size_t before_of(const struct search *s, size_t k)
{
    return s->order.before[s->order.first_backward + k] - s->order.first_forward;
}

// Takes the recomputed forwards of the first backward pass. Returns false if a pass of `layers`
// layers cannot recompute so many.
static bool take_recomputed(struct search *s, size_t layers, size_t warm_up)
{
    const size_t forwards = (warm_up + 1) * layers;
    for (size_t k = 0; k < layers; k++) {
        const size_t before = before_of(s, k);
        if (before < forwards || before - forwards > layers)
            return false;
        s->recomputed[k] = before - forwards;
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

// Tries one hypothesis and keeps it if it is better than what was found: all kernels agree before
// some, complete last passes before incomplete ones, layers recomputed one by one before several at
// once, and fewer layers before more.
static void try_shape(struct search *s, size_t layers, size_t per_layer,
                      struct order_shape shape)
{
    struct order_found *found = s->found;
    const size_t kernels = s->order.n_backward - s->order.first_backward;
    size_t micro_batches;
    bool is_complete;
    shape.layers = layers;
    shape.recomputed = s->recomputed;
    if (layers == 0 || layers > kernels || !take_recomputed(s, layers, shape.warm_up))
        return;
    const size_t passes =
        order_follow(&s->order, &shape, found->passes, &micro_batches, &is_complete);
    const bool is_enough = s->accepts_partial && passes >= 4 && 2 * passes * layers >= kernels;
    if (passes == 0 || (!is_complete && !is_enough))
        return;
    const int rank = (is_complete ? 0 : 4) + (passes * layers == kernels ? 0 : 2) +
                     (is_one_by_one(s->recomputed, layers, per_layer) ? 0 : 1);
    if (found->n_passes > 0 &&
        (rank > s->rank || (rank == s->rank && layers >= found->shape.layers)))
        return;
    s->rank = rank;
    found->shape = shape;
    found->order = s->order;
    found->n_passes = passes;
    found->micro_batches = micro_batches;
    found->per_layer = per_layer;
}

// Tries all numbers of layers that this warm-up allows.
static void try_warm_up(struct search *s, size_t warm_up, bool has_steady_part)
{
    const struct layer_request *request = s->request;
    const size_t first = before_of(s, 0);
    const size_t known = (size_t)request->layers;
    const struct order_shape shape = {
        .warm_up = warm_up,
        .micro_batches = has_steady_part ? (size_t)request->micro_batches : warm_up + 1,
        .has_steady_part = has_steady_part,
    };
    if (request->micro_batches > 0 && shape.micro_batches != (size_t)request->micro_batches)
        return;
    for (size_t k = 1; known > 0 && k <= PER_LAYER_MOST; k++)
        try_shape(s, known * k, k, shape);
    const size_t least = (first + warm_up + 1) / (warm_up + 2), most = first / (warm_up + 1);
    for (size_t layers = least; known == 0 && layers <= most; layers++)
        try_shape(s, layers, 1, shape);
}

static size_t expected_warm_up(const struct layer_request *request)
{
    return request->stage >= 0 ? (size_t)(request->stages - 1 - request->stage) : 0;
}

// Tries the 1F1B order; with an unknown stage, the warm-up of every stage.
static void try_steady(struct search *s)
{
    const struct layer_request *request = s->request;
    if (request->stage >= 0)
        try_warm_up(s, expected_warm_up(request), true);
    for (size_t w = 0;
         s->found->n_passes == 0 && request->stage < 0 && w < (size_t)request->stages; w++)
        try_warm_up(s, w, true);
}

// Tries all forward passes before all backward passes: few micro-batches, or another schedule.
static void try_in_turn(struct search *s)
{
    const size_t expected = expected_warm_up(s->request), first = before_of(s, 0);
    for (size_t w = expected; s->found->n_passes == 0 && w-- > 0;)
        try_warm_up(s, w, false); // as many micro-batches as possible
    for (size_t w = expected; s->found->n_passes == 0 && w < first && w < WARM_UP_MOST; w++)
        try_warm_up(s, w, false);
}

static void begin_at(struct search *s, size_t backward)
{
    s->order.first_backward = backward;
    s->order.first_forward = backward > 0 ? s->order.before[backward - 1] : 0;
}

// Tries to begin at the first forward kernels behind a backward kernel, in the first half.
static void try_later_starts(struct search *s)
{
    const size_t *before = s->order.before;
    int starts = 0;
    for (size_t k = 1; s->found->n_passes == 0 && 2 * k < s->order.n_backward; k++)
        if (before[k] > before[k - 1] && starts++ < STARTS_MOST) {
            begin_at(s, k);
            try_steady(s);
        }
}

static void try_all(struct search *s)
{
    begin_at(s, 0);
    try_steady(s);
    if (s->found->n_passes == 0)
        try_in_turn(s);
    if (s->found->n_passes == 0)
        try_later_starts(s);
    s->accepts_partial = true;
    begin_at(s, 0);
    if (s->found->n_passes == 0)
        try_steady(s);
}

// Follows the shape that was found again, with the number of steps if the order does not show where
// steps begin.
static void use_steps(struct search *s)
{
    struct order_found *found = s->found;
    const size_t steps = (size_t)s->request->steps;
    if (found->micro_batches == 0 && steps > 0 && found->n_passes % steps == 0)
        found->shape.micro_batches = found->n_passes / steps;
    s->order = found->order;
    take_recomputed(s, found->shape.layers, found->shape.warm_up);
    found->n_passes = order_follow(&s->order, &found->shape, found->passes,
                                   &found->micro_batches, &found->is_complete);
}

bool order_search(struct order_found *found, const size_t *before, size_t n_backward,
                  const struct layer_request *request)
{
    *found = (struct order_found){
        .recomputed = calloc(n_backward + 1, sizeof *found->recomputed),
        .passes = calloc(n_backward + 1, sizeof *found->passes),
    };
    struct search s = {.request = request,
                       .found = found,
                       .order = {before, n_backward, 0, 0},
                       .recomputed = found->recomputed};
    if (found->recomputed == NULL || found->passes == NULL)
        return false;
    if (n_backward > 0)
        try_all(&s);
    if (found->n_passes > 0)
        use_steps(&s);
    return true;
}
