// SPDX-License-Identifier: Apache-2.0
// Dense layers: the implementation for this processor against that for every processor, and the tangent
// against the scalar one.
#include "base/math/dense.h"
#include "base/math/detmath.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { IN_MAX = 50, OUT_MAX = 40 };

static void fill(struct draws *d, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (draws_below(d, 20001) - 10000) * 1.234567e-4;
}

// Catches a sum in another order, and a product that is fused with an addition.
Test(dense, all_processors_have_the_same_bits)
{
    const struct dense *set[] = {dense_portable(), dense_fastest()};
    for (uint64_t k = 0; k < 300; k++) {
        struct draws d = {51, k, 0};
        const int in = 1 + draws_below(&d, IN_MAX),
                  out = 8 * (1 + draws_below(&d, OUT_MAX / 8));
        double x[IN_MAX], weight[IN_MAX * OUT_MAX], y[2][OUT_MAX], dweight[2][IN_MAX * OUT_MAX],
            dx[2][IN_MAX];
        fill(&d, x, in);
        fill(&d, weight, in * out);
        fill(&d, y[0], out);
        fill(&d, dweight[0], in * out);
        fill(&d, dx[0], in);
        memcpy(y[1], y[0], sizeof y[0]);
        memcpy(dweight[1], dweight[0], sizeof dweight[0]);
        memcpy(dx[1], dx[0], sizeof dx[0]);
        for (int s = 0; s < 2; s++) {
            set[s]->forward(in, out, x, weight, y[s]);
            set[s]->weights(in, out, x, y[s], dweight[s]);
            set[s]->inputs(in, out, weight, y[s], dx[s]);
        }
        cr_assert(memcmp(y[0], y[1], (size_t)out * sizeof(double)) == 0);
        cr_assert(memcmp(dweight[0], dweight[1], (size_t)(in * out) * sizeof(double)) == 0);
        cr_assert(memcmp(dx[0], dx[1], (size_t)in * sizeof(double)) == 0);
    }
}

Test(dense, adam_has_the_same_bits_and_goes_downhill)
{
    double gradient[16], parameter[2][16] = {{0}}, first[2][16] = {{0}}, second[2][16] = {{0}};
    for (int step = 1; step <= 2000; step++) {
        for (int i = 0; i < 16; i++) // of the sum of (p - i)^2
            gradient[i] = 2 * (parameter[0][i] - i);
        dense_portable()->adam(16, gradient, 1, 0.05, first[0], second[0], parameter[0]);
        dense_fastest()->adam(16, gradient, 1, 0.05, first[1], second[1], parameter[1]);
    }
    for (int i = 0; i < 16; i++)
        cr_assert(fabs(parameter[0][i] - i) < 0.05, "%g, not %d", parameter[0][i], i);
    cr_assert(memcmp(parameter[0], parameter[1], sizeof parameter[0]) == 0);
}

Test(dense, tangent)
{
    double x[] = {0,   1e-9, -1e-9, 0.3,   -0.3,   2, -2, 20,
                  -20, 400,  -400,  1e300, -1e300, 5, -5, 1};
    double y[16];
    memcpy(y, x, sizeof x);
    dense_tanh(16, y);
    for (int i = 0; i < 16; i++)
        cr_assert(fabs(y[i] - tanh(x[i])) <= 1e-15, "%g: %.17g", x[i], y[i]);
}
