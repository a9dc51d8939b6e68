// SPDX-License-Identifier: Apache-2.0
// Projects coordinates on a domain, and draws places in it.
#include "engine/optimise/domain.h"

#include "base/math/detmath.h"
#include "base/math/random.h"

#include <math.h>

static void sort_descending(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] > x[j - 1]; j--) {
            const double kept = x[j];
            x[j] = x[j - 1];
            x[j - 1] = kept;
        }
}

static void project(double *w, int n)
{
    double sorted[PPS_MOST_COORDINATES], sum = 0, shift = 0;
    for (int i = 0; i < n; i++)
        sorted[i] = w[i];
    sort_descending(sorted, n);
    for (int i = 0; i < n; i++) {
        sum += sorted[i];
        if (sorted[i] - (sum - 1) / (i + 1) > 0)
            shift = (sum - 1) / (i + 1);
    }
    for (int i = 0; i < n; i++)
        w[i] = fmax(w[i] - shift, 0);
}

void pps_domain_repair(const struct pps_domain *domain, double *x)
{
    for (int i = 0; i < domain->n_box; i++)
        x[i] = fmin(fmax(x[i], 0), 1);
    if (domain->n_weights > 0)
        project(x + domain->n_box, domain->n_weights);
}

void pps_domain_middle(const struct pps_domain *domain, double *x)
{
    for (int i = 0; i < pps_domain_size(domain); i++)
        x[i] = i < domain->n_box ? 0.5 : 1. / domain->n_weights;
}

void pps_domain_draw(const struct pps_domain *domain, uint64_t seed, uint64_t k, double *x)
{
    double sum = 0;
    for (int i = 0; i < pps_domain_size(domain); i++) {
        const uint64_t bits = pps_random_53(seed, k, PPS_FOR_START + (uint32_t)i);
        x[i] = ((double)bits + 0.5) * 0x1p-53;
        if (i >= domain->n_box)
            sum += x[i] = -detmath_log(x[i]);
    }
    for (int i = domain->n_box; i < pps_domain_size(domain); i++)
        x[i] /= sum;
}
