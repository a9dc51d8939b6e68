// SPDX-License-Identifier: Apache-2.0
// Optimisers on functions whose minimum is known.
#include "base/math/random.h"
#include "engine/optimise/cma_es.h"
#include "engine/optimise/pattern_search.h"
#include "engine/optimise/search_space.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double function(const double *x, int n);

static struct pps_domain domain_of(int n_box, int n_weights)
{
    struct pps_domain domain = {.n_box = n_box, .n_weights = n_weights};
    for (int i = 0; i < PPS_MOST_COORDINATES; i++)
        domain.grain[i] = 1e-6;
    return domain;
}

static double uniform(uint64_t k, uint32_t i)
{
    return (double)pps_random_53(11, k, i) * 0x1p-53;
}

// ---- domains --------------------------------------------------------------------------------------

// The projection is the nearest place: no other weights are nearer.
Test(optimisers, projection_is_nearest)
{
    const struct pps_domain domain = domain_of(0, 3);
    for (uint64_t k = 0; k < 200; k++) {
        double x[3], y[3], nearest = 0;
        for (uint32_t i = 0; i < 3; i++)
            x[i] = y[i] = 4 * uniform(k, i) - 2;
        pps_domain_repair(&domain, y);
        cr_assert_float_eq(y[0] + y[1] + y[2], 1, 1e-12);
        for (int i = 0; i < 3; i++)
            nearest += (x[i] - y[i]) * (x[i] - y[i]);
        for (int a = 0; a <= 20; a++)
            for (int b = 0; b <= 20 - a; b++) {
                const double other[] = {a / 20., b / 20., (20 - a - b) / 20.};
                double distance = 0;
                for (int i = 0; i < 3; i++)
                    distance += (x[i] - other[i]) * (x[i] - other[i]);
                cr_assert(distance >= nearest - 1e-12);
            }
    }
}

Test(optimisers, numbers_stay_in_the_box)
{
    const struct pps_domain domain = domain_of(2, 0);
    double x[] = {-0.5, 1.5};
    pps_domain_repair(&domain, x);
    cr_assert(x[0] == 0 && x[1] == 1);
}

// ---- eigenvalues ----------------------------------------------------------------------------------

Test(optimisers, eigenvectors)
{
    enum { N = 7 };
    double a[N * N], copy[N * N], values[N], vectors[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a[i * N + j] = a[j * N + i] = uniform((uint64_t)i, (uint32_t)j) - 0.5;
    memcpy(copy, a, sizeof a);
    pps_eigen(copy, N, values, vectors);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            double product = 0, length = 0;
            for (int j = 0; j < N; j++) {
                product += a[i * N + j] * vectors[j * N + k];
                length += vectors[j * N + k] * vectors[j * N + k];
            }
            cr_assert_float_eq(product, values[k] * vectors[i * N + k], 1e-12);
            cr_assert_float_eq(length, 1, 1e-12);
        }
}

// ---- searches -------------------------------------------------------------------------------------

static double bowl(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i + 1) * (x[i] - 0.3) * (x[i] - 0.3);
    return sum;
}

// Lowest where the weights are 0.6, 0.4 and 0.
static double far_weights(const double *x, int n)
{
    (void)n;
    return (x[0] - 0.8) * (x[0] - 0.8) + (x[1] - 0.6) * (x[1] - 0.6) +
           (x[2] + 0.2) * (x[2] + 0.2);
}

// Rosenbrock's valley on [-2, 2]; 0 at 1.
static double valley(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i + 1 < n; i++) {
        const double a = 4 * x[i] - 2, b = 4 * x[i + 1] - 2;
        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return sum;
}

static size_t search_pattern(function *f, const struct pps_domain *domain, double *x,
                             double *value)
{
    struct pps_pattern pattern;
    const int n = pps_domain_size(domain);
    double points[32 * PPS_MOST_COORDINATES], values[32];
    size_t evaluations = 0, k;
    pps_pattern_begin(&pattern, domain, x, f(x, n), 0.25);
    while ((k = pps_pattern_size(&pattern)) > 0) {
        pps_pattern_ask(&pattern, points);
        for (size_t i = 0; i < k; i++)
            values[i] = f(points + i * (size_t)n, n);
        pps_pattern_tell(&pattern, points, values);
        evaluations += k;
    }
    memcpy(x, pattern.centre, (size_t)n * sizeof *x);
    *value = pattern.value;
    return evaluations;
}

Test(optimisers, pattern_search_of_a_bowl)
{
    const struct pps_domain domain = domain_of(4, 0);
    double x[] = {1, 0, 0.9, 0.1}, value;
    const size_t evaluations = search_pattern(bowl, &domain, x, &value);
    cr_assert(value < 1e-10 && evaluations < 1000, "%g after %zu", value, evaluations);
}

Test(optimisers, pattern_search_of_weights)
{
    const struct pps_domain domain = domain_of(0, 3);
    double x[] = {1 / 3., 1 / 3., 1 / 3.}, value;
    search_pattern(far_weights, &domain, x, &value);
    cr_assert(fabs(x[0] - 0.6) < 1e-4 && fabs(x[1] - 0.4) < 1e-4 && x[2] < 1e-4, "%g %g %g",
              x[0], x[1], x[2]);
}

// Catches a search that never ends where all values are equal.
static double flat(const double *x, int n)
{
    (void)x;
    (void)n;
    return 1;
}

Test(optimisers, pattern_search_of_a_plain)
{
    const struct pps_domain domain = domain_of(2, 3);
    double x[] = {0.5, 0.5, 1 / 3., 1 / 3., 1 / 3.}, value;
    cr_assert(search_pattern(flat, &domain, x, &value) < 1000);
    cr_assert_eq(x[0], 0.5);
}

static size_t search_cma(function *f, const struct pps_domain *domain, uint64_t seed,
                         double *best)
{
    struct pps_cma *cma = malloc(sizeof *cma);
    const int n = pps_domain_size(domain);
    double x[PPS_MOST_COORDINATES], *points, values[PPS_MOST_OFFSPRING];
    size_t evaluations = 0;
    for (int i = 0; i < n; i++)
        x[i] = i < domain->n_box ? 0.2 : 1. / domain->n_weights;
    pps_cma_begin(cma, domain, x, 0.3, 2 * pps_cma_lambda(n), seed);
    points = malloc((size_t)(cma->lambda * n) * sizeof *points);
    while (!pps_cma_has_ended(cma)) {
        pps_cma_ask(cma, points);
        for (int k = 0; k < cma->lambda; k++)
            values[k] = f(points + k * n, n);
        pps_cma_tell(cma, points, values);
        evaluations += (size_t)cma->lambda;
    }
    *best = cma->best;
    free(points);
    free(cma);
    return evaluations;
}

Test(optimisers, cma_es_of_a_valley)
{
    const struct pps_domain domain = domain_of(5, 0);
    for (uint64_t seed = 0; seed < 5; seed++) {
        double best;
        const size_t evaluations = search_cma(valley, &domain, seed, &best);
        cr_assert((best < 1e-6 || fabs(best - 3.93) < 0.01) && evaluations < 20000,
                  "seed %d: %g after %zu", (int)seed, best, evaluations);
    }
}

Test(optimisers, cma_es_of_weights)
{
    const struct pps_domain domain = domain_of(0, 3);
    double best;
    search_cma(far_weights, &domain, 1, &best);
    cr_assert_float_eq(best, 3 * 0.04, 1e-6, "%.9g", best);
}

Test(optimisers, cma_es_of_a_plain_ends)
{
    const struct pps_domain domain = domain_of(3, 0);
    double best;
    cr_assert(search_cma(flat, &domain, 1, &best) < 100);
}
