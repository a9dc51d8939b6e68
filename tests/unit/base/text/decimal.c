// SPDX-License-Identifier: Apache-2.0
// Doubles to text, compared with printf and strtod.
#include "base/text/decimal.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Returns a finite double with a random bit pattern.
static double random_finite(struct random *state)
{
    for (;;) {
        double value = from_bits(random_bits(state));
        if (isfinite(value))
            return value;
    }
}

static void same_as_printf(double value, int decimals)
{
    char ours[PPS_DECIMAL_CAP + 1], theirs[PPS_DECIMAL_CAP + 1];
    size_t n = pps_decimal_fixed(ours, value, decimals);
    ours[n] = '\0';
    snprintf(theirs, sizeof theirs, "%.*f", decimals, value);
    if (strcmp(ours, theirs) != 0)
        cr_assert(false, "%a with %d decimals: %s, printf says %s", value, decimals, ours,
                  theirs);
}

static void same_all_decimals(double value)
{
    for (int decimals = 0; decimals <= PPS_MAX_DIGITS; decimals++) {
        same_as_printf(value, decimals);
        same_as_printf(-value, decimals);
    }
}

// Catches a wrong shift, a wrong sign, or a wrong limit between the exact path and printf's.
Test(decimal, any_bit_pattern)
{
    struct random state = {1};
    for (int i = 0; i < n_cases(400000); i++)
        same_as_printf(random_finite(&state),
                       (int)(random_bits(&state) % (PPS_MAX_DIGITS + 1)));
}

// Magnitudes of typical results, where every digit of the fraction matters.
Test(decimal, usual_magnitudes)
{
    struct random state = {2};
    for (int i = 0; i < n_cases(3000000); i++) {
        uint64_t r = random_bits(&state);
        double value = ldexp((double)(r >> 11), -60 + (int)(r & 31));
        same_as_printf(value, i % 4 == 0 ? (int)(r >> 5 & 15) : 4);
    }
}

// Sums over a grid of 0.05, like simulated times: one ulp from short decimals.
Test(decimal, sums_of_a_grid)
{
    struct random state = {3};
    for (int i = 0; i < n_cases(2000000); i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += 0.05 * (double)(random_bits(&state) % 4000);
        same_as_printf(sum, 4);
        same_as_printf(sum, 1);
    }
}

// Exact ties and their neighbours. Rounding half up, or rounding a product before the
// comparison, gives another last digit.
Test(decimal, ties)
{
    struct random state = {4};
    for (int i = 0; i < n_cases(200000); i++) {
        int decimals = (int)(random_bits(&state) % 10);
        double tie = (double)(random_bits(&state) % 2000000 * 2 + 1) / ldexp(1.0, decimals + 1);
        same_as_printf(tie, decimals);
        same_as_printf(nextafter(tie, 0), decimals);
        same_as_printf(nextafter(tie, INFINITY), decimals);
    }
}

// Every group of four digits in either half of eight. Catches a factor that is not close enough
// to 1/100 or 1/10.
Test(decimal, eight_digits)
{
    for (int four = 0; four < 10000; four++) {
        same_as_printf(four, 4);
        same_as_printf(four / 1e4, 4);
        same_as_printf(four * 1e4 + 9999 - four, 0);
        same_as_printf(four / 1e7, 7);
    }
}

// Carries (9.99...), numbers near 2^53, 2^63 and 2^64, denormals, zeros of both signs.
Test(decimal, edges)
{
    static const double values[] = {0.0,
                                    0.5,
                                    1.5,
                                    2.5,
                                    0.05,
                                    0.99995,
                                    9.99995,
                                    9.99999999999999,
                                    99.5,
                                    999999.99995,
                                    1e15,
                                    1e16,
                                    1e17,
                                    1e18,
                                    1e19,
                                    1e20,
                                    1e22,
                                    1e23,
                                    1e300,
                                    1.7976931348623157e308,
                                    2.2250738585072014e-308,
                                    4.9406564584124654e-324,
                                    1e-17,
                                    5e-18,
                                    5.000000000000001e-18,
                                    1e-18,
                                    1e-4,
                                    5e-5};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        same_all_decimals(values[i]);
        same_all_decimals(nextafter(values[i], 0));
        same_all_decimals(nextafter(values[i], INFINITY));
    }
    for (int e = -1074; e < 1024; e++) {
        same_all_decimals(ldexp(1.0, e));
        same_all_decimals(nextafter(ldexp(1.0, e), 0));
    }
}

// Catches a limit on digits: whole numbers have up to 16 digits.
Test(decimal, integers)
{
    struct random state = {5};
    for (int i = 0; i < n_cases(300000); i++) {
        char ours[32], theirs[32];
        double value = (double)(int64_t)(random_bits(&state) >> (11 + i % 53));
        if (i % 2 == 1)
            value = -value;
        size_t n = pps_decimal_integer(ours, value);
        ours[n] = '\0';
        snprintf(theirs, sizeof theirs, "%.0f", value);
        cr_assert(n <= 17 && strcmp(ours, theirs) == 0, "%s, printf says %s", ours, theirs);
    }
}

// Writes the fewest of 1 ... 17 digits with which %.*g reads back.
static void shortest_by_printf(char *out, size_t cap, double value)
{
    for (int digits = fabs(value) < 2.3e-308 ? 1 : 15; digits <= 17; digits++) {
        snprintf(out, cap, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

static void same_as_shortest(double value)
{
    char ours[64], theirs[64];
    size_t n = pps_decimal_full(ours, value);
    cr_assert(n <= 32);
    ours[n] = '\0';
    shortest_by_printf(theirs, sizeof theirs, value);
    if (strcmp(ours, theirs) != 0)
        cr_assert(false, "%a: %s, printf says %s", value, ours, theirs);
}

// Catches text that reads back as a neighbouring double, has too many digits, or has another
// form.
Test(decimal, full_reads_back)
{
    struct random state = {6};
    for (int i = 0; i < n_cases(150000); i++) {
        uint64_t r = random_bits(&state);
        same_as_shortest(random_finite(&state));
        same_as_shortest(ldexp((double)(r >> 11), -80 + (int)(r & 63)));
        same_as_shortest((double)(r >> 40) / 1000.0);
        same_as_shortest((double)(r >> 44) * 0.05);
    }
    for (int e = -1074; e < 1024; e++) {
        same_as_shortest(ldexp(1.0, e));
        same_as_shortest(-nextafter(ldexp(1.0, e), 0));
    }
}

Test(decimal, full_by_hand)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {0.3, "0.3"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {100.0, "100"},
                 {1e14, "100000000000000"},
                 {1e15, "1e+15"},
                 {-2.5, "-2.5"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {1.0 / 3.0, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        text[pps_decimal_write(text, cases[i].value, PPS_FULL_DIGITS)] = '\0';
        cr_assert_str_eq(text, cases[i].text, "%a", cases[i].value);
    }
}

// Catches accumulated rounding errors in the text, a missing ".0", a second form of exponents.
Test(decimal, meant_by_hand)
{
    static const struct {
        double value;
        int real;
        const char *text;
    } cases[] = {{1.0, 1, "1.0"},
                 {1.0, 0, "1"},
                 {8.0, 0, "8"},
                 {0.1 + 0.2, 1, "0.3"},
                 {0.1 + 0.7, 1, "0.8"},
                 {-0.0, 1, "0.0"},
                 {-0.0, 0, "0"},
                 {0.5, 0, "0.5"},
                 {1e-9, 1, "1e-09"},
                 {1e15, 1, "1e+15"},
                 {123456789012345.0, 1, "123456789012345.0"},
                 {9007199254740991.0, 0, "9.00719925474099e+15"},
                 {99999999999999.97, 1, "100000000000000.0"},
                 {999999999999999.9, 1, "1e+15"},
                 {0.00009999999999999999, 1, "0.0001"},
                 {1.0 / 3.0, 1, "0.333333333333333"},
                 {-2.0 / 3.0, 1, "-0.666666666666667"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        text[pps_decimal_meant(text, cases[i].value, cases[i].real)] = '\0';
        cr_assert_str_eq(text, cases[i].text, "%a", cases[i].value);
    }
}

static void same_as_15_digits(double value, int real)
{
    char ours[64], theirs[64];
    size_t n = pps_decimal_meant(ours, value, real);
    cr_assert(n <= 24);
    ours[n] = '\0';
    snprintf(theirs, sizeof theirs, "%.15g", value == 0 ? 0.0 : value);
    if (real && strpbrk(theirs, ".e") == NULL)
        strcat(theirs, ".0");
    if (strcmp(ours, theirs) != 0)
        cr_assert(false, "%a: %s, printf says %s", value, ours, theirs);
}

// Catches a fast path whose fifteenth digit differs from the correctly rounded one.
Test(decimal, meant_is_15_digits)
{
    struct random state = {7};
    for (int i = 0; i < n_cases(300000); i++) {
        uint64_t r = random_bits(&state);
        same_as_15_digits(random_finite(&state), i & 1);
        same_as_15_digits(ldexp((double)(r >> 11), -80 + (int)(r & 63)), i & 1);
        same_as_15_digits((double)(r >> 50) * 0.1, i & 1);
        same_as_15_digits(nextafter(pow(10.0, (int)(r % 40) - 20), (double)(i & 1) * 1e30), 1);
    }
}
