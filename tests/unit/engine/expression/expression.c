// SPDX-License-Identifier: Apache-2.0
// Expressions: precedence, names, errors with their places, and expressions without a value.
#include "tests/unit/support/engine/expressions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double value(const char *text, enum pps_expr_shape shape)
{
    struct pps_expr *expr = good_expression(text);
    double got = pps_expr_value(expr, expression_point);
    cr_assert_eq(pps_expr_shape(expr), shape, "%s", text);
    pps_expr_free(expr);
    return got;
}

struct value_row {
    const char *text;
    double wanted;
};

Test(expr, numbers)
{
    static const struct value_row rows[] = {
        {"1", 1},
        {" 1.5e1 ", 15},
        {"1E-2", 0.01},
        {"007", 7},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-4-3", 3},
        {"100/10/5", 2},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-1", 0.5},
        {"2^-1*4", 2},
        {"-2*-3", 6},
        {"--2", 2},
        {"1--1", 2},
        {"7%4", 3},
        {"-7%4", 1},
        {"7%-4", -1},
        {"8%4", 0},
        {"7.5%2", 1.5},
        {"7%0.5", 0},
        {"9007199254740991%10", 1},
        {"1e300%7", 1},
        {"7%1e300", 7},
        {"1+7%4*2", 7},
        {"0^0", 1},
        {"1.5^3", 3.375},
        {"min(3,2)", 2},
        {"min(3,1,2)", 1},
        {"max(n, sync_freq, 9)", 9},
        {"max(min(n,3),2)+1", 4},
        {"abs(-3)", 3},
        {"ceil(n/3)", 3},
        {"floor(-1.5)", -2},
        {"round(2.5)", 3},
        {"n", 8},
        {"n/sync_freq", 4},
        {"2*fwd_len", 1},
        {"fwd_prio", 3},
        {"fwd_prio*2", 6},
        {"n\n+\t1\r", 9},
        {"9007199254740991", 9007199254740991},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got = value(rows[i].text, PPS_EXPR_NUMBER);
        cr_assert_eq(got, rows[i].wanted, "%s gives %.17g", rows[i].text, got);
    }
}

Test(expr, no_value)
{
    static const char *const rows[] = {
        "1/0",         "0/0",         "-1/0",     "1/(1/0)",         "1%0",        "1e308*10",
        "2^2000",      "0^-1",        "bwd_prio", "bwd_prio+1",      "min(1/0,1)", "max(1,1/0)",
        "2^(fwd_len)", "1e308+1e308", "abs(1/0)", "round(bwd_prio)", "(1/0)^0",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got = value(rows[i], PPS_EXPR_NUMBER);
        cr_assert(isnan(got), "%s gives %.17g", rows[i], got);
    }
}

Test(expr, truths)
{
    static const struct value_row rows[] = {
        {"sync_freq <= n", 1},
        {"sync_freq >= n", 0},
        {"n < 8", 0},
        {"n > 7", 1},
        {"n == 8", 1},
        {"n != 8", 0},
        {"n+1 == 3*3", 1},
        {"0.3 == 0.1+0.2", 1}, // rounded like axis values: catches a comparison of raw doubles
        {"0.3 != 0.1+0.2", 0},
        {"0.1+0.2 > 0.3", 0},
        {"0.1+0.2 <= 0.3", 1},
        {"0.3 < 0.30000000000001", 1},
        {"9007199254740990 < 9007199254740991", 1},
        {"true", 1},
        {"false", 0},
        {"false && false || true", 1},
        {"true || false && false", 1},
        {"true or true and false", 1},
        {"(true || true) && false", 0},
        {"!false && false", 0},
        {"!(false && false)", 1},
        {"!n < 9", 0},
        {"not n > 9", 1},
        {"!!true", 1},
        {"n > 1 && not n > 8", 1},
        {"overlap", 1},
        {"!overlap", 0},
        {"overlap == true", 1},
        {"overlap != false", 1},
        {"overlap == (n > 9)", 0},
        {"overlap == !true", 0},
        {"overlap && n == 8", 1},
        {"schedule == '1f1b'", 1},
        {"schedule == 1f1b", 1},
        {"1f1b == schedule", 1},
        {"schedule == gpipe", 0},
        {"schedule != 'zero-bubble'", 1},
        {"(schedule) == gpipe || n > 1", 1},
        {"schedule == schedule", 1},
        {"bwd_prio == b", 1},
        {"bwd_prio == 'b'", 1},
        {"bwd_prio != 'a'", 1},
        {"bwd_prio == a", 0},
        {"bwd_prio == 'n'", 0},
        {"bwd_prio == (n)", 0}, // the parameter; a name is not a number
        {"fwd_prio == 'b'", 0},
        {"fwd_prio != 'b'", 1},
        {"fwd_prio == 3", 1},
        {"fwd_prio < n", 1},
        {"bwd_prio == 3", 0}, // compares a name with a number
        {"bwd_prio != 3", 0},
        {"bwd_prio < 3", 0},
        {"bwd_prio > 3", 0},
        {"fwd_prio == bwd_prio", 0},
        {"fwd_prio != bwd_prio", 1},
        {"fwd_prio < bwd_prio", 0},
        {"bwd_prio == bwd_prio", 1},
        {"1/0 == 1/0", 0},
        {"1/0 != 1", 0},
        {"1/0 <= 1", 0},
        {"!(1/0 <= 1)", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got = value(rows[i].text, PPS_EXPR_TRUTH);
        cr_assert_eq(got, rows[i].wanted, "%s gives %.17g", rows[i].text, got);
    }
}

struct fault_row {
    const char *text;
    size_t byte;
    const char *fault;
};

Test(expr, faults)
{
    static const struct fault_row rows[] = {
        {"", 0, "a value is missing at the end"},
        {"n <= ", 5, "a value is missing at the end"},
        {"n <= sync_frq", 5, "\"sync_frq\" is not a parameter; did you mean sync_freq?"},
        {"wholly_unknown > 1", 0, "\"wholly_unknown\" is not a parameter"},
        {"(sync_frq) + 1", 1, "\"sync_frq\" is not a parameter; did you mean sync_freq?"},
        {"n && n > 2", 0, "expected a comparison here, as in sync_freq <= n"},
        {"n > 2 || 3", 9, "expected a comparison here, as in sync_freq <= n"},
        {"!n", 1, "expected a comparison here, as in sync_freq <= n"},
        {"1 < n < 5", 8, "comparisons are not chained; write a < b && b < c"},
        {"1 + (n > 2)", 5, "expected a number here, not true or false"},
        {"2 * overlap", 4, "expected a number here, not true or false"},
        {"overlap == 1", 11,
         "a number and a truth value (true, false, a comparison) cannot be compared"},
        {"overlap < true", 10, "truth values are compared with == or != only"},
        {"overlap == yes", 11, "write true or false, or a comparison"},
        {"schedule == 3", 0,
         "schedule is not a number; compare it (== or !=) with gpipe, 1f1b, zero-bubble"},
        {"schedule + 1", 0,
         "schedule is not a number; compare it (== or !=) with gpipe, 1f1b, zero-bubble"},
        {"schedule == gpip", 12, "\"gpip\" is not a value of schedule; did you mean 'gpipe'?"},
        {"schedule == 'x'", 13,
         "\"x\" is not a value of schedule; write one of gpipe, 1f1b, zero-bubble"},
        {"schedule < gpipe", 11, "names are compared with == or != only"},
        {"fwd_prio == n", 12,
         "n is a parameter and a name; write 'n' for the name, (n) for the parameter"},
        {"n == 'gpipe'", 6, "expected a number here, not a quoted name"},
        {"n = 3", 2, "write == to compare"},
        {"n & 3", 2, "write && for and"},
        {"n | 3", 2, "write || for or"},
        {"n ** 2", 2, "write ^ for a power"},
        {"n // 2", 2, "write floor(a / b) for a whole quotient"},
        {"n <> 2", 2, "write !="},
        {"n =< 2", 2, "write <="},
        {"n \xe2\x89\xa4 2", 2, "write <="},
        {"n $ 2", 2, "$ is not expected here"},
        {"n \xc3\xa9", 2, "byte 0xc3 is not expected here"},
        {".5 * n", 0, "a number begins with a digit, as in 0.5; a range is written 1 .. 9"},
        {"1. * n", 0, "1.: digits are missing after the point; write 1.0"},
        {"1e999", 0, "1e999 is not a finite number"},
        {"9007199254740993", 0, "9007199254740993 is above 2^53 and would be rounded"},
        {"12abc * 2", 0, "\"12abc\" is not a parameter"},
        {"(n + 1", 0, "this ( is not closed; write )"},
        {"n + 1)", 5, "this ) has no matching (; remove it"},
        {"(n 1)", 3, "an operator or ) is missing before this"},
        {"n 1", 2, "an operator is missing before this"},
        {"n + * 2", 4, "a value is missing before this"},
        {"n, 2", 1, "a comma separates arguments only"},
        {"min(n)", 5, "min and max take two arguments or more, as in min(a, b)"},
        {"abs(n, 2)", 5, "this function has one argument"},
        {"mn(n, 2)", 0, "\"mn\" is not a function; did you mean min?"},
        {"sqrt(n)", 0, "unknown function; functions are min, max, abs, ceil, floor and round"},
        {"min(n, 2", 3, "this ( is not closed; write )"},
        {"n ^ 0.5", 4, "the exponent of a power must be a whole number"},
        {"divisors(n) * 2", 12, "divisors(...) must be the whole axis"},
        {"2 * divisors(n)", 4, "divisors(...) is a whole axis, not part of an expression"},
        {"divisors(n > 2)", 9, "expected a number here, not true or false"},
        {"1 .. n .. 2", 7, "a range has one start and one stop, as in 1 .. 9 step 2"},
        {"n step 2", 2, "step belongs to a range, as in 1 .. 9 step 2"},
        {"1 .. (2 .. 3)", 8, "an operator or ) is missing before this"},
        {"n > 1 .. 2", 0, "expected a number here, not true or false"},
        {"schedule == 'gpipe", 12, "the quoted name that begins here is not closed; write '"},
        {"schedule == \"gpipe\"", 12, "write a quoted name in single quotes"},
        {"'\x01\n' + 1", 1, "expected a number here, not a quoted name"},
        {"schedule == '\x01'", 13,
         "\"?\" is not a value of schedule; write one of gpipe, 1f1b, zero-bubble"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pps_expr_fault fault = {0};
        struct pps_expr *expr = pps_expr_parse(rows[i].text, &expression_scope, &fault);
        cr_assert_null(expr, "%s: accepted", rows[i].text);
        cr_assert_str_eq(fault.text, rows[i].fault, "%s: %s", rows[i].text, fault.text);
        cr_assert_eq(fault.byte, rows[i].byte, "%s: byte %zu", rows[i].text, fault.byte);
    }
}

// Deep nesting, long text and many operands never break the parser or the evaluator.
Test(expr, bounds)
{
    struct pps_expr_fault fault;
    char text[8192];
    for (size_t depth = 60; depth <= 70; depth++) {
        memset(text, '(', depth);
        text[depth] = '1';
        memset(text + depth + 1, ')', depth);
        text[2 * depth + 1] = '\0';
        struct pps_expr *expr = pps_expr_parse(text, &expression_scope, &fault);
        cr_assert_eq(expr != NULL, depth <= 64, "%zu levels", depth);
        pps_expr_free(expr);
    }
    cr_assert_str_eq(fault.text, "nested more than 64 levels deep");
    cr_assert_eq(fault.byte, 64u);

    for (size_t i = 0; i < 4095; i += 2)
        memcpy(text + i, "1+", 2);
    text[4095] = '\0';
    struct pps_expr *expr = good_expression(text);
    cr_assert_eq(pps_expr_value(expr, expression_point), 2048);
    pps_expr_free(expr);
    strcat(text, "+1");
    cr_assert_null(pps_expr_parse(text, &expression_scope, &fault));
    cr_assert_str_eq(fault.text, "more than 4096 characters");

    memset(text, '!', 4000);
    text[4000] = '\0';
    cr_assert_null(pps_expr_parse(text, &expression_scope, &fault));
}

// On every level, values wait for the right sides of several operators.
Test(expr, deepest_stack)
{
    char text[4096] = "";
    for (int i = 0; i < 63; i++)
        strcat(text, "true || true && false == (");
    strcat(text, "1 + 2 * 3 ^ 2 == max(19, 1 + 2 * 3)");
    for (int i = 0; i < 63; i++)
        strcat(text, ")");
    struct pps_expr *expr = good_expression(text);
    cr_assert_eq(pps_expr_value(expr, expression_point), 1);
    pps_expr_free(expr);
}

Test(expr, uses)
{
    static const struct {
        const char *text;
        uint64_t wanted;
    } rows[] = {
        {"1", 0},
        {"n+n", 1u << N},
        {"1..n step fwd_len", 1u << N | 1u << FWD_LEN},
        {"schedule == gpipe && overlap", 1u << SCHEDULE | 1u << OVERLAP},
        {"divisors(sync_freq)", 1u << SYNC_FREQ},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pps_expr *expr = good_expression(rows[i].text);
        cr_assert_eq(pps_expr_uses(expr), rows[i].wanted, "%s", rows[i].text);
        pps_expr_free(expr);
    }
}
