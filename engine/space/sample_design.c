// SPDX-License-Identifier: Apache-2.0
// Draws the points of designs.
#include "engine/space/sample_design.h"

#include "base/math/random.h"
#include "base/math/sobol.h"

// Purposes of random numbers. Per-axis purposes add the first parameter of the axis.
enum purpose {
    FOR_A = 1024,
    FOR_B = 1280,
    FOR_TRAJECTORY = 1536, // order in which the factors move
    FOR_START = 1792,      // the first value of a factor, and its direction
    FOR_OTHER = 2048,      // the second value of a factor without an order
};

static uint32_t purpose_of(enum purpose purpose, const struct pps_axis *axis)
{
    return (uint32_t)purpose + (uint32_t)__builtin_ctzll(axis->sets);
}

void pps_design_prepare(const struct pps_space *space, struct pps_sample *sample)
{
    sample->n_factors = 0;
    for (int d = 0; d < space->n_axes; d++) {
        sample->factor_of[d] = -1;
        if (pps_axis_is_constant(&space->axes[d]))
            continue;
        sample->factor_of[d] = sample->n_factors;
        sample->factors[sample->n_factors++] = d;
    }
    sample->group =
        (uint64_t)sample->n_factors + (sample->method == PPS_SAMPLE_SALTELLI ? 2 : 1);
}

bool pps_design_is_ordered(const struct pps_space *space, int d)
{
    const struct pps_axis *axis = &space->axes[d];
    if (axis->kind == PPS_AXIS_COMPOSITE || axis->n_members > 1 || axis->of_slot)
        return false;
    const int p = axis->kind == PPS_AXIS_TABLE ? axis->members[0].param : axis->param;
    return space->kernel->params[p].kind == PPS_INTEGER ||
           space->kernel->params[p].kind == PPS_REAL;
}

// ---- saltelli -----------------------------------------------------------------------------------

uint64_t pps_saltelli_draw(const struct pps_space *space, int d, uint64_t k)
{
    const struct pps_sample *sample = space->sample;
    const uint64_t j = k / sample->group, member = k % sample->group;
    const int f = sample->factor_of[d];
    if (f < 0)
        return 0;
    const bool from_b = member == 1 || member == 2 + (uint64_t)f;
    if (sample->sobol != NULL)
        return pps_sobol_at(sample->sobol, j, f + (from_b ? sample->n_factors : 0));
    return pps_random_53(sample->seed, j, purpose_of(from_b ? FOR_B : FOR_A, &space->axes[d]));
}

// ---- morris -------------------------------------------------------------------------------------

// Returns the order in which the factors of trajectory j move.
static struct pps_permutation order_of(const struct pps_sample *sample, uint64_t j)
{
    struct pps_permutation order;
    pps_permutation_init(&order, (uint64_t)sample->n_factors,
                         pps_random_bits(sample->seed, j, FOR_TRAJECTORY), FOR_TRAJECTORY);
    return order;
}

int pps_morris_moved(const struct pps_space *space, uint64_t k)
{
    const struct pps_sample *sample = space->sample;
    const uint64_t step = k % sample->group;
    const struct pps_permutation order = order_of(sample, k / sample->group);
    for (int f = 0; f < sample->n_factors && step > 0; f++)
        if (pps_permutation_at(&order, (uint64_t)f) == step - 1)
            return f;
    return -1;
}

// Returns floor(n u) for random bits that mean u in [0, 1).
static uint64_t part_of(uint64_t bits53, uint64_t n)
{
    return (uint64_t)(((__uint128_t)bits53 * n) >> 53);
}

// A factor with an order moves between `low` and `low` + n / 2, up or down. The draws of a trajectory
// use the same random numbers, so a factor stays where it is until it moves.
uint64_t pps_morris_value(const struct pps_space *space, int d, uint64_t k, uint64_t n)
{
    const struct pps_sample *sample = space->sample;
    const struct pps_axis *axis = &space->axes[d];
    const uint64_t j = k / sample->group, step = k % sample->group;
    const int f = sample->factor_of[d];
    if (f < 0 || n < 2)
        return 0;
    const struct pps_permutation order = order_of(sample, j);
    const bool moved = step > pps_permutation_at(&order, (uint64_t)f);
    const uint64_t start = pps_random_53(sample->seed, j, purpose_of(FOR_START, axis));
    const uint64_t other = pps_random_53(sample->seed, j, purpose_of(FOR_OTHER, axis));
    if (!pps_design_is_ordered(space, d)) {
        const uint64_t first = part_of(start, n);
        return moved ? (first + 1 + part_of(other, n - 1)) % n : first;
    }
    const uint64_t low = part_of(start, n - n / 2);
    const bool up = (other & 1) != 0;
    return moved == up ? low + n / 2 : low;
}
