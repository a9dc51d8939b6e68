// SPDX-License-Identifier: Apache-2.0
// A hash table maps the values that determine a count (the level and the values of its live
// parameters) to the exact number of points below dependent axes.
#include "engine/space/dependent_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_STATES = 1 << 18, MAX_VISITS = 20 * 1000 * 1000 };

struct state {
    XXH128_hash_t key;
    uint64_t count;
    bool used;
};

struct pps_dependent_counts {
    struct state *states; // open addressing
    uint64_t cap, n;      // cap is a power of two
    uint64_t visits;
};

static XXH128_hash_t state_key(const struct pps_space *space, int d, const double *point)
{
    double words[PPS_MAX_PARAMS + 1];
    size_t n = 0;
    words[n++] = d;
    for (uint64_t live = space->live[d]; live != 0; live &= live - 1)
        words[n++] = point[__builtin_ctzll(live)];
    return XXH3_128bits(words, n * sizeof *words);
}

static struct state *slot(const struct pps_dependent_counts *table, XXH128_hash_t key)
{
    uint64_t at = key.low64 & (table->cap - 1);
    while (table->states[at].used && !XXH128_isEqual(table->states[at].key, key))
        at = (at + 1) & (table->cap - 1);
    return &table->states[at];
}

static bool grow(struct pps_dependent_counts *table)
{
    struct pps_dependent_counts larger = {.cap = table->cap * 2, .n = table->n};
    larger.states = calloc(larger.cap, sizeof *larger.states);
    if (larger.states == NULL)
        return false;
    for (uint64_t i = 0; i < table->cap; i++)
        if (table->states[i].used)
            *slot(&larger, table->states[i].key) = table->states[i];
    free(table->states);
    table->states = larger.states;
    table->cap = larger.cap;
    return true;
}

static enum pps_status remember(struct pps_dependent_counts *table,
                                XXH128_hash_t key,
                                uint64_t count,
                                struct pps_error *err)
{
    if (table->n >= MAX_STATES)
        return pps_fail(err, PPS_E_INPUT,
                        "the dependent axes have more than %d different cases to count; let "
                        "fewer axes depend on each other",
                        MAX_STATES);
    if (table->n * 2 >= table->cap && !grow(table))
        return pps_fail_memory(err, "the counts of points");
    *slot(table, key) = (struct state){key, count, true};
    table->n++;
    return PPS_OK;
}

static void note_highest(struct pps_space *space,
                         const struct pps_axis *axis,
                         const struct pps_axis_values *values)
{
    if (axis->kind != PPS_AXIS_DEPENDENT || values->count == 0)
        return;
    const double first = pps_expr_item(&values->list, 0);
    const double last = pps_expr_item(&values->list, values->count - 1);
    double *highest = &space->highest[axis->param];
    *highest = fmax(*highest, fmin(fmax(first, last), space->kernel->params[axis->param].max));
}

static enum pps_status count_below(struct pps_space *space,
                                   int d,
                                   double *point,
                                   uint64_t *count,
                                   struct pps_error *err);

// Counts the points below axis d: a sum over its values if they matter to the axes inwards,
// otherwise a product.
static enum pps_status count_values(struct pps_space *space,
                                    int d,
                                    double *point,
                                    uint64_t *count,
                                    struct pps_error *err)
{
    const struct pps_axis *axis = &space->axes[d];
    struct pps_axis_values values;
    pps_axis_values(axis, point, &values);
    note_highest(space, axis, &values);
    const bool matter = (space->live[d + 1] & axis->sets) != 0;
    const uint64_t visits = matter ? values.count : values.count > 0;
    *count = 0;
    for (uint64_t i = 0; i < visits; i++) {
        uint64_t one;
        if (++space->subtrees->visits > MAX_VISITS)
            return pps_fail(err, PPS_E_INPUT,
                            "an axis that others depend on has too many values (%llu)",
                            (unsigned long long)values.count);
        pps_axis_place(axis, space->kernel->params, &values, i, point, NULL);
        enum pps_status status = count_below(space, d + 1, point, &one, err);
        if (status != PPS_OK)
            return status;
        if (__builtin_mul_overflow(one, matter ? 1 : values.count, &one) ||
            __builtin_add_overflow(*count, one, count) || *count > (uint64_t)1 << 63)
            return pps_fail(err, PPS_E_INPUT,
                            "more than 2^63 points; use fewer or shorter axes");
    }
    return PPS_OK;
}

static enum pps_status count_below(struct pps_space *space,
                                   int d,
                                   double *point,
                                   uint64_t *count,
                                   struct pps_error *err)
{
    if (d == space->n_axes) {
        *count = 1;
        return PPS_OK;
    }
    const XXH128_hash_t key = state_key(space, d, point);
    const struct state *known = slot(space->subtrees, key);
    if (known->used) {
        *count = known->count;
        return PPS_OK;
    }
    enum pps_status status = count_values(space, d, point, count, err);
    return status == PPS_OK ? remember(space->subtrees, key, *count, err) : status;
}

enum pps_status pps_dependent_counts_count(struct pps_space *space,
                                           uint64_t *n_points,
                                           struct pps_error *err)
{
    double point[PPS_MAX_PARAMS];
    struct pps_dependent_counts *table = calloc(1, sizeof *table);
    space->subtrees = table;
    if (table != NULL) {
        table->cap = 64;
        table->states = calloc(table->cap, sizeof *table->states);
    }
    if (table == NULL || table->states == NULL)
        return pps_fail_memory(err, "the counts of points");
    memcpy(point, space->base, sizeof point);
    return count_below(space, 0, point, n_points, err);
}

const struct pps_axis *pps_dependent_counts_empty_axis(const struct pps_space *space)
{
    double point[PPS_MAX_PARAMS];
    memcpy(point, space->base, sizeof point);
    if (space->subtrees == NULL || space->subtrees->states == NULL)
        return NULL;
    const struct state *root = slot(space->subtrees, state_key(space, 0, point));
    if (!root->used || root->count > 0)
        return NULL;
    for (int d = 0; d < space->n_axes; d++) {
        struct pps_axis_values values;
        pps_axis_values(&space->axes[d], point, &values);
        if (values.count == 0)
            return &space->axes[d];
        pps_axis_place(&space->axes[d], space->kernel->params, &values, 0, point, NULL);
    }
    return NULL;
}

void pps_dependent_counts_free(struct pps_dependent_counts *subtrees)
{
    if (subtrees == NULL)
        return;
    free(subtrees->states);
    free(subtrees);
}

uint64_t pps_dependent_counts_below(const struct pps_space *space, int d, const double *point)
{
    if (d == space->n_axes)
        return 1;
    return slot(space->subtrees, state_key(space, d, point))->count;
}
