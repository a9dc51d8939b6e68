// SPDX-License-Identifier: Apache-2.0
// Normal numbers, and the functions that compute them with equal bits on every machine.
#include "base/math/normal.h"
#include "base/math/detmath.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const uint32_t key[2] = {42, 7};

static bool is_near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

// Inverse at (k + 0.5) / 2^53, by mpmath with 50 digits: -sqrt(2) * erfinv(1 - 2 (k + 1/2) / 2^53).
// Catches a wrong coefficient of the middle or of either tail, and digits lost near 0 and near 1.
Test(normal, inverse_has_the_values_of_arbitrary_precision)
{
    static const struct {
        uint64_t k;
        double z;
    } known[] = {
        {0, -8.2923610758135955382},
        {1, -8.1607078408585831755},
        {12345, -6.9903889687210712374},
        {1048576, -6.3379576810666337199},
        {1073741831, -5.1665781184226192148},
        {1099511627779, -3.6683292851205089892},
        {35184372088832, -2.6600674686174548723},
        {70368744177663, -2.4175590162365076477},
        {70368744177664, -2.417559016236502476},
        {70368744177665, -2.4175590162364973042},
        {140737488355339, -2.1538746940614236606},
        {562949953421317, -1.5341205443525413466},
        {1125899906842624, -1.1503493803760079086},
        {2251799813685248, -0.67448975019608156852},
        {3377699720527873, -0.31863936396437472385},
        {4503599627369496, -0.00000000000027815249664594310388},
        {4503599627370495, -0.00000000000000013914582123358834611},
        {4503599627370496, 0.00000000000000013914582123358834611},
        {6755399441055744, 0.67448975019608191789},
        {8936830510563328, 2.4175590162365076477},
        {8936830510563327, 2.417559016236502476},
        {9006099743113216, 3.6683292851214393092},
        {9007199254740991, 8.2923610758135955382},
        {5126933103096309, 0.17434776288522850618},
        {568416432208836, -1.5292043114015283641},
        {6854138572100987, 0.70940125584343528746},
        {3419269212589083, -0.30649172229128330772},
    };
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double z = normal_inverse(known[i].k);
        cr_assert(is_near(z, known[i].z, 1e-11), "%llu: %.17g, expected %.17g",
                  (unsigned long long)known[i].k, z, known[i].z);
        cr_assert_eq(normal_inverse(most - known[i].k), -z);
    }
}

// The distribution function of the result is the argument, at numbers evenly spread and in both tails.
// Catches an error between the known values.
Test(normal, inverse_agrees_with_the_error_function)
{
    for (int i = 1; i < 20000; i++) {
        const double u = i < 10000 ? i / 20000.0 : exp2(-(i - 9999) * 0.005);
        const double t = floor(u * 0x1p53) + 0.5,
                     z = normal_inverse((uint64_t)floor(u * 0x1p53));
        // d ln u / d ln z is at most z^2 + 1 in the tail
        cr_assert(is_near(0.5 * erfc(-z / sqrt(2)), t * 0x1p-53, 1e-11 * (z * z + 1)),
                  "%.17g: %.17g", u, z);
    }
}

static bool is_equal(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// All implementations give the bits of the scalar functions, also where counters wrap. Catches an
// operation in another order, a contracted multiplication, a tail that is not filled.
Test(normal, rows_have_the_bits_of_single_numbers)
{
    enum { N = 40 };
    double draw[N * NORMAL_LANES], uniform[N * NORMAL_LANES], exponential[N * NORMAL_LANES];
    for (int set = 0; set < NORMAL_SETS; set++) {
        const struct normal_rows *rows = normal_rows_of((enum normal_set)set);
        if (rows == NULL)
            continue;
        for (uint32_t k = 0; k < 300; k++) {
            const uint32_t counter[4] = {0xffffffe0u + k, k << 20, 0xffffffd8u + 3 * k, k % 5};
            rows->draw(counter, key, N, draw);
            rows->uniform(counter, key, N, uniform);
            for (int i = 0; i < N * NORMAL_LANES; i++)
                exponential[i] = draw[i] * (i % 2 ? 1 : 250);
            rows->exp(N, exponential);
            for (uint32_t i = 0; i < N * NORMAL_LANES; i++) {
                const uint32_t c[4] = {counter[0] + i % NORMAL_LANES, counter[1],
                                       counter[2] + i / NORMAL_LANES, counter[3]};
                cr_assert(is_equal(draw[i], normal_draw(c, key)), "set %d, %u.%u", set, k, i);
                cr_assert(is_equal(uniform[i], normal_uniform(c, key)), "set %d, %u.%u", set, k,
                          i);
                cr_assert(is_equal(exponential[i], detmath_exp(draw[i] * (i % 2 ? 1 : 250))),
                          "set %d, %u.%u", set, k, i);
            }
        }
    }
}

// Mean, variance, skewness and kurtosis of a million numbers, and the correlation of numbers whose counters
// differ by one in one word. The bounds are five standard errors. Catches counters that are mixed badly.
Test(normal, numbers_are_normal_and_neighbours_independent)
{
    enum { ROWS = 1 << 17, N = ROWS * NORMAL_LANES, CHUNK = 1 << 10 };
    static double z[CHUNK * NORMAL_LANES], next[3][CHUNK * NORMAL_LANES];
    double power[5] = {0}, product[4] = {0};
    for (uint32_t at = 0; at < ROWS; at += CHUNK) {
        const uint32_t counter[4] = {5, 1u << 24, at, 0};
        normal_rows()->draw(counter, key, CHUNK, z);
        for (int word = 0; word < 3; word++) {
            uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
            c[word == 0 ? 1 : word + 1]++;
            normal_rows()->draw(c, key, CHUNK, next[word]);
        }
        for (int i = 0; i < CHUNK * NORMAL_LANES; i++) {
            double p = 1;
            for (int k = 0; k < 5; k++, p *= z[i])
                power[k] += p;
            for (int word = 0; word < 3; word++)
                product[word] += z[i] * next[word][i];
            product[3] += i % NORMAL_LANES > 0 ? z[i] * z[i - 1] : 0;
        }
    }
    const double error = 5 / sqrt(N);
    cr_assert_eq(power[0], N);
    cr_assert(fabs(power[1] / N) < error, "mean %g", power[1] / N);
    cr_assert(fabs(power[2] / N - 1) < error * sqrt(2), "variance %g", power[2] / N);
    cr_assert(fabs(power[3] / N) < error * sqrt(15), "skewness %g", power[3] / N);
    cr_assert(fabs(power[4] / N - 3) < error * sqrt(96), "kurtosis %g", power[4] / N);
    for (int word = 0; word < 4; word++)
        cr_assert(fabs(product[word] / N) < error, "word %d: %g", word, product[word] / N);
}

// Catches lost digits near 0 and a wrong scale at the ends of the range.
Test(detmath, exponential_is_within_its_error)
{
    for (int i = -300000; i < 300000; i++) {
        const double x = i * 0.002363, e = detmath_exp(x);
        cr_assert((double)fabsl(e - expl(x)) <= 2.5e-16 * e + 0x1p-1074, "exp(%.17g) = %.17g",
                  x, e);
    }
    cr_assert_eq(detmath_exp(0), 1);
    cr_assert_eq(detmath_exp(-0.0), 1);
    cr_assert_eq(detmath_exp(709.79), HUGE_VAL);
    cr_assert_eq(detmath_exp(HUGE_VAL), HUGE_VAL);
    cr_assert_eq(detmath_exp(-745.2), 0);
    cr_assert_eq(detmath_exp(-HUGE_VAL), 0);
    cr_assert(isnan(detmath_exp(NAN)));
}

// The same bits on every machine. Expected numbers: the same formulas in Python, whose floats are IEEE
// doubles. Catches a compiler or a processor that rounds otherwise, and a contracted multiplication.
Test(detmath, bits_are_those_of_every_machine)
{
    const uint32_t counter[4] = {3, 1u << 24 | 5, 17, 0};
    double sum = 0;
    for (int i = 0; i < 4000; i++)
        sum += detmath_exp(i * 0.001 - 3) + normal_inverse((uint64_t)i * 2251799813685u);
    cr_assert_eq(sum, 0x1.4c5bc9b849c86p+11, "%a", sum);
    cr_assert_eq(normal_draw(counter, key), 0x1.4448433dc3e5cp-1);
}
