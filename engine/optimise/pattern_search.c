// SPDX-License-Identifier: Apache-2.0
// Searches along the directions of a pattern.
#include "engine/optimise/pattern_search.h"

#include <math.h>
#include <string.h>

static const double LARGEST = 0.5;

void pps_pattern_begin(struct pps_pattern *pattern, const struct pps_domain *domain,
                       const double *x, double value, double step)
{
    *pattern = (struct pps_pattern){.domain = domain, .value = value, .step = step};
    memcpy(pattern->centre, x, (size_t)pps_domain_size(domain) * sizeof *x);
}

static bool has_ended(const struct pps_pattern *pattern)
{
    for (int i = 0; i < pps_domain_size(pattern->domain); i++)
        if (pattern->step >= pattern->domain->grain[i])
            return false;
    return true;
}

size_t pps_pattern_size(const struct pps_pattern *pattern)
{
    const struct pps_domain *domain = pattern->domain;
    const int pairs = domain->n_weights * (domain->n_weights - 1);
    return has_ended(pattern) ? 0 : (size_t)(2 * domain->n_box + pairs);
}

void pps_pattern_ask(const struct pps_pattern *pattern, double *x)
{
    const struct pps_domain *domain = pattern->domain;
    const size_t size = (size_t)pps_domain_size(domain);
    const size_t n = pps_pattern_size(pattern);
    const int first = domain->n_box, end = first + domain->n_weights;
    for (size_t i = 0; i < n; i++)
        memcpy(x + i * size, pattern->centre, size * sizeof *x);
    for (int i = 0; i < domain->n_box; i++) {
        const double step = fmax(pattern->step, domain->grain[i]);
        x[i] += step;
        x[size + (size_t)i] -= step;
        x += 2 * size;
    }
    for (int to = first; to < end; to++)
        for (int from = first; from < end; from++)
            if (to != from) {
                const double step = fmin(pattern->step, x[from]);
                x[to] += step;
                x[from] -= step;
                x += size;
            }
    for (size_t i = 0; i < n; i++)
        pps_domain_repair(domain, x - (i + 1) * size);
}

void pps_pattern_tell(struct pps_pattern *pattern, const double *x, const double *values)
{
    const size_t size = (size_t)pps_domain_size(pattern->domain);
    const size_t n = pps_pattern_size(pattern);
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (values[i] < (best < n ? values[best] : pattern->value))
            best = i;
    if (best == n) {
        pattern->step /= 2;
        return;
    }
    memcpy(pattern->centre, x + best * size, size * sizeof *x);
    pattern->value = values[best];
    pattern->step = fmin(2 * pattern->step, LARGEST);
}
