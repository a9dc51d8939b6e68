// SPDX-License-Identifier: Apache-2.0
// Stores partial schedules by the operations that they have done.
#include "kernels/schedule/exact/layer.h"

#include <stdlib.h>
#include <string.h>

static size_t count_numbers(const struct pipeline_shape *shape)
{
    return 3 * (size_t)shape->stages + (size_t)shape->devices;
}

static size_t counts_bytes(size_t n)
{
    return (n * sizeof(uint16_t) + 7) / 8 * 8;
}

static uint16_t *counts_of(struct exact_label *label)
{
    return (void *)(label + 1);
}

static double *times_of(const struct exact_layer *layer, struct exact_label *label)
{
    return (void *)((char *)(label + 1) + counts_bytes(layer->n_counts));
}

size_t exact_label_bytes(const struct pipeline_shape *shape)
{
    const size_t P = (size_t)shape->devices, M = (size_t)shape->micro_batches;
    return sizeof(struct exact_label) + counts_bytes(count_numbers(shape)) +
           (P + 2 * M) * sizeof(double);
}

static uint32_t power_above(uint32_t n)
{
    uint32_t power = 4;
    while (power < n)
        power *= 2;
    return power;
}

void exact_layer_take(struct exact_layer *layer, const struct pipeline_shape *shape,
                      uint32_t width, struct room *room)
{
    layer->capacity = 2 * width;
    layer->stride = exact_label_bytes(shape);
    layer->n_counts = count_numbers(shape);
    layer->mask_most = power_above(2 * width) - 1;
    layer->labels = room_take(room, layer->capacity, layer->stride);
    layer->keys = room_take(room, layer->capacity, sizeof *layer->keys);
    layer->table = room_take(room, (size_t)layer->mask_most + 1, sizeof *layer->table);
}

void exact_layer_clear(struct exact_layer *layer, uint32_t width)
{
    layer->width = width;
    layer->n = layer->free = layer->n_kept = 0;
    layer->mask = power_above(2 * width) - 1;
    layer->full_bound = layer->full_sum = layer->dropped = (double)INFINITY;
    memset(layer->table, 0, ((size_t)layer->mask + 1) * sizeof *layer->table);
}

static uint32_t mix(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

static int32_t *count_at(const struct exact_instance *instance, const struct exact_state *state,
                         int32_t i)
{
    const int32_t S = instance->S;
    return i < S       ? &state->f[i]
           : i < 2 * S ? &state->b[i - S]
           : i < 3 * S ? &state->held[i - 2 * S]
                       : &state->w[i - 3 * S];
}

// Returns the least start of the next operation of a device. INFINITY: none is left.
static double next_of(const struct exact_bound *bound, const struct exact_state *state,
                      int32_t d)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M;
    double next = (double)INFINITY;
    int32_t b_done = 0;
    for (int32_t k = instance->first[d]; k < instance->first[d + 1]; k++) {
        const int32_t s = instance->stages[k], f = state->f[s], b = state->b[s];
        if (f < M && !state->held[s] && bound->f[s * M + f] < next)
            next = bound->f[s * M + f];
        if (b < M && bound->b[s * M + b] < next)
            next = bound->b[s * M + b];
        b_done += b;
    }
    return state->w[d] < b_done ? state->clock[d] : next;
}

// Writes the counts and the times; returns the number of times. Every time is the least start that the
// state allows, so that states with the same counts compare well.
static int32_t pack(const struct exact_layer *layer, const struct exact_bound *bound,
                    const struct exact_state *state, struct exact_label *label)
{
    const struct exact_instance *instance = bound->instance;
    const int32_t M = instance->M;
    uint16_t *counts = counts_of(label);
    double *times = times_of(layer, label);
    uint64_t key = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < (int32_t)layer->n_counts; i++) {
        counts[i] = (uint16_t)*count_at(instance, state, i);
        key = (key ^ counts[i]) * UINT64_C(0x100000001B3);
        key ^= key >> 29;
    }
    label->hash = mix(key);
    for (int32_t d = 0; d < instance->P; d++) {
        const double next = next_of(bound, state, d);
        times[n++] = next < (double)INFINITY ? next : state->clock[d];
    }
    for (int32_t s = 0; s < instance->S; s++) {
        if (s > 0 && instance->device[s] != instance->device[s - 1])
            for (int32_t m = state->f[s]; m < state->f[s - 1]; m++)
                times[n++] = bound->f[s * M + m];
        if (s + 1 < instance->S && instance->device[s] != instance->device[s + 1])
            for (int32_t m = state->b[s]; m < state->b[s + 1]; m++)
                times[n++] = bound->b[s * M + m];
    }
    return n;
}

void exact_layer_unpack(const struct exact_layer *layer, const struct exact_instance *instance,
                        uint32_t i, struct exact_state *state)
{
    const int32_t M = instance->M;
    struct exact_label *label = exact_layer_label(layer, i);
    const uint16_t *counts = counts_of(label);
    const double *times = times_of(layer, label);
    for (int32_t k = 0; k < (int32_t)layer->n_counts; k++)
        *count_at(instance, state, k) = counts[k];
    for (int32_t d = 0; d < instance->P; d++)
        state->clock[d] = *times++;
    for (int32_t s = 0; s < instance->S; s++) {
        if (s > 0 && instance->device[s] != instance->device[s - 1])
            for (int32_t m = state->f[s]; m < state->f[s - 1]; m++)
                state->arrival[0][s * M + m] = *times++;
        if (s + 1 < instance->S && instance->device[s] != instance->device[s + 1])
            for (int32_t m = state->b[s]; m < state->b[s + 1]; m++)
                state->arrival[1][s * M + m] = *times++;
    }
}

static bool same_counts(const struct exact_layer *layer, struct exact_label *a,
                        struct exact_label *b)
{
    return a->hash == b->hash &&
           memcmp(counts_of(a), counts_of(b), layer->n_counts * sizeof(uint16_t)) == 0;
}

// Returns whether no time of a is later than that of b.
static bool covers(const struct exact_layer *layer, struct exact_label *a,
                   struct exact_label *b, int32_t n)
{
    const double *s = times_of(layer, a), *t = times_of(layer, b);
    for (int32_t i = 0; i < n; i++)
        if (s[i] > t[i])
            return false;
    return true;
}

static void release(struct exact_layer *layer, uint32_t i)
{
    struct exact_label *label = exact_layer_label(layer, i);
    label->alive = 0;
    label->next = layer->free;
    layer->free = i + 1;
}

static int compare(const void *left, const void *right)
{
    const struct exact_key *a = left, *b = right;
    if (a->bound != b->bound)
        return a->bound < b->bound ? -1 : 1;
    if (a->sum != b->sum)
        return a->sum < b->sum ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

void exact_layer_select(struct exact_layer *layer)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < layer->n; i++) {
        const struct exact_label *label = exact_layer_label(layer, i);
        if (label->alive)
            layer->keys[n++] = (struct exact_key){label->bound, label->sum, i};
    }
    qsort(layer->keys, n, sizeof *layer->keys, compare);
    layer->n_kept = n < layer->width ? n : layer->width;
    if (n > layer->n_kept && layer->keys[layer->n_kept].bound < layer->dropped)
        layer->dropped = layer->keys[layer->n_kept].bound;
    for (uint32_t k = layer->n_kept; k < n; k++)
        release(layer, layer->keys[k].index);
}

// Makes room for further labels.
static void shrink(struct exact_layer *layer)
{
    exact_layer_select(layer);
    const struct exact_key *worst = &layer->keys[layer->n_kept - 1];
    layer->full_bound = worst->bound;
    layer->full_sum = worst->sum;
    memset(layer->table, 0, ((size_t)layer->mask + 1) * sizeof *layer->table);
    for (uint32_t k = layer->n_kept; k-- > 0;) {
        struct exact_label *label = exact_layer_label(layer, layer->keys[k].index);
        uint32_t *slot = &layer->table[label->hash & layer->mask];
        label->next = *slot;
        *slot = layer->keys[k].index + 1;
    }
}

static uint32_t take_label(struct exact_layer *layer)
{
    if (layer->free == 0 && layer->n == 2 * layer->width)
        shrink(layer);
    if (layer->free == 0)
        return layer->n++;
    const uint32_t i = layer->free - 1;
    layer->free = exact_layer_label(layer, i)->next;
    return i;
}

void exact_layer_add(struct exact_layer *layer, const struct exact_bound *bound,
                     const struct exact_state *state, const struct exact_label *label)
{
    if (label->bound > layer->full_bound ||
        (label->bound == layer->full_bound && label->sum >= layer->full_sum)) {
        layer->dropped = label->bound < layer->dropped ? label->bound : layer->dropped;
        return;
    }
    const uint32_t i = take_label(layer);
    struct exact_label *added = exact_layer_label(layer, i);
    *added = *label;
    added->alive = 1;
    const int32_t n = pack(layer, bound, state, added);
    uint32_t *slot = &layer->table[added->hash & layer->mask];
    for (uint32_t *at = slot; *at != 0;) {
        const uint32_t other = *at - 1;
        struct exact_label *old = exact_layer_label(layer, other);
        if (!same_counts(layer, old, added)) {
            at = &old->next;
        } else if (covers(layer, old, added, n)) {
            release(layer, i);
            return;
        } else if (covers(layer, added, old, n)) {
            *at = old->next;
            release(layer, other);
        } else {
            at = &old->next;
        }
    }
    added->next = *slot;
    *slot = i + 1;
}
