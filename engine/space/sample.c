// SPDX-License-Identifier: Apache-2.0
// Draws the points of a sample.
#include "engine/space/sample.h"

#include "base/math/random.h"
#include "base/math/sobol.h"
#include "engine/space/grid.h"
#include "engine/space/sample_design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pps_sample_methods[] = {
    [PPS_SAMPLE_RANDOM] = "random", [PPS_SAMPLE_SOBOL] = "sobol",
    [PPS_SAMPLE_LHS] = "lhs",       [PPS_SAMPLE_SALTELLI] = "saltelli",
    [PPS_SAMPLE_MORRIS] = "morris", NULL};

// Purposes of random numbers. Per-axis purposes add the first parameter of the axis.
enum purpose {
    FOR_GRID,
    FOR_ROUND,    // one pass through the grid
    FOR_SCRAMBLE, // of a Sobol' sequence
    FOR_VALUE = 256,
    FOR_STRATUM = 512,
    FOR_OFFSET = 768, // within a stratum
};

#define TWO_53 ((uint64_t)1 << 53)

// ---- preparation ----------------------------------------------------------------------------

// Finds floating axes: continuous axes, and axes that depend on a floating axis.
static void find_floating(const struct pps_space *space, struct pps_sample *sample)
{
    uint64_t floating = 0;
    for (int d = 0; d < space->n_axes; d++) {
        const struct pps_axis *axis = &space->axes[d];
        const bool depends =
            axis->kind == PPS_AXIS_DEPENDENT && (pps_expr_uses(axis->expr) & floating) != 0;
        sample->is_floating[d] = depends || axis->kind == PPS_AXIS_CONTINUOUS;
        sample->any_floating = sample->any_floating || sample->is_floating[d];
        if (sample->is_floating[d])
            floating |= axis->sets;
    }
}

// Counts the points of the grid. The grid borrows the space's axes.
static enum pps_status count_grid(const struct pps_space *space, struct pps_sample *sample,
                                  struct pps_error *err)
{
    struct pps_space *grid = &sample->grid;
    grid->kernel = space->kernel;
    memcpy(grid->base, space->base, sizeof grid->base);
    for (int d = 0; d < space->n_axes; d++)
        if (!sample->is_floating[d]) {
            sample->outer[grid->n_axes] = d;
            grid->axes[grid->n_axes++] = space->axes[d];
        }
    enum pps_status status = pps_grid_prepare(grid, err);
    if (status == PPS_OK)
        status = pps_grid_count(grid, err);
    if (status == PPS_OK)
        sample->n_grid = grid->n_points;
    if (status != PPS_E_INPUT)
        return status;
    // Only random draws use point numbers.
    if (sample->method != PPS_SAMPLE_RANDOM)
        return PPS_OK;
    const struct pps_error said = *err;
    return pps_fail(err, PPS_E_INPUT, "%s; or use lhs or sobol", said.text);
}

// Sets the maxima of dependent axes; they are known if the grid was walked.
static void find_highest(struct pps_space *space, const struct pps_sample *sample)
{
    for (int d = 0; d < space->n_axes; d++) {
        const struct pps_axis *axis = &space->axes[d];
        if (axis->kind != PPS_AXIS_DEPENDENT)
            continue;
        const int p = axis->param;
        const bool known = sample->n_grid > 0 && !sample->is_floating[d];
        space->highest[p] = known ? sample->grid.highest[p] : space->kernel->params[p].max;
    }
}

static enum pps_status prepare_random(struct pps_sample *sample, struct pps_error *err)
{
    if (!sample->any_floating && sample->count > sample->n_grid)
        return pps_fail(
            err, PPS_E_INPUT,
            "sample.count: %llu of %llu points; random takes each point at most once",
            (unsigned long long)sample->count, (unsigned long long)sample->n_grid);
    pps_permutation_init(&sample->order, sample->n_grid, sample->seed, FOR_GRID);
    return PPS_OK;
}

static uint32_t purpose_of(enum purpose purpose, const struct pps_axis *axis)
{
    return (uint32_t)purpose + (uint32_t)__builtin_ctzll(axis->sets);
}

static enum pps_status prepare_lhs(const struct pps_space *space, struct pps_sample *sample,
                                   struct pps_error *err)
{
    sample->strata = calloc((unsigned)space->n_axes, sizeof *sample->strata);
    if (sample->strata == NULL)
        return pps_fail_memory(err, "a Latin hypercube");
    for (int d = 0; d < space->n_axes; d++)
        pps_permutation_init(&sample->strata[d], sample->count, sample->seed,
                             purpose_of(FOR_STRATUM, &space->axes[d]));
    return PPS_OK;
}

static enum pps_status make_sobol(struct pps_sample *sample, struct pps_error *err)
{
    sample->sobol = malloc(sizeof *sample->sobol);
    if (sample->sobol == NULL)
        return pps_fail_memory(err, "a Sobol' sequence");
    pps_sobol_init(sample->sobol);
    pps_sobol_scramble(sample->sobol, sample->seed, FOR_SCRAMBLE);
    return PPS_OK;
}

static enum pps_status prepare_sobol(const struct pps_space *space, struct pps_sample *sample,
                                     struct pps_error *err)
{
    if (space->n_axes > PPS_SOBOL_DIMENSIONS)
        return pps_fail(
            err, PPS_E_INPUT,
            "sample.method: sobol has at most %d dimensions, but there are %d axes; "
            "use lhs or random",
            PPS_SOBOL_DIMENSIONS, space->n_axes);
    return make_sobol(sample, err);
}

static enum pps_status prepare_design(struct pps_space *space, struct pps_sample *sample,
                                      struct pps_error *err)
{
    pps_design_prepare(space, sample);
    if (sample->n_factors == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "sample.method: %s compares the values of axes, but no parameter has "
                        "more than one value",
                        pps_sample_methods[sample->method]);
    space->n_points = sample->count * sample->group;
    const bool quasi =
        sample->method == PPS_SAMPLE_SALTELLI && 2 * sample->n_factors <= PPS_SOBOL_DIMENSIONS;
    return quasi ? make_sobol(sample, err) : PPS_OK;
}

enum pps_status pps_sample_prepare(struct pps_space *space, struct pps_error *err)
{
    struct pps_sample *sample = space->sample;
    find_floating(space, sample);
    enum pps_status status = count_grid(space, sample, err);
    if (status != PPS_OK)
        return status;
    find_highest(space, sample);
    space->n_points = sample->count;
    switch (sample->method) {
    case PPS_SAMPLE_RANDOM:
        return prepare_random(sample, err);
    case PPS_SAMPLE_SOBOL:
        return prepare_sobol(space, sample, err);
    case PPS_SAMPLE_SALTELLI:
    case PPS_SAMPLE_MORRIS:
        return prepare_design(space, sample, err);
    case PPS_SAMPLE_LHS:
        return prepare_lhs(space, sample, err);
    }
    return PPS_OK;
}

void pps_sample_free(struct pps_sample *sample)
{
    if (sample == NULL)
        return;
    pps_dependent_counts_free(sample->grid.subtrees); // the space owns the axes
    free(sample->strata);
    free(sample->sobol);
    free(sample);
}

// ---- a draw of one axis -----------------------------------------------------------------------

// A number u in [0, 1): (stratum + offset / 2^53) / strata.
struct draw {
    uint64_t stratum, strata, offset;
};

static struct draw draw_axis(const struct pps_space *space, int d, uint64_t k)
{
    const struct pps_sample *sample = space->sample;
    const struct pps_axis *axis = &space->axes[d];
    switch (sample->method) {
    case PPS_SAMPLE_RANDOM:
        break;
    case PPS_SAMPLE_SOBOL:
        return (struct draw){0, 1, pps_sobol_at(sample->sobol, k, d)};
    case PPS_SAMPLE_LHS:
        return (struct draw){pps_permutation_at(&sample->strata[d], k), sample->count,
                             pps_random_53(sample->seed, k, purpose_of(FOR_OFFSET, axis))};
    case PPS_SAMPLE_SALTELLI:
        return (struct draw){0, 1, pps_saltelli_draw(space, d, k)};
    case PPS_SAMPLE_MORRIS: // of continuous axes: level of levels - 1
        return (struct draw){pps_morris_value(space, d, k, PPS_MORRIS_LEVELS),
                             PPS_MORRIS_LEVELS - 1, 0};
    }
    return (struct draw){0, 1, pps_random_53(sample->seed, k, purpose_of(FOR_VALUE, axis))};
}

// Returns floor(u n), exactly: if n divides the number of strata, each value gets equally many.
static uint64_t draw_index(struct draw u, uint64_t n)
{
    const __uint128_t whole = (__uint128_t)u.stratum * n;
    const uint64_t rest = (uint64_t)(whole % u.strata);
    const __uint128_t part = (__uint128_t)rest * TWO_53 + (__uint128_t)n * u.offset;
    return (uint64_t)(whole / u.strata) + (uint64_t)(part / ((__uint128_t)u.strata * TWO_53));
}

// Returns a value of [start, stop], rounded to the axis's number of decimals. Quotients of a
// whole number and a power of ten are the doubles nearest to their text.
static double draw_value(struct draw u, const struct pps_axis *axis)
{
    const double part = ((double)u.stratum + (double)u.offset * 0x1p-53) / (double)u.strata;
    const double value = axis->start + part * (axis->stop - axis->start);
    double scale = 1;
    for (int i = 0; i < abs(axis->decimals); i++)
        scale *= 10;
    const double rounded = axis->decimals >= 0 ? floor(value * scale + 0.5) / scale
                                               : floor(value / scale + 0.5) * scale;
    return fmin(fmax(rounded, axis->start), axis->stop);
}

static void place_axis(struct pps_cursor *cursor, int d)
{
    const struct pps_space *space = cursor->space;
    const struct pps_axis *axis = &space->axes[d];
    struct pps_cursor_level *level = &cursor->level[d];
    const struct draw u = draw_axis(space, d, cursor->index);
    const int p = axis->param;
    level->at = 0;
    level->refused = false;
    if (axis->kind == PPS_AXIS_CONTINUOUS) {
        struct pps_axis_cell *cell = &cursor->cells.made[p];
        cursor->point[p] = pps_value_cell(&space->kernel->params[p], draw_value(u, axis), cell);
        cursor->cells.of[p] = cell;
        return;
    }
    pps_axis_values(axis, cursor->point, &level->values);
    if (level->values.count == 0) {
        level->refused = true;
        return;
    }
    level->at = space->sample->method == PPS_SAMPLE_MORRIS
                    ? pps_morris_value(space, d, cursor->index, level->values.count)
                    : draw_index(u, level->values.count);
    level->refused = !pps_axis_place(axis, space->kernel->params, &level->values, level->at,
                                     cursor->point, &cursor->cells);
}

// ---- a draw -----------------------------------------------------------------------------------

// Places the axes of the grid by point number, then moves their levels to the positions of
// these axes in the space.
static void place_grid(struct pps_cursor *cursor)
{
    const struct pps_space *space = cursor->space;
    const struct pps_sample *sample = space->sample;
    const uint64_t k = cursor->index, round = k / sample->n_grid;
    struct pps_permutation order = sample->order;
    if (round > 0)
        pps_permutation_init(&order, sample->n_grid,
                             pps_random_bits(sample->seed, round, FOR_ROUND), FOR_GRID);
    const uint64_t at = pps_permutation_at(&order, k % sample->n_grid);
    pps_grid_seek(cursor, &sample->grid, at);
    for (int g = sample->grid.n_axes - 1; g >= 0; g--)
        if (sample->outer[g] != g)
            cursor->level[sample->outer[g]] = cursor->level[g];
    cursor->space = space;
    cursor->index = k;
}

void pps_sample_place(struct pps_cursor *cursor)
{
    const struct pps_space *space = cursor->space;
    const struct pps_sample *sample = space->sample;
    const bool by_number = sample->method == PPS_SAMPLE_RANDOM;
    cursor->fresh = 0;
    cursor->stale = 0;
    cursor->offset[0] = 0;
    memcpy(cursor->point, space->base, sizeof cursor->point);
    if (by_number)
        place_grid(cursor);
    bool refused = false;
    for (int d = 0; d < space->n_axes; d++) {
        const bool drawn = !by_number || sample->is_floating[d];
        if (drawn && (!refused || pps_axis_is_constant(&space->axes[d])))
            place_axis(cursor, d);
        refused = refused || cursor->level[d].refused;
        cursor->level[d].end = cursor->index + 1;
    }
}
