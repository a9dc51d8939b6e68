// SPDX-License-Identifier: Apache-2.0
// Searches for the optimal order.
//
// Dominance follows Gromicho, van Hoorn, Saldanha-da-Gama, Timmer (Solving the job-shop scheduling
// problem optimally by dynamic programming, Computers & Operations Research 2012).
#include "kernels/schedule/exact/exact.h"
#include "kernels/schedule/exact/branch.h"

#include <assert.h>

enum { WIDTH_GROWTH = 8, WIDTH_LEAST = 8, WIDTH_MOST = 1 << 24, BUDGET_PER_WIDTH = 8 };

enum { ARRAYS = 7 }; // that lie in the bytes of labels

// How a label was made.
struct exact_step {
    uint32_t parent;
    uint16_t stage;
    uint8_t type;
};

struct exact_search {
    struct exact_instance instance;
    struct exact_bound bound;
    struct exact_state state;
    struct exact_layer layers[2];
    struct exact_step *steps; // of layer k: [k * width ...]
    int32_t n_operations;
    uint32_t width_most, width;
    // of the current call
    struct poll *poll;
    int64_t budget, used;
    double cutoff; // only values below are of interest
    bool stopped;  // by the poll, or by the budget once there is an order
};

static size_t bytes_of_width(const struct pipeline_shape *shape)
{
    const size_t n = 3 * (size_t)shape->stages * (size_t)shape->micro_batches;
    return 4 * (exact_label_bytes(shape) + sizeof(struct exact_key) + 2 * sizeof(uint32_t)) +
           (n + 1) * sizeof(struct exact_step);
}

// Returns the bytes for labels. A larger shape never gets less, so that the memory for the largest shape of
// an experiment serves all.
static size_t bytes_of_labels(const struct pipeline_shape *shape, size_t bytes, int64_t budget)
{
    const size_t one = bytes_of_width(shape), least = WIDTH_LEAST * one;
    // A wider pass would not end within the budget.
    if (budget > 0 && (uint64_t)budget / BUDGET_PER_WIDTH < bytes / one)
        bytes = (size_t)budget / BUDGET_PER_WIDTH * one;
    return bytes < least ? least : bytes;
}

struct exact_search *exact_take(const struct pipeline_shape *shape,
                                size_t bytes,
                                int64_t budget,
                                struct room *room)
{
    struct exact_search *search = room_take(room, 1, sizeof *search), counted;
    struct exact_search *x = search != NULL ? search : &counted;
    const size_t n = 3 * (size_t)shape->stages * (size_t)shape->micro_batches;
    const size_t label_bytes = bytes_of_labels(shape, bytes, budget),
                 widest = label_bytes / bytes_of_width(shape);
    const uint32_t width = widest > WIDTH_MOST ? WIDTH_MOST : (uint32_t)widest;
    x->n_operations = (int32_t)n;
    x->width_most = width;
    exact_instance_take(&x->instance, shape, room);
    exact_bound_take(&x->bound, shape, room);
    exact_state_take(&x->state, shape, room);
    struct room labels = {room_take(room, label_bytes + ARRAYS * ROOM_ALIGNMENT, 1), 0};
    for (int k = 0; k < 2; k++)
        exact_layer_take(&x->layers[k], shape, width, &labels);
    x->steps = room_take(&labels, (n + 1) * width, sizeof *x->steps);
    assert(labels.used <= label_bytes + ARRAYS * ROOM_ALIGNMENT);
    return search;
}

static void remember(struct exact_search *x, int32_t layer, const struct exact_layer *labels)
{
    struct exact_step *steps = x->steps + (size_t)layer * x->width_most;
    for (uint32_t k = 0; k < labels->n_kept; k++) {
        const struct exact_label *label = exact_layer_label(labels, labels->keys[k].index);
        steps[k] = (struct exact_step){label->parent, label->stage, label->type};
    }
}

// Expands all labels of a layer. Returns the least bound that was dropped because of the width. If the
// search has to stop, returns a bound of all labels.
static double advance(struct exact_search *x, struct exact_layer *from, struct exact_layer *to)
{
    exact_layer_clear(to, x->width);
    const uint64_t cost = 1 + (uint64_t)x->n_operations / 8;
    for (uint32_t k = 0; k < from->n_kept; k++) {
        const struct exact_key *key = &from->keys[k];
        if (poll_over_after(x->poll, cost) ||
            (x->budget > 0 && x->used >= x->budget && isfinite(x->cutoff))) {
            x->stopped = true;
            return from->keys[0].bound; // the least, also of all that follow from the labels
        }
        exact_layer_unpack(from, &x->instance, key->index, &x->state);
        const struct exact_branch branch = {&x->bound, &x->state, to, k, key->bound, x->cutoff};
        x->used += exact_expand(&branch);
    }
    exact_layer_select(to);
    return to->dropped;
}

// Numbers the operations of a device; the W's are those of the B's in their order.
static void number_operations(const struct exact_search *x, struct order *order, int32_t d)
{
    const struct exact_state *state = &x->state;
    int32_t b = 0;
    for (int32_t k = x->instance.first[d]; k < x->instance.first[d + 1]; k++)
        state->f[x->instance.stages[k]] = state->b[x->instance.stages[k]] = 0;
    for (int32_t i = 0; i < order->n[d]; i++) {
        struct operation *op = &order->operations[order_at(order, d, i)];
        if (op->type == OPERATION_F) {
            op->item = state->f[op->stage]++;
        } else if (op->type == OPERATION_B) {
            op->item = state->b[op->stage]++;
        } else {
            const struct operation *made = &order->operations[order_at(order, d, b)];
            while (made->type != OPERATION_B)
                made = &order->operations[order_at(order, d, ++b)];
            b++;
            op->item = made->item;
            op->stage = made->stage;
        }
    }
}

static void write_order(const struct exact_search *x, struct order *order)
{
    const struct exact_instance *instance = &x->instance;
    uint32_t k = 0;
    order_clear(order);
    for (int32_t layer = x->n_operations; layer > 0; layer--) {
        const struct exact_step *step = &x->steps[(size_t)layer * x->width_most + k];
        const int32_t d =
            step->type == OPERATION_W ? step->stage : instance->device[step->stage];
        order_add(order, d, (enum operation_type)step->type, 0, step->stage);
        k = step->parent;
    }
    for (int32_t d = 0; d < instance->P; d++) {
        for (int32_t i = 0, j = order->n[d] - 1; i < j; i++, j--) {
            struct operation *a = &order->operations[order_at(order, d, i)];
            struct operation *b = &order->operations[order_at(order, d, j)];
            const struct operation swap = *a;
            *a = *b;
            *b = swap;
        }
        number_operations(x, order, d);
    }
}

// Only values below are better than `value`.
static double below(double value)
{
    return isfinite(value) ? value - 1e-9 * fabs(value) : value;
}

// Runs a pass. Returns the least bound that was dropped; x->cutoff and the order are those of a better
// order, if the pass has found one.
static double pass(struct exact_search *x, struct order *order, struct exact_result *result)
{
    struct exact_layer *from = &x->layers[0], *to = &x->layers[1];
    struct exact_label root = {0};
    double dropped = (double)INFINITY;
    exact_layer_clear(from, x->width);
    exact_state_clear(&x->state, &x->instance);
    root.bound = exact_bound_of(&x->bound, &x->state, &root.sum);
    if (root.bound > result->bound)
        result->bound = root.bound;
    if (root.bound < x->cutoff)
        exact_layer_add(from, &x->bound, &x->state, &root);
    exact_layer_select(from);
    for (int32_t layer = 1; layer <= x->n_operations && from->n_kept > 0; layer++) {
        const double d = advance(x, from, to);
        dropped = d < dropped ? d : dropped;
        if (x->stopped)
            return dropped;
        remember(x, layer, to);
        struct exact_layer *swap = from;
        from = to;
        to = swap;
    }
    if (from->n_kept > 0) {
        result->value = from->keys[0].bound;
        x->cutoff = below(result->value);
        write_order(x, order);
    }
    return dropped;
}

// Returns the width of the next pass, after one that has used this number of partial schedules: one that
// the budget allows, but at least twice the width, because a proof may need less than expected.
static uint32_t next_width(const struct exact_search *x, int64_t used)
{
    uint64_t width = (uint64_t)x->width * WIDTH_GROWTH;
    if (x->budget > 0 && used > 0) {
        const int64_t left = x->budget > x->used ? x->budget - x->used : 0;
        const double fits = (double)left / (double)used * (double)x->width;
        if (fits < (double)width)
            width = fits > 2.0 * x->width ? (uint64_t)fits : 2 * (uint64_t)x->width;
    }
    return width < x->width_most ? (uint32_t)width : x->width_most;
}

enum family_status exact_solve(struct exact_search *x,
                               const struct pipeline *pipeline,
                               enum family_objective objective,
                               double known,
                               int64_t budget,
                               struct poll *poll,
                               struct order *order,
                               struct exact_result *result)
{
    *result = (struct exact_result){.value = (double)INFINITY};
    if (!exact_instance_set(&x->instance, pipeline, objective))
        return FAMILY_NO_ROOM;
    x->bound.instance = &x->instance;
    x->poll = poll;
    x->budget = budget;
    x->used = 0;
    double best = known;
    int64_t before = 0;
    x->cutoff = below(known);
    x->stopped = false;
    for (x->width = 1;; x->width = next_width(x, x->used - before)) {
        before = x->used;
        const double dropped = pass(x, order, result);
        result->proven = dropped >= x->cutoff;
        best = result->value < best ? result->value : best;
        if (result->proven)
            result->bound = best;
        else if (dropped > result->bound)
            result->bound = dropped;
        if (result->proven || x->stopped || x->width == x->width_most)
            break;
    }
    result->evaluations = x->used;
    return poll_has_ended(poll) ? FAMILY_STOPPED : FAMILY_DONE;
}
