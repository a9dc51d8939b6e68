// SPDX-License-Identifier: Apache-2.0
// Follows the 1F1B order through the kernels of a rank.
#include "planner/profiles/kernels/layer_order.h"

struct walk {
    const struct layer_order *order;
    const struct order_shape *shape;
    size_t micro_batches; // per step; 0: not seen yet
    size_t recomputed;    // per pass
    size_t step_forward;  // forward kernels of the piece before the step
    size_t step;
    size_t done;     // backward passes of the step
    size_t forwards; // forward passes of the step
};

// Returns how many forward kernels ran before backward kernel `k` of the next pass, without those of
// earlier steps and of earlier recomputes. SIZE_MAX: fewer than these.
static size_t forwards_before(const struct walk *w, size_t backward, size_t k)
{
    const size_t before = w->order->before[backward + k] - w->order->first_forward;
    const size_t others = w->step_forward + w->done * w->recomputed + w->shape->recomputed[k];
    return before >= others ? before - others : SIZE_MAX;
}

static void begin_step(struct walk *w)
{
    const size_t layers = w->shape->layers;
    w->step_forward += w->micro_batches * (layers + w->recomputed);
    w->step++;
    w->done = w->forwards = 0;
}

// Finds how many forward passes ran before the next backward pass. Returns false if the kernels do
// not agree.
static bool count_forwards(struct walk *w, size_t backward)
{
    const struct order_shape *shape = w->shape;
    const size_t kernels = forwards_before(w, backward, 0);
    if (kernels == SIZE_MAX || kernels % shape->layers != 0)
        return false;
    const size_t passes = kernels / shape->layers;
    if (w->done == 0) {
        w->forwards = passes;
        return passes == shape->warm_up + 1;
    }
    if (passes == w->forwards + 1) { // steady
        w->forwards = passes;
        return shape->has_steady_part && (w->micro_batches == 0 || passes <= w->micro_batches);
    }
    if (passes != w->forwards)
        return false;
    if (w->micro_batches == 0) // the first backward pass without a forward pass before it
        w->micro_batches = passes;
    return passes == w->micro_batches && w->done < passes;
}

// Returns whether the first n kernels of the next pass agree.
static bool agrees(const struct walk *w, size_t backward, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (forwards_before(w, backward, k) != w->forwards * w->shape->layers)
            return false;
    return true;
}

size_t order_follow(const struct layer_order *order, const struct order_shape *shape,
                    struct order_pass *passes, size_t *micro_batches, bool *is_complete)
{
    const size_t layers = shape->layers;
    struct walk w = {.order = order,
                     .shape = shape,
                     .micro_batches = shape->micro_batches,
                     .recomputed = shape->recomputed[layers - 1]};
    size_t n = 0;
    *is_complete = true;
    for (size_t at = order->first_backward; at < order->n_backward; at += layers) {
        const size_t left = order->n_backward - at;
        if (w.micro_batches > 0 && w.done == w.micro_batches)
            begin_step(&w);
        *is_complete = count_forwards(&w, at) && agrees(&w, at, left < layers ? left : layers);
        if (!*is_complete || left < layers)
            break;
        const size_t late = w.done > shape->warm_up ? w.done - shape->warm_up : 0;
        passes[n++] = (struct order_pass){
            .step = w.step,
            .micro_batch = w.done,
            .forward =
                order->first_forward + w.step_forward + w.done * layers + late * w.recomputed,
            .backward = at,
        };
        w.done++;
    }
    *micro_batches = w.micro_batches;
    return n;
}
