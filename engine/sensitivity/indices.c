// SPDX-License-Identifier: Apache-2.0
// Computes the estimators of indices and effects.
#include "engine/sensitivity/indices.h"

#include <math.h>
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

struct class_sums {
    double n, mean; // mean of the results, from the mean of all
};

// Writes the class sums; returns how many classes are not empty.
static uint32_t sum_classes(const struct pps_given_data *data, double mean,
                            struct class_sums *classes)
{
    uint32_t used = 0;
    for (size_t i = 0; i < data->n; i++) {
        struct class_sums *class = &classes[data->class_of[i]];
        class->n++;
        class->mean += data->y[i] - mean;
    }
    for (uint32_t c = 0; c < data->n_classes; c++)
        if (classes[c].n > 0) {
            classes[c].mean /= classes[c].n;
            used++;
        }
    return used;
}

bool pps_first_order(const struct pps_given_data *data, struct pps_estimate *index)
{
    const double n = (double)data->n;
    struct class_sums *classes = calloc(data->n_classes, sizeof *classes);
    double mean = 0, all = 0, between = 0, squares = 0;
    *index = (struct pps_estimate){(double)NAN, (double)NAN};
    if (classes == NULL)
        return false;
    for (size_t i = 0; i < data->n; i++)
        mean += data->y[i];
    mean /= n;
    const uint32_t used = sum_classes(data, mean, classes);
    for (size_t i = 0; i < data->n; i++)
        all += (data->y[i] - mean) * (data->y[i] - mean);
    for (uint32_t c = 0; c < data->n_classes; c++)
        between += classes[c].n * classes[c].mean * classes[c].mean;
    const double ratio = between / all, scale = (n - 1) / (n - used);
    for (size_t i = 0; i < data->n; i++) {
        const double off = data->y[i] - mean, m = classes[data->class_of[i]].mean;
        const double change = 2 * m * off - m * m - ratio * off * off;
        squares += change * change;
    }
    if (all > 0 && n > used)
        *index = (struct pps_estimate){1 - (1 - ratio) * scale,
                                       PPS_Z975 * scale * sqrt(squares) / all};
    free(classes);
    return true;
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
