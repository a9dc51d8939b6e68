// SPDX-License-Identifier: Apache-2.0
// Orders and counts the points of a grid, and steps a cursor over the grid.
#include "engine/space/grid.h"

#include "base/text/hash_slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// ---- dependent counts ---------------------------------------------------------------------------

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

static enum pps_status remember(struct pps_dependent_counts *table, struct pps_key key,
                                uint64_t count, struct pps_error *err)
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

static void note_highest(struct pps_space *space, const struct pps_axis *axis,
                         const struct pps_axis_values *values)
{
    if (axis->kind != PPS_AXIS_DEPENDENT || values->count == 0)
        return;
    const double first = pps_expr_item(&values->list, 0);
    const double last = pps_expr_item(&values->list, values->count - 1);
    double *highest = &space->highest[axis->param];
    *highest = fmax(*highest, fmin(fmax(first, last), space->kernel->params[axis->param].max));
}

static enum pps_status count_below(struct pps_space *space, int d, double *point,
                                   uint64_t *count, struct pps_error *err);

// Counts the points below axis d: a sum over its values if they matter to the axes inwards,
// otherwise a product.
static enum pps_status count_values(struct pps_space *space, int d, double *point,
                                    uint64_t *count, struct pps_error *err)
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

static enum pps_status count_below(struct pps_space *space, int d, double *point,
                                   uint64_t *count, struct pps_error *err)
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

enum pps_status pps_dependent_counts_count(struct pps_space *space, uint64_t *n_points,
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

// ---- grid ---------------------------------------------------------------------------------------

static uint64_t axis_uses(const struct pps_axis *axis)
{
    return axis->kind == PPS_AXIS_DEPENDENT ? pps_expr_uses(axis->expr) : 0;
}

static enum pps_status check_order(const struct pps_space *space, struct pps_error *err)
{
    uint64_t later = 0;
    for (int d = space->n_axes - 1; d >= 0; d--) {
        const struct pps_axis *axis = &space->axes[d];
        later |= axis->sets;
        const uint64_t wrong = axis_uses(axis) & later;
        if (wrong == 0)
            continue;
        const char *self = space->kernel->params[axis->param].name;
        const char *other = space->kernel->params[__builtin_ctzll(wrong)].name;
        if (strcmp(self, other) == 0)
            return pps_fail(err, PPS_E_INPUT, "%s cannot depend on itself", self);
        return pps_fail(err, PPS_E_INPUT, "%s depends on %s, so name %s before it", self, other,
                        other);
    }
    return PPS_OK;
}

static void find_live(struct pps_space *space)
{
    uint64_t used = 0, set = 0;
    space->live[space->n_axes] = 0;
    space->constant_from = 0;
    for (int d = space->n_axes - 1; d >= 0; d--) {
        used |= axis_uses(&space->axes[d]);
        space->live[d] = used;
        if (space->axes[d].kind == PPS_AXIS_DEPENDENT && space->constant_from == 0)
            space->constant_from = d + 1;
    }
    for (int d = 0; d < space->n_axes; d++) {
        space->live[d] &= set;
        set |= space->axes[d].sets;
    }
}

static enum pps_status count_constant(struct pps_space *space, struct pps_error *err)
{
    space->below[space->n_axes] = 1;
    for (int d = space->n_axes - 1; d >= space->constant_from; d--)
        if (__builtin_mul_overflow(space->below[d + 1], space->axes[d].count,
                                   &space->below[d]) ||
            space->below[d] > (uint64_t)1 << 63)
            return pps_fail(err, PPS_E_INPUT,
                            "more than 2^63 points; use fewer or shorter axes");
    return PPS_OK;
}

static void find_columns(struct pps_space *space)
{
    int first = space->n_columns;
    for (int d = space->n_axes - 1; d >= 0; d--) {
        for (int c = 0; c < first; c++)
            if ((space->axes[d].sets >> space->columns[c] & 1) != 0)
                first = c;
        space->first_column[d] = first;
    }
}

static void find_highest(struct pps_space *space)
{
    for (int p = 0; p < space->kernel->n_params; p++)
        space->highest[p] = space->base[p];
    for (int d = 0; d < space->n_axes; d++)
        for (uint64_t sets = space->axes[d].sets; sets != 0; sets &= sets - 1) {
            const int p = __builtin_ctzll(sets);
            space->highest[p] = pps_axis_highest(&space->axes[d], space->kernel->params, p);
        }
}

enum pps_status pps_grid_count(struct pps_space *space, struct pps_error *err)
{
    enum pps_status status = count_constant(space, err);
    if (status != PPS_OK)
        return status;
    if (space->constant_from == 0)
        space->n_points = space->below[0];
    else
        status = pps_dependent_counts_count(space, &space->n_points, err);
    if (status == PPS_OK && space->n_points == 0)
        return pps_fail(err, PPS_E_INPUT, "no points: a dependent axis has no values");
    return status;
}

enum pps_status pps_grid_prepare(struct pps_space *space, struct pps_error *err)
{
    enum pps_status status = check_order(space, err);
    if (status != PPS_OK)
        return status;
    find_live(space);
    find_columns(space);
    find_highest(space);
    return PPS_OK;
}

// ---- moving -----------------------------------------------------------------------------------

static uint64_t below(const struct pps_space *space, int d, const double *point)
{
    return d >= space->constant_from ? space->below[d]
                                     : pps_dependent_counts_below(space, d, point);
}

static void place(struct pps_cursor *cursor, int d, uint64_t at)
{
    struct pps_cursor_level *level = &cursor->level[d];
    const struct pps_space *space = cursor->space;
    level->at = at;
    level->refused = !pps_axis_place(&space->axes[d], space->kernel->params, &level->values, at,
                                     cursor->point, &cursor->cells);
}

// Puts axis d on the first value, from number `at` on, that has points below it; `start` is the
// index of its first point.
static void settle(struct pps_cursor *cursor, int d, uint64_t at, uint64_t start)
{
    for (;; at++) {
        place(cursor, d, at);
        const uint64_t n = below(cursor->space, d + 1, cursor->point);
        cursor->level[d].end = start + n;
        if (n > 0)
            return;
    }
}

static void touch(struct pps_cursor *cursor, int d)
{
    if (d < cursor->fresh)
        cursor->fresh = d;
    if (cursor->space->first_column[d] < cursor->stale)
        cursor->stale = cursor->space->first_column[d];
}

void pps_grid_advance(struct pps_cursor *cursor)
{
    const struct pps_space *space = cursor->space;
    const uint64_t index = cursor->index;
    int d = space->n_axes - 1;
    while (d > 0 && cursor->level[d - 1].end <= index)
        d--;
    touch(cursor, d);
    settle(cursor, d, cursor->level[d].at + 1, index);
    for (d++; d < space->n_axes; d++) {
        if (pps_axis_is_constant(&space->axes[d])) {
            cursor->level[d].end = index + below(space, d + 1, cursor->point);
            continue;
        }
        pps_axis_values(&space->axes[d], cursor->point, &cursor->level[d].values);
        settle(cursor, d, 0, index);
    }
}

// Puts axis d on the value that contains point index. *start is the first point of the current
// value of axis d - 1; it becomes the first point of the value of axis d.
static void seek_level(struct pps_cursor *cursor, int d, uint64_t index, uint64_t *start)
{
    const struct pps_space *space = cursor->space;
    const struct pps_axis *axis = &space->axes[d];
    pps_axis_values(axis, cursor->point, &cursor->level[d].values);
    if ((space->live[d + 1] & axis->sets) == 0) {
        place(cursor, d, 0);
        const uint64_t n = below(space, d + 1, cursor->point);
        const uint64_t at = (index - *start) / n;
        place(cursor, d, at);
        *start += at * n;
        cursor->level[d].end = *start + n;
        return;
    }
    settle(cursor, d, 0, *start);
    while (cursor->level[d].end <= index) {
        *start = cursor->level[d].end;
        settle(cursor, d, cursor->level[d].at + 1, *start);
    }
}

void pps_grid_seek(struct pps_cursor *cursor, const struct pps_space *space, uint64_t index)
{
    uint64_t start = 0;
    cursor->space = space;
    cursor->index = index;
    cursor->fresh = 0;
    cursor->stale = 0;
    cursor->offset[0] = 0;
    memcpy(cursor->point, space->base, sizeof cursor->point);
    for (int d = 0; d < space->n_axes; d++)
        seek_level(cursor, d, index, &start);
}
