// SPDX-License-Identifier: Apache-2.0
// Estimates of sensitivity against functions whose indices are known exactly.
#include "engine/sensitivity/indices.h"
#include "base/math/random.h"
#include "base/math/sobol.h"
#include "base/math/statistics.h"
#include "engine/sensitivity/estimate.h"
#include "engine/sensitivity/grid_effects.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 8, N = 8192 };

typedef double function(const double *u); // of numbers in [0, 1)

#define PI 3.14159265358979323846

// Ishigami and Homma (1990), a = 7, b = 0.1.
static double ishigami(const double *u)
{
    const double x = PI * (2 * u[0] - 1), y = PI * (2 * u[1] - 1), z = PI * (2 * u[2] - 1);
    return sin(x) + 7 * sin(y) * sin(y) + 0.1 * z * z * z * z * sin(x);
}

// Sobol' g function with these a.
static const double g_a[] = {0, 1, 4.5, 9, 99, 99, 99, 99};

static double g(const double *u)
{
    double product = 1;
    for (int i = 0; i < 8; i++)
        product *= (fabs(4 * u[i] - 2) + g_a[i]) / (1 + g_a[i]);
    return product;
}

// The results of the groups of a saltelli design.
static double *draw(function *f, int d, size_t n)
{
    static struct pps_sobol sobol;
    pps_sobol_init(&sobol);
    pps_sobol_scramble(&sobol, 7, 1);
    double *y = malloc(n * ((size_t)d + 2) * sizeof *y);
    for (size_t j = 0; j < n; j++) {
        double a[MOST], b[MOST];
        for (int i = 0; i < d; i++) {
            a[i] = (double)pps_sobol_at(&sobol, j, i) * 0x1p-53;
            b[i] = (double)pps_sobol_at(&sobol, j, d + i) * 0x1p-53;
        }
        double *group = y + j * ((size_t)d + 2);
        group[0] = f(a);
        group[1] = f(b);
        for (int i = 0; i < d; i++) {
            const double kept = a[i];
            a[i] = b[i];
            group[2 + i] = f(a);
            a[i] = kept;
        }
    }
    return y;
}

static void check_sobol(function *f, int d, const double *first, const double *total)
{
    double *y = draw(f, d, N);
    const struct pps_sobol_sample sample = {y, N, d};
    const struct pps_statistic statistic = {&sample, pps_sobol_indices, N, 2 * d};
    const struct pps_bootstrap how = {.seed = 1, .resamples = 100, .threads = 2};
    struct pps_estimate found[2 * MOST];
    struct pps_error err;
    cr_assert_eq(pps_bootstrap(&how, &statistic, found, &err), PPS_OK);
    for (int i = 0; i < d; i++) {
        cr_assert_float_eq(found[i].value, first[i], 0.01, "first %d: %g, not %g", i,
                           found[i].value, first[i]);
        cr_assert_float_eq(found[d + i].value, total[i], 0.01, "total %d: %g, not %g", i,
                           found[d + i].value, total[i]);
        cr_assert(found[i].half < 0.06 && found[d + i].half < 0.06);
        cr_assert(found[d + i].half > 0);
    }
    free(y);
}

// V_1 = (1 + b pi^4 / 5)^2 / 2, V_2 = a^2 / 8, V_13 = b^2 pi^8 (1/18 - 1/50).
Test(indices, ishigami)
{
    const double p4 = PI * PI * PI * PI, b = 0.1, a = 7;
    const double v1 = (1 + b * p4 / 5) * (1 + b * p4 / 5) / 2, v2 = a * a / 8;
    const double v13 = b * b * p4 * p4 * (1 / 18. - 1 / 50.), v = v1 + v2 + v13;
    const double first[] = {v1 / v, v2 / v, 0};
    const double total[] = {(v1 + v13) / v, v2 / v, v13 / v};
    check_sobol(ishigami, 3, first, total);
}

// V_i = 1 / (3 (1 + a_i)^2), 1 + V = product of 1 + V_i, V_Ti = V_i times the others' 1 + V_j.
Test(indices, g_function)
{
    double v = 1, first[8], total[8];
    for (int i = 0; i < 8; i++)
        v *= 1 + 1 / (3 * (1 + g_a[i]) * (1 + g_a[i]));
    for (int i = 0; i < 8; i++) {
        const double vi = 1 / (3 * (1 + g_a[i]) * (1 + g_a[i]));
        first[i] = vi / (v - 1);
        total[i] = vi * v / (1 + vi) / (v - 1);
    }
    check_sobol(g, 8, first, total);
}

// Catches intervals that depend on the number of threads.
Test(indices, intervals_do_not_depend_on_threads)
{
    double *y = draw(ishigami, 3, 512);
    const struct pps_sobol_sample sample = {y, 512, 3};
    const struct pps_statistic statistic = {&sample, pps_sobol_indices, 512, 6};
    struct pps_estimate one[6], four[6];
    struct pps_error err;
    const struct pps_bootstrap how[] = {{.seed = 3, .resamples = 50, .threads = 1},
                                        {.seed = 3, .resamples = 50, .threads = 4}};
    cr_assert_eq(pps_bootstrap(&how[0], &statistic, one, &err), PPS_OK);
    cr_assert_eq(pps_bootstrap(&how[1], &statistic, four, &err), PPS_OK);
    for (int i = 0; i < 6; i++)
        cr_assert(one[i].value == four[i].value && one[i].half == four[i].half);
    free(y);
}

// Catches intervals that are too narrow or too wide: about 95 % of them contain the exact index.
Test(indices, intervals_contain_the_exact_index)
{
    const double p4 = PI * PI * PI * PI;
    const double v1 = (1 + 0.1 * p4 / 5) * (1 + 0.1 * p4 / 5) / 2;
    const double v13 = 0.01 * p4 * p4 * (1 / 18. - 1 / 50.), v = v1 + 49 / 8. + v13;
    enum { REPEATS = 100, GROUPS = 500 };
    double y[GROUPS * 5];
    int inside = 0;
    for (uint64_t r = 0; r < REPEATS; r++) {
        for (uint64_t j = 0; j < GROUPS; j++) {
            double u[6];
            for (uint32_t i = 0; i < 6; i++)
                u[i] = (double)pps_random_53(r, j, i) * 0x1p-53;
            y[5 * j] = ishigami(u);
            y[5 * j + 1] = ishigami(u + 3);
            for (int i = 0; i < 3; i++) {
                double mixed[] = {u[0], u[1], u[2]};
                mixed[i] = u[3 + i];
                y[5 * j + 2 + (uint64_t)i] = ishigami(mixed);
            }
        }
        const struct pps_sobol_sample sample = {y, GROUPS, 3};
        const struct pps_statistic statistic = {&sample, pps_sobol_indices, GROUPS, 6};
        const struct pps_bootstrap how = {.seed = r, .resamples = 100, .threads = 2};
        struct pps_estimate found[6];
        struct pps_error err;
        cr_assert_eq(pps_bootstrap(&how, &statistic, found, &err), PPS_OK);
        inside += fabs(found[3].value - (v1 + v13) / v) <= found[3].half;
    }
    cr_assert(inside >= 88 && inside <= 100, "%d of %d", inside, REPEATS);
}

// ---- elementary effects ---------------------------------------------------------------------------

Test(indices, effects_of_known_numbers)
{
    const double effect[] = {1, -2, 3, -2, NAN, 4};
    const struct pps_effects_sample sample = {effect, 3, 2};
    const uint32_t once[] = {1, 1, 1};
    double values[2 * PPS_EFFECT_VALUES];
    pps_elementary_effects(&sample, once, values);
    cr_assert_float_eq(values[PPS_MU_STAR], 2, 1e-12);
    cr_assert_float_eq(values[PPS_MU], 2, 1e-12);
    cr_assert_float_eq(values[PPS_SIGMA], sqrt(2), 1e-12);
    cr_assert_float_eq(values[PPS_EFFECT_VALUES + PPS_MU_STAR], 8 / 3., 1e-12);
    cr_assert_float_eq(values[PPS_EFFECT_VALUES + PPS_MU], 0, 1e-12);
    cr_assert_float_eq(values[PPS_EFFECT_VALUES + PPS_SIGMA], sqrt(12), 1e-12);
}

// ---- grids ----------------------------------------------------------------------------------------

// y = a + b + a b over a, b in {-1, 1} and c in {0, 1, 2}, which does nothing: 1/3 each.
Test(indices, grid)
{
    double y[12];
    const uint32_t levels[] = {2, 3, 2};
    const struct pps_grid grid = {y, 3, levels};
    for (int a = 0; a < 2; a++)
        for (int c = 0; c < 3; c++)
            for (int b = 0; b < 2; b++) {
                const double u = 2 * a - 1, v = 2 * b - 1;
                y[(a * 3 + c) * 2 + b] = u + v + u * v;
            }
    const struct pps_moments all = pps_moments_of(y, 12);
    const double expected[3][2] = {{1 / 3., 2 / 3.}, {0, 0}, {1 / 3., 2 / 3.}};
    cr_assert_float_eq(all.variance, 3, 1e-12);
    for (int f = 0; f < 3; f++) {
        double first, total;
        pps_grid_indices(&grid, f, &all, &first, &total);
        cr_assert_float_eq(first, expected[f][0], 1e-12, "%d: %g", f, first);
        cr_assert_float_eq(total, expected[f][1], 1e-12, "%d: %g", f, total);
    }
}

// A fine grid of Ishigami's function has nearly the indices of the function.
Test(indices, grid_of_ishigami)
{
    enum { L = 40 };
    double *y = malloc(sizeof *y * L * L * L);
    const uint32_t levels[] = {L, L, L};
    const struct pps_grid grid = {y, 3, levels};
    for (int i = 0; i < L * L * L; i++) {
        const double u[] = {(i / L / L + 0.5) / L, (i / L % L + 0.5) / L, (i % L + 0.5) / L};
        y[i] = ishigami(u);
    }
    const struct pps_moments all = pps_moments_of(y, L * L * L);
    const double expected[3][2] = {{0.3139, 0.5576}, {0.4424, 0.4424}, {0, 0.2437}};
    for (int f = 0; f < 3; f++) {
        double first, total;
        pps_grid_indices(&grid, f, &all, &first, &total);
        cr_assert_float_eq(first, expected[f][0], 0.005, "%d: %g", f, first);
        cr_assert_float_eq(total, expected[f][1], 0.005, "%d: %g", f, total);
    }
    free(y);
}

// Rows without a value do not count.
Test(indices, grid_with_holes)
{
    const double y[] = {1, NAN, 3, 5};
    const uint32_t levels[] = {2, 2};
    const struct pps_grid grid = {y, 2, levels};
    const struct pps_moments all = pps_moments_of(y, 4);
    double first, total;
    cr_assert_eq(all.n, 3);
    cr_assert_float_eq(all.mean, 3, 1e-12);
    pps_grid_indices(&grid, 0, &all, &first, &total);
    cr_assert_float_eq(first, (4 + 2 * 1) / 8., 1e-12); // means 1 and 4
    cr_assert_float_eq(total, 2 / 8., 1e-12);           // only 1 and 3 share a line
}

// ---- samples without a design ---------------------------------------------------------------------

enum { LEVELS = 1000 };

// Draws n results of f of d numbers, and the class of number i of each.
static struct pps_given_data classes_of(function *f, int d, int i, size_t n, double *y,
                                        uint32_t *code)
{
    uint32_t class_of[LEVELS];
    uint64_t counts[LEVELS];
    for (size_t k = 0; k < n; k++) {
        double u[MOST];
        for (int j = 0; j < d; j++)
            u[j] = (double)pps_random_53(5, k, (uint32_t)j) * 0x1p-53;
        y[k] = f(u);
        code[k] = (uint32_t)(u[i] * LEVELS);
    }
    const uint32_t classes =
        pps_classes(code, n, LEVELS, pps_usual_classes(n), counts, class_of);
    cr_assert_eq(classes, pps_usual_classes(n));
    for (size_t k = 0; k < n; k++)
        code[k] = class_of[code[k]];
    return (struct pps_given_data){y, code, n, classes};
}

static struct pps_estimate first_of(function *f, int d, int i, size_t n)
{
    double *y = malloc(n * sizeof *y);
    uint32_t *code = malloc(n * sizeof *code);
    struct pps_estimate index;
    const struct pps_given_data data = classes_of(f, d, i, n, y, code);
    cr_assert(pps_first_order(&data, &index));
    free(y);
    free(code);
    return index;
}

Test(indices, classes_of_a_sample)
{
    const double first[] = {0.3139, 0.4424, 0};
    for (int i = 0; i < 3; i++) {
        const double found = first_of(ishigami, 3, i, 20000).value;
        cr_assert_float_eq(found, first[i], 0.02, "%d: %g", i, found);
    }
    // Catches the bias of the plain correlation ratio, which is (k - 1) / (n - 1) = 0.04 here.
    cr_assert_float_eq(first_of(ishigami, 3, 2, 200).value, 0, 0.04);
}

// The interval agrees with that of a bootstrap that draws the results again.
Test(indices, interval_of_a_sample)
{
    enum { SIZE = 2000, RESAMPLES = 400 };
    static double y[SIZE], again[SIZE];
    static uint32_t code[SIZE], code_again[SIZE];
    struct pps_estimate index, other;
    const struct pps_given_data data = classes_of(ishigami, 3, 0, SIZE, y, code);
    cr_assert(pps_first_order(&data, &index));
    double sum = 0, squares = 0;
    for (uint32_t r = 0; r < RESAMPLES; r++) {
        for (uint32_t k = 0; k < SIZE; k++) {
            const uint32_t from = statistics_resampled(1, r, k, SIZE);
            again[k] = y[from];
            code_again[k] = code[from];
        }
        const struct pps_given_data drawn = {again, code_again, SIZE, data.n_classes};
        cr_assert(pps_first_order(&drawn, &other));
        sum += other.value;
        squares += other.value * other.value;
    }
    const double mean = sum / RESAMPLES;
    const double half = PPS_Z975 * sqrt(squares / RESAMPLES - mean * mean);
    cr_assert_float_eq(index.half, half, 0.1 * half, "%g %g", index.half, half);
}
