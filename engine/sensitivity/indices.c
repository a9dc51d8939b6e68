// SPDX-License-Identifier: Apache-2.0
// Computes the estimators of indices and effects.
#include "engine/sensitivity/indices.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// ---- given data ---------------------------------------------------------------------------------

uint32_t pps_usual_classes(uint64_t n)
{
    uint32_t k = 2;
    while (k < 50 && (uint64_t)(k + 1) * (k + 1) * (k + 1) <= n)
        k++;
    return k;
}

uint32_t pps_classes(const uint32_t *code, uint64_t n, uint32_t levels, uint32_t n_classes,
                     uint64_t *counts, uint32_t *class_of)
{
    memset(counts, 0, levels * sizeof *counts);
    for (uint64_t i = 0; i < n; i++)
        counts[code[i]]++;
    uint64_t before = 0;
    uint32_t used = 0, last = UINT32_MAX;
    for (uint32_t v = 0; v < levels; v++) {
        // the class of the middle of the level's results
        const uint64_t place = (2 * before + counts[v]) * n_classes / (2 * n);
        const uint32_t class = levels <= n_classes ? v : (uint32_t)place;
        if (class != last)
            used++;
        last = class;
        class_of[v] = used - 1;
        before += counts[v];
    }
    return used;
}

struct sums {
    double n, y;
};

static double ratio_of(const struct pps_given_data *data, const uint32_t *counts,
                       struct sums *classes, double *n, uint32_t *used)
{
    double mean = 0, variance = 0, between = 0;
    *n = 0;
    *used = 0;
    for (size_t i = 0; i < data->n; i++) {
        *n += counts[i];
        mean += counts[i] * data->y[i];
    }
    mean /= *n;
    for (size_t i = 0; i < data->n; i++) {
        const double off = data->y[i] - mean;
        struct sums *class = &classes[data->class_of[i]];
        class->n += counts[i];
        class->y += counts[i] * off;
        variance += counts[i] * (off * off);
    }
    for (uint32_t c = 0; c < data->n_classes; c++)
        if (classes[c].n > 0) {
            between += classes[c].y * classes[c].y / classes[c].n;
            (*used)++;
        }
    return variance > 0 ? between / variance : (double)NAN;
}

void pps_first_order(const void *self, const uint32_t *counts, double *index)
{
    const struct pps_given_data *data = self;
    struct sums *classes = calloc(data->n_classes, sizeof *classes);
    double n;
    uint32_t used;
    *index = (double)NAN;
    if (classes == NULL)
        return;
    const double ratio = ratio_of(data, counts, classes, &n, &used);
    if (n > used)
        *index = 1 - (1 - ratio) * (n - 1) / (n - used);
    free(classes);
}

// ---- elementary effects -------------------------------------------------------------------------

static void one_factor(const struct pps_effects_sample *s, const uint32_t *counts, int i,
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

// ---- the estimators of Saltelli and Jansen ---------------------------------------------------------

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
