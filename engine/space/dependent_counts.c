// SPDX-License-Identifier: Apache-2.0
// A hash table maps the values that determine a count (the level and the values of its live
// parameters) to the exact number of points below dependent axes.
#include "engine/space/dependent_counts.h"

#include "base/text/hash_slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_STATES = 1 << 18, MAX_VISITS = 20 * 1000 * 1000 };

struct pps_dependent_counts {
    struct pps_key_map states; // of a state: 1 + its count
    uint64_t visits;
};

static struct pps_key state_key(const struct pps_space *space, int d, const double *point)
{
    double words[PPS_MAX_PARAMS + 1];
    size_t n = 0;
    words[n++] = d;
    for (uint64_t live = space->live[d]; live != 0; live &= live - 1)
        words[n++] = point[__builtin_ctzll(live)];
    const XXH128_hash_t hash = XXH3_128bits(words, n * sizeof *words);
    return (struct pps_key){hash.low64, hash.high64};
}

// Returns 1 + the count of a state; 0: not known.
static uint64_t known_count(const struct pps_space *space, int d, const double *point)
{
    return pps_key_map_find(&space->subtrees->states, state_key(space, d, point));
}

static enum pps_status remember(struct pps_dependent_counts *table,
                                struct pps_key key,
                                uint64_t count,
                                struct pps_error *err)
{
    if (table->states.n >= MAX_STATES)
        return pps_fail(err, PPS_E_INPUT,
                        "the dependent axes have more than %d different cases to count; let "
                        "fewer axes depend on each other",
                        MAX_STATES);
    return pps_key_map_add(&table->states, key, count + 1)
               ? PPS_OK
               : pps_fail_memory(err, "the counts of points");
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
    const struct pps_key key = state_key(space, d, point);
    const uint64_t known = pps_key_map_find(&space->subtrees->states, key);
    if (known > 0) {
        *count = known - 1;
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
    if (table == NULL)
        return pps_fail_memory(err, "the counts of points");
    memcpy(point, space->base, sizeof point);
    return count_below(space, 0, point, n_points, err);
}

const struct pps_axis *pps_dependent_counts_empty_axis(const struct pps_space *space)
{
    double point[PPS_MAX_PARAMS];
    memcpy(point, space->base, sizeof point);
    if (space->subtrees == NULL || known_count(space, 0, point) != 1) // unknown, or some points
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
    pps_key_map_free(&subtrees->states);
    free(subtrees);
}

uint64_t pps_dependent_counts_below(const struct pps_space *space, int d, const double *point)
{
    if (d == space->n_axes)
        return 1;
    const uint64_t known = known_count(space, d, point);
    return known > 0 ? known - 1 : 0;
}
