// SPDX-License-Identifier: Apache-2.0
// Computes means and deviations of elementary effects.
#include "engine/sensitivity/elementary_effects.h"

#include <math.h>

static void one_factor(const struct pps_effects_sample *s,
                       const uint32_t *counts,
                       int i,
                       double *values)
{
    double n = 0, sum = 0, absolute = 0, squares = 0;
    for (size_t j = 0; j < s->n; j++) {
        const double e = s->effect[j * (size_t)s->d + (size_t)i];
        if (isnan(e))
            continue;
        n += counts[j];
        sum += counts[j] * e;
        absolute += counts[j] * fabs(e);
    }
    for (size_t j = 0; j < s->n; j++) {
        const double e = s->effect[j * (size_t)s->d + (size_t)i];
        squares += isnan(e) ? 0 : counts[j] * ((e - sum / n) * (e - sum / n));
    }
    values[PPS_MU_STAR] = n > 0 ? absolute / n : (double)NAN;
    values[PPS_MU] = n > 0 ? sum / n : (double)NAN;
    values[PPS_SIGMA] = n > 1 ? sqrt(squares / (n - 1)) : (double)NAN;
}

void pps_elementary_effects(const void *self, const uint32_t *counts, double *values)
{
    const struct pps_effects_sample *s = self;
    for (int i = 0; i < s->d; i++)
        one_factor(s, counts, i, values + (size_t)i * PPS_EFFECT_VALUES);
}
