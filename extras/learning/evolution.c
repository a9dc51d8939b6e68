// SPDX-License-Identifier: Apache-2.0
// Improves the numbers of a policy by the cross-entropy method.
#include "extras/learning/evolution.h"

#include "base/math/detmath.h"
#include "kernels/schedule/noise/noise.h"

#include <math.h>
#include <string.h>

enum { ELITES = EVOLUTION_MEMBERS / 4, GUIDE_NUMBERS = 2, STAGE = 1 << 22 };

// The spread never becomes 0, and falls at most by the factor of the old one in a generation.
static const double least_spread = 0.02, kept_spread = 0.3;

// Returns how many numbers a policy has: at most network_parameters.
static int evolution_numbers(const struct network_shape *shape)
{
    return shape->width[1] + 1 + GUIDE_NUMBERS;
}

void evolution_start(const struct network_shape *shape, const struct pull_rule *guide,
                     const double *parameters, double *mean, double *spread)
{
    const int beta = shape->width[1];
    for (int k = 0; k < beta; k++) {
        mean[k] = 0;
        spread[k] = 0.5;
    }
    mean[beta] = network_beta(shape, parameters);
    spread[beta] = 1;
    mean[beta + 1] = detmath_log(fmax(guide->threshold, 0.01));
    spread[beta + 1] = 0.5;
    mean[beta + 2] = guide->lag;
    spread[beta + 2] = 1;
}

void evolution_draw(const struct network_shape *shape, uint64_t seed, int64_t generation,
                    int member, const double *mean, const double *spread, double *numbers)
{
    for (int k = 0; k < evolution_numbers(shape); k++) {
        const struct noise_key key = {.kind = NOISE_OF_POLICY,
                                      .direction = 1,
                                      .stage = (uint32_t)(STAGE + k),
                                      .item = (uint32_t)member,
                                      .replicate = (uint32_t)generation};
        numbers[k] = mean[k] + spread[k] * noise_normal(seed, &key, 0);
    }
}

void evolution_apply(const struct network_shape *shape, const double *numbers,
                     double *parameters, struct pull_rule *guide)
{
    const int beta = shape->width[1];
    memcpy(network_last(shape, parameters), numbers, (size_t)beta * sizeof *numbers);
    network_set_beta(shape, parameters, numbers[beta]);
    guide->threshold = detmath_exp(fmax(-5, fmin(5, numbers[beta + 1])));
    guide->lag = (int32_t)floor(fmax(0, fmin(1e6, numbers[beta + 2])) + 0.5);
}

// The numbers of the members with the lowest scores; of equal scores, the first.
static void find_elites(const double *score, int elites[ELITES])
{
    bool taken[EVOLUTION_MEMBERS] = {false};
    for (int e = 0; e < ELITES; e++) {
        int best = -1;
        for (int m = 0; m < EVOLUTION_MEMBERS; m++)
            if (!taken[m] && (best < 0 || score[m] < score[best]))
                best = m;
        elites[e] = best;
        taken[best] = true;
    }
}

void evolution_update(const struct network_shape *shape, const double *numbers, int stride,
                      const double score[EVOLUTION_MEMBERS], double *mean, double *spread)
{
    int elites[ELITES];
    find_elites(score, elites);
    for (int k = 0; k < evolution_numbers(shape); k++) {
        double sum = 0, squares = 0;
        for (int e = 0; e < ELITES; e++)
            sum += numbers[elites[e] * stride + k] / ELITES;
        for (int e = 0; e < ELITES; e++) {
            const double rest = numbers[elites[e] * stride + k] - sum;
            squares += rest * rest / ELITES;
        }
        mean[k] = sum;
        spread[k] =
            fmax(least_spread, kept_spread * spread[k] + (1 - kept_spread) * sqrt(squares));
    }
}
