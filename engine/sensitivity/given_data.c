// SPDX-License-Identifier: Apache-2.0
// Estimates first-order indices by classes.
#include "engine/sensitivity/given_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t pps_usual_classes(uint64_t n)
{
    uint32_t k = 2;
    while (k < 50 && (uint64_t)(k + 1) * (k + 1) * (k + 1) <= n)
        k++;
    return k;
}

uint32_t pps_classes(const uint32_t *code,
                     uint64_t n,
                     uint32_t levels,
                     uint32_t n_classes,
                     uint64_t *counts,
                     uint32_t *class_of)
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

static double ratio_of(const struct pps_given_data *data,
                       const uint32_t *counts,
                       struct sums *classes,
                       double *n,
                       uint32_t *used)
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
