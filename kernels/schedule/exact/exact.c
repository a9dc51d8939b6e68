// SPDX-License-Identifier: Apache-2.0
// Searches for the optimal order.
//
// Branching follows Giffler and Thompson (Algorithms for Solving Production-Scheduling Problems,
// Operations Research 1960): of all operations that can be next on their stage, let one have the
// earliest end; the next operation of its stage starts before that end. A forward that fits before
// all further operations of its stage never needs more memory there, because only backwards come
// between. Dominance follows Gromicho, van Hoorn, Saldanha-da-Gama, Timmer (Solving the job-shop
// scheduling problem optimally by dynamic programming, Computers & Operations Research 2012).
#include "kernels/schedule/exact/exact.h"
#include "kernels/schedule/exact/layer.h"

enum { WIDTH_GROWTH = 8, WIDTH_LEAST = 8, WIDTH_MOST = 1 << 24, BUDGET_PER_WIDTH = 8 };

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
    const size_t n = 3 * (size_t)shape->devices * (size_t)shape->micro_batches;
    return 4 * (exact_label_bytes(shape) + sizeof(struct exact_key) + 2 * sizeof(uint32_t)) +
           (n + 1) * sizeof(struct exact_step);
}

static uint32_t width_of(const struct pipeline_shape *shape, size_t bytes, int64_t budget)
{
    size_t width = bytes / bytes_of_width(shape);
    // A wider pass would not end within the budget.
    if (budget > 0 && (uint64_t)budget / BUDGET_PER_WIDTH < width)
        width = (size_t)budget / BUDGET_PER_WIDTH;
    return width < WIDTH_LEAST  ? WIDTH_LEAST
           : width > WIDTH_MOST ? WIDTH_MOST
                                : (uint32_t)width;
}

struct exact_search *exact_take(const struct pipeline_shape *shape,
                                size_t bytes,
                                int64_t budget,
                                struct room *room)
{
    struct exact_search *search = room_take(room, 1, sizeof *search), counted;
    struct exact_search *x = search != NULL ? search : &counted;
    const size_t n = 3 * (size_t)shape->devices * (size_t)shape->micro_batches;
    const uint32_t width = width_of(shape, bytes, budget);
    x->n_operations = (int32_t)n;
    x->width_most = width;
    exact_instance_take(&x->instance, shape, room);
    exact_bound_take(&x->bound, shape, room);
    exact_state_take(&x->state, shape, room);
    for (int k = 0; k < 2; k++)
        exact_layer_take(&x->layers[k], shape, width, room);
    x->steps = room_take(room, (n + 1) * width, sizeof *x->steps);
    return search;
}

// ---- branching ---------------------------------------------------------------------------------------

// Returns the start of the next operation of this type on a stage, or INFINITY if it cannot be the
// next operation of the stage.
static double next_start(const struct exact_search *x, int32_t s, int type)
{
    const struct exact_instance *instance = &x->instance;
    int32_t *const *done = x->state.done;
    const int32_t P = instance->P, M = instance->M, m = done[type][s];
    double arrival = -(double)INFINITY;
    if (m == M)
        return (double)INFINITY;
    if (type == OPERATION_F) {
        if ((s > 0 && m == done[OPERATION_F][s - 1]) ||
            !exact_instance_fits(instance, s, m + 1, done[OPERATION_B][s],
                                 done[OPERATION_W][s]))
            return (double)INFINITY;
        if (s > 0)
            arrival = x->state.arrival[0][s * M + m];
    } else if (type == OPERATION_B) {
        if (m == done[OPERATION_F][s] || (s + 1 < P && m == done[OPERATION_B][s + 1]))
            return (double)INFINITY;
        if (s + 1 < P)
            arrival = x->state.arrival[1][s * M + m];
    } else if (m == done[OPERATION_B][s]) {
        return (double)INFINITY;
    }
    return arrival > x->state.clock[s] ? arrival : x->state.clock[s];
}

// Adds an operation to the state, puts the new state into the layer, and takes the operation back.
static void add_child(struct exact_search *x,
                      struct exact_layer *to,
                      uint32_t parent,
                      double parent_bound,
                      int32_t s,
                      int type,
                      double start)
{
    const struct exact_instance *instance = &x->instance;
    const int32_t M = instance->M, m = x->state.done[type][s]++;
    const double clock = x->state.clock[s], end = start + instance->time[type][s];
    x->state.clock[s] = end;
    if (type == OPERATION_F && s + 1 < instance->P)
        x->state.arrival[0][(s + 1) * M + m] = end + instance->delay[0][s];
    if (type == OPERATION_B && s > 0)
        x->state.arrival[1][(s - 1) * M + m] = end + instance->delay[1][s];
    struct exact_label label = {.parent = parent, .stage = (uint16_t)s, .type = (uint8_t)type};
    label.bound = exact_bound_of(&x->bound, &x->state, &label.sum);
    if (label.bound < parent_bound)
        label.bound = parent_bound;
    if (label.bound < x->cutoff)
        exact_layer_add(to, &x->bound, &x->state, &label);
    x->state.clock[s] = clock;
    x->state.done[type][s] = m;
}

// Adds all states that follow from the state. Returns their number.
static int expand(struct exact_search *x, struct exact_layer *to, uint32_t parent, double bound)
{
    int32_t stage = -1;
    int first = 0, n = 0;
    double end = (double)INFINITY;
    for (int32_t s = 0; s < x->instance.P; s++)
        for (int k = 0; k < EXACT_TYPES; k++) {
            const double e = next_start(x, s, k) + x->instance.time[k][s];
            if (e < end) {
                end = e;
                stage = s;
                first = k;
            }
        }
    for (int k = 0; k < EXACT_TYPES && stage >= 0; k++) {
        const double start = next_start(x, stage, k);
        if (k != first && !(start < end))
            continue;
        add_child(x, to, parent, bound, stage, k, start);
        n++;
    }
    return n;
}

// ---- passes ------------------------------------------------------------------------------------------

static void remember(struct exact_search *x, int32_t layer, const struct exact_layer *labels)
{
    struct exact_step *steps = x->steps + (size_t)layer * x->width_most;
    for (uint32_t k = 0; k < labels->n_kept; k++) {
        const struct exact_label *label = exact_layer_label(labels, labels->keys[k].index);
        steps[k] = (struct exact_step){label->parent, label->stage, label->type};
    }
}

// Expands all labels of a layer. Returns the least bound that was dropped because of the width, or, if
// the search has to stop, of the labels that remain.
static double advance(struct exact_search *x, struct exact_layer *from, struct exact_layer *to)
{
    exact_layer_clear(to, x->width);
    const uint64_t cost = 1 + (uint64_t)x->n_operations / 8;
    for (uint32_t k = 0; k < from->n_kept; k++) {
        const struct exact_key *key = &from->keys[k];
        if (poll_over_after(x->poll, cost) ||
            (x->budget > 0 && x->used >= x->budget && isfinite(x->cutoff))) {
            x->stopped = true;
            const double left = key->bound; // the labels are sorted
            return left < to->dropped ? left : to->dropped;
        }
        exact_layer_unpack(from, &x->instance, key->index, &x->state);
        x->used += expand(x, to, k, key->bound);
    }
    exact_layer_select(to);
    return to->dropped;
}

static void write_order(const struct exact_search *x, struct order *order)
{
    const struct pipeline *pipeline = x->instance.pipeline;
    int32_t *const *done = x->state.done;
    uint32_t k = 0;
    order_clear(order);
    for (int32_t layer = x->n_operations; layer > 0; layer--) {
        const struct exact_step *step = &x->steps[(size_t)layer * x->width_most + k];
        order_add(order, pipeline_device(pipeline, 0, step->stage),
                  (enum operation_type)step->type, 0, step->stage);
        k = step->parent;
    }
    for (int32_t s = 0; s < x->instance.P; s++) {
        const int32_t d = pipeline_device(pipeline, 0, s);
        for (int32_t i = 0, j = order->n[d] - 1; i < j; i++, j--) {
            struct operation *a = &order->operations[order_at(order, d, i)];
            struct operation *b = &order->operations[order_at(order, d, j)];
            const struct operation swap = *a;
            *a = *b;
            *b = swap;
        }
        for (int t = 0; t < EXACT_TYPES; t++)
            done[t][s] = 0;
        for (int32_t i = 0; i < order->n[d]; i++) {
            struct operation *op = &order->operations[order_at(order, d, i)];
            op->item = done[op->type][s]++;
        }
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
    x->cutoff = below(known);
    x->stopped = false;
    for (x->width = 1;; x->width *= WIDTH_GROWTH) {
        if (x->width > x->width_most)
            x->width = x->width_most;
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
