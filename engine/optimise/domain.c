// SPDX-License-Identifier: Apache-2.0
// Projects coordinates on a domain.
#include "engine/optimise/domain.h"

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
