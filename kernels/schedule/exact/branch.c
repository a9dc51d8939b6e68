// SPDX-License-Identifier: Apache-2.0
// Extends partial schedules by one operation.
#include "kernels/schedule/exact/branch.h"

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
static int add_if_early(const struct exact_branch *x,
                        const struct candidate *first,
                        int type,
                        int32_t stage)
{
    const struct candidate c = candidate_of(x, type, stage);
    if (!same_candidate(&c, first) && !(c.start < first->end))
        return 0;
    add_child(x, &c);
    return 1;
}

int exact_expand(const struct exact_branch *x)
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
