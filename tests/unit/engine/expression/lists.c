// SPDX-License-Identifier: Apache-2.0
// Lists of values: ranges and divisors.
#include "tests/unit/support/engine/expressions.h"

#include "base/text/decimal.h"

#include <criterion/criterion.h>
#include <stdio.h>

// Writes the first eight values as text, "0.1 0.2", then the count if there are more.
static void list_text(const char *text, char *out, size_t cap)
{
    struct pps_expr *expr = good_expression(text);
    struct pps_expr_list list;
    size_t n = 0;
    pps_expr_list(expr, expression_point, &list);
    for (uint64_t i = 0; i < list.n && i < 12; i++) {
        if (i > 0)
            out[n++] = ' ';
        n += pps_decimal_full(out + n, pps_expr_item(&list, i));
    }
    out[n] = '\0';
    if (list.n > 12)
        snprintf(out + n, cap - n, " ... %llu", (unsigned long long)list.n);
    pps_expr_free(expr);
}

Test(expr, lists)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"n", "8"},
        {"1/0", ""},
        {"0.1+0.2", "0.3"},
        {"-0*n", "0"},
        {"1..5", "1 2 3 4 5"},
        {"1 .. n-1", "1 2 3 4 5 6 7"},
        {"n..1", ""},
        {"n..n", "8"},
        {"1..2.5", "1 2"},
        {"0..1 step 0.1", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"},
        {"0.1..0.7 step 0.1", "0.1 0.2 0.3 0.4 0.5 0.6 0.7"},
        {"1..2 step 1/3", "1 1.33333333333333 1.66666666666667 2"},
        {"0..1e-9 step 2.5e-10", "0 2.5e-10 5e-10 7.5e-10 1e-09"},
        {"-1..1 step 0.5", "-1 -0.5 0 0.5 1"},
        {"1..9 step 0", ""},
        {"1..9 step -1", ""},
        {"1..9 step 1/0", ""},
        {"1..1/0", ""},
        {"1/0..9", ""},
        {"bwd_prio..9", ""},
        {"1..n step sync_freq", "1 3 5 7"},
        {"0..100000 step 0.1", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.1 ... 1000001"},
        {"1..9e15 step 1e-3",
         "1 1.001 1.002 1.003 1.004 1.005 1.006 1.007 1.008 1.009 1.01 1.011 ... "
         "9007199254740991"},
        {"0..1 step 1e-308", "0 1e-308 2e-308 3e-308 4e-308 5e-308 6e-308 7e-308 8e-308 9e-308 "
                             "1e-307 1.1e-307 ... 9007199254740991"},
        {"-1e308..1e308", ""}, // its length is not finite
        {"1.7976931348623157e308", "1.7976931348623157e+308"},
        {"divisors(1)", "1"},
        {"divisors(12)", "1 2 3 4 6 12"},
        {"divisors(36)", "1 2 3 4 6 9 12 18 36"},
        {"divisors(n*2)", "1 2 4 8 16"},
        {"divisors(97)", "1 97"},
        {"divisors(999999999989)", "1 999999999989"},
        {"divisors(1e12)", "1 2 4 5 8 10 16 20 25 32 40 50 ... 169"},
        {"divisors(1e12+1)", ""},
        {"divisors(0)", ""},
        {"divisors(-4)", ""},
        {"divisors(2.5)", ""},
        {"divisors(1/0)", ""},
        {"!overlap", "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[512];
        list_text(rows[i].text, got, sizeof got);
        cr_assert_str_eq(got, rows[i].wanted, "%s gives %s", rows[i].text, got);
    }
}
