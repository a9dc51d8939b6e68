// SPDX-License-Identifier: Apache-2.0
// Computes the estimators of Saltelli and Jansen.
#include "engine/sensitivity/sobol_indices.h"

#include <math.h>
#include <stdbool.h>

struct moments {
    double n, mean, variance;
};

static struct moments moments_of(const struct pps_sobol_sample *s, const uint32_t *counts)
{
    struct moments m = {0, 0, 0};
    const size_t group = (size_t)s->d + 2;
    for (size_t j = 0; j < s->n; j++) {
        m.n += counts[j];
        m.mean += counts[j] * (s->y[j * group] + s->y[j * group + 1]);
    }
    m.mean /= 2 * m.n;
    for (size_t j = 0; j < s->n; j++) {
        const double a = s->y[j * group] - m.mean, b = s->y[j * group + 1] - m.mean;
        m.variance += counts[j] * (a * a + b * b);
    }
    m.variance /= 2 * m.n;
    return m;
}

void pps_sobol_indices(const void *self, const uint32_t *counts, double *indices)
{
    const struct pps_sobol_sample *s = self;
    const struct moments m = moments_of(s, counts);
    const size_t group = (size_t)s->d + 2;
    for (int i = 0; i < s->d; i++) {
        double first = 0, total = 0;
        for (size_t j = 0; j < s->n; j++) {
            const double *y = s->y + j * group;
            const double step = y[2 + i] - y[0];
            first += counts[j] * ((y[1] - m.mean) * step);
            total += counts[j] * (step * step);
        }
        const bool varies = m.variance > 0;
        indices[i] = varies ? first / m.n / m.variance : (double)NAN;
        indices[s->d + i] = varies ? total / (2 * m.n) / m.variance : (double)NAN;
    }
}
