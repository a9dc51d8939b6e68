// SPDX-License-Identifier: Apache-2.0
// Searches for the optimal order.
//
// Dominance follows Gromicho, van Hoorn, Saldanha-da-Gama, Timmer (Solving the job-shop scheduling
// problem optimally by dynamic programming, Computers & Operations Research 2012).
#include "kernels/schedule/exact/exact.h"
#include "kernels/schedule/exact/layer.h"

#include <assert.h>

// ---- the search in depth -----------------------------------------------------------------------

// A partial schedule that is being extended.
struct exact_branch {
    struct exact_bound *bound;
    struct exact_state *state; // changes
    struct exact_layer *to;    // receives the extended schedules
    uint32_t parent;           // number of the label
    double parent_bound;
    double cutoff; // only bounds below are of interest
};

// Returns the memory that operations hold on a device.
static double held_by(const struct exact_branch *x, int32_t d)
{
    const struct exact_instance *instance = x->bound->instance;
    double held = 0;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++) {
        const int32_t s = instance->stages[k];
        const struct pipeline_stage *stage = &instance->pipeline->stage[s];
        held += (x->state->f[s] - x->state->b[s]) * stage->kept_until_b +
                x->state->f[s] * stage->kept_until_w;
        if (k == instance->first[d])
            held -= x->state->w[d] * stage->kept_until_w;
    }
    return held;
}

// Returns whether another forward of the stage fits into the memory, and then each later stage of the
// device can still run its next forward once all micro-batches that have passed it are done.
static bool forward_fits(const struct exact_branch *x, int32_t s)
{
    const struct exact_instance *instance = x->bound->instance;
    const struct pipeline_stage *stage = instance->pipeline->stage;
    const int32_t d = instance->device[s], end = instance->first[d + 1];
    if (!exact_instance_fits(instance, d,
                             held_by(x, d) + stage[s].kept_until_b + stage[s].kept_until_w))
        return false;
    for (int32_t k = instance->first[d] + instance->rank[s] + 1; k < end; k++) {
        const int32_t t = instance->stages[k], passed = x->state->f[t];
        double held = stage[t].kept_until_b + stage[t].kept_until_w;
        for (int32_t j = instance->first[d]; j < k; j++) {
            const int32_t u = instance->stages[j];
            held += (x->state->f[u] + (u == s) - passed) *
                    (stage[u].kept_until_b + stage[u].kept_until_w);
        }
        if (!exact_instance_fits(instance, d, held))
            return false;
    }
    return true;
}

// Return the start of the next operation of a stage or device, or INFINITY if it cannot be the next one
// of the device.
static double next_f(const struct exact_branch *x, int32_t s)
{
    const struct exact_instance *instance = x->bound->instance;
    const int32_t m = x->state->f[s], d = instance->device[s];
    if (m == instance->M || x->state->held[s] || (s > 0 && m == x->state->f[s - 1]) ||
        !forward_fits(x, s))
        return (double)INFINITY;
    const double clock = x->state->clock[d];
    if (s == 0 || instance->device[s - 1] == d)
        return clock;
    const double arrival = x->state->arrival[0][s * instance->M + m];
    return arrival > clock ? arrival : clock;
}

static double next_b(const struct exact_branch *x, int32_t s)
{
    const struct exact_instance *instance = x->bound->instance;
    const int32_t m = x->state->b[s], d = instance->device[s];
    if (m == x->state->f[s] || (s + 1 < instance->S && m == x->state->b[s + 1]))
        return (double)INFINITY;
    const double clock = x->state->clock[d];
    if (s + 1 == instance->S || instance->device[s + 1] == d)
        return clock;
    const double arrival = x->state->arrival[1][s * instance->M + m];
    return arrival > clock ? arrival : clock;
}

static double next_w(const struct exact_branch *x, int32_t d)
{
    const struct exact_instance *instance = x->bound->instance;
    int32_t b_done = 0;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++)
        b_done += x->state->b[instance->stages[k]];
    return x->state->w[d] < b_done ? x->state->clock[d] : (double)INFINITY;
}

// An operation that can be the next of its device. stage: of a W, the device.
struct candidate {
    int type;
    int32_t stage, device;
    double start, end;
};

static struct candidate candidate_of(const struct exact_branch *x, int type, int32_t stage)
{
    const struct exact_instance *instance = x->bound->instance;
    struct candidate c = {type, stage, stage, 0, 0};
    if (type == OPERATION_W) {
        c.start = next_w(x, stage);
        c.end = c.start + instance->w[stage];
        return c;
    }
    c.device = instance->device[stage];
    c.start = type == OPERATION_F ? next_f(x, stage) : next_b(x, stage);
    c.end = c.start + (type == OPERATION_F ? instance->f[stage] : instance->b[stage]);
    return c;
}

static bool same_candidate(const struct candidate *a, const struct candidate *b)
{
    return a->type == b->type && a->stage == b->stage;
}

// Adds an operation to the state, puts the new state into the layer, and takes the operation back.
static void add_child(const struct exact_branch *x, const struct candidate *c)
{
    const struct exact_instance *instance = x->bound->instance;
    struct exact_state *state = x->state;
    const int32_t M = instance->M, s = c->stage, d = c->device, first = instance->first[d];
    int32_t *done = c->type == OPERATION_F   ? &state->f[s]
                    : c->type == OPERATION_B ? &state->b[s]
                                             : &state->w[s];
    const double clock = state->clock[d];
    uint32_t held = 0;
    for (int32_t k = first; k < instance->first[d + 1]; k++) {
        held |= (uint32_t)state->held[instance->stages[k]] << (k - first);
        state->held[instance->stages[k]] = 0;
    }
    if (c->type == OPERATION_F && s + 1 < instance->S)
        state->arrival[0][(s + 1) * M + *done] = c->end + instance->delay[0][s];
    if (c->type == OPERATION_B && s > 0)
        state->arrival[1][(s - 1) * M + *done] = c->end + instance->delay[1][s];
    ++*done;
    state->clock[d] = c->end;
    struct exact_label label = {.parent = x->parent,
                                .stage = (uint16_t)s,
                                .type = (uint8_t)c->type};
    label.bound = exact_bound_of(x->bound, state, &label.sum);
    if (label.bound < x->parent_bound)
        label.bound = x->parent_bound;
    if (label.bound < x->cutoff)
        exact_layer_add(x->to, x->bound, state, &label);
    --*done;
    state->clock[d] = clock;
    for (int32_t k = first; k < instance->first[d + 1]; k++)
        state->held[instance->stages[k]] = held >> (k - first) & 1;
}

// Returns the candidate with the earliest end; type -1: none.
static struct candidate earliest(const struct exact_branch *x)
{
    struct candidate best = {.type = -1, .end = (double)INFINITY};
    for (int32_t s = 0; s < x->bound->instance->S; s++)
        for (int type = OPERATION_F; type <= OPERATION_B; type++) {
            const struct candidate c = candidate_of(x, type, s);
            best = c.end < best.end ? c : best;
        }
    for (int32_t d = 0; d < x->bound->instance->P; d++) {
        const struct candidate c = candidate_of(x, OPERATION_W, d);
        best = c.end < best.end ? c : best;
    }
    return best;
}

// Adds an operation if it can start before the end of the first one. Returns 1 if so, otherwise 0.
static int add_if_early(const struct exact_branch *x, const struct candidate *first, int type,
                        int32_t stage)
{
    const struct candidate c = candidate_of(x, type, stage);
    if (!same_candidate(&c, first) && !(c.start < first->end))
        return 0;
    add_child(x, &c);
    return 1;
}

// Adds all schedules that follow from the state to the layer. Returns their number.
static int exact_expand(const struct exact_branch *x)
{
    const struct exact_instance *instance = x->bound->instance;
    int n = 0;
    for (;;) {
        const struct candidate first = earliest(x);
        if (first.type < 0)
            return n;
        const int32_t d = first.device, begin = instance->first[d],
                      end = instance->first[d + 1];
        for (int32_t k = begin; k < end; k++)
            for (int type = OPERATION_F; type <= OPERATION_B; type++)
                n += add_if_early(x, &first, type, instance->stages[k]);
        n += add_if_early(x, &first, OPERATION_W, d);
        if (first.type != OPERATION_F || end - begin == 1 ||
            !isfinite(instance->pipeline->limit[d]))
            return n;
        // The forward may have to leave memory for a later stage: the device may wait.
        x->state->held[first.stage] = 1;
        x->state->clock[d] = first.end;
    }
}

// ---- layers of partial schedules ---------------------------------------------------------------

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

struct exact_search *exact_take(const struct pipeline_shape *shape, size_t bytes,
                                int64_t budget, struct room *room)
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

enum family_status exact_solve(struct exact_search *x, const struct pipeline *pipeline,
                               enum family_objective objective, double known, int64_t budget,
                               struct poll *poll, struct order *order,
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
