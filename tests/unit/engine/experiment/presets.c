// SPDX-License-Identifier: Apache-2.0
// Presets of axes and rules, and symbols in expressions.
#include "tests/unit/support/engine/toy_kernel.h"

#include "tests/unit/support/engine/experiments.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOX "{\"kernel\": \"toy\", \"inputs\": {\"box\": {\"size\": 12, \"weight\": 3}}"

static struct pps_experiment *good(const char *rest)
{
    char text[512];
    snprintf(text, sizeof text, BOX "%s}", rest);
    return load_good(text);
}

static void is_refused(const char *text, const char *words)
{
    struct pps_experiment *e;
    struct pps_error err = {.text = ""};
    char line[8192];
    cr_assert_eq(load_text(text, &e, &err), PPS_E_INPUT, "%s: not refused", text);
    snprintf(line, sizeof line, "%d:%d: %s", err.line, err.column, err.text);
    cr_assert_str_eq(line, words,
                     "%s\n"
                     "got  %s\n"
                     "expected %s",
                     text, line, words);
    pps_experiment_free(e);
}

// All points that are left, as "x/factor" with blanks between.
static void has_points(const struct pps_experiment *e, const char *want)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    char text[1024] = "", *at = text;
    pps_cursor_seek(cursor, &e->space, 0);
    while (pps_cursor_next(cursor, e->n_points, left_out)) {
        at += sprintf(at, "%s%g/%g", at > text ? " " : "", cursor->point[TOY_X],
                      cursor->point[TOY_FACTOR]);
        pps_cursor_step(cursor);
    }
    cr_assert_str_eq(text, want);
    free(cursor);
}

static void has_columns(const struct pps_experiment *e, const char *want)
{
    char *header = pps_experiment_header(e);
    cr_assert_eq(strncmp(header, want, strlen(want)), 0, "%s", header);
    free(header);
}

// "divisors(S)" of 12 and "x * W < 40" with W = 3: x up to 13.
Test(presets, axes_in_order)
{
    struct pps_experiment *e = good(", \"preset\": \"halves\"");
    has_columns(e, "x,factor,time");
    has_points(e, "1/0.5 1/1 2/0.5 2/1 3/0.5 3/1 4/0.5 4/1 6/0.5 6/1 12/0.5 12/1");
    cr_assert_eq(e->space.n_rules, 1);
    pps_experiment_free(e);
}

// Would catch rules of the preset that are lost, or come behind the experiment's own.
Test(presets, rules_come_first)
{
    struct pps_experiment *e =
        good(", \"where\": [\"x > 2\", \"factor < 1\"], \"preset\": \"halves\"");
    has_points(e, "3/0.5 4/0.5 6/0.5 12/0.5");
    cr_assert_str_eq(e->space.rules[0].text, "x * W < 40");
    cr_assert_str_eq(e->space.rules[1].text, "x > 2");
    cr_assert_str_eq(e->space.rules[2].text, "factor < 1");
    pps_experiment_free(e);
}

// Values of the experiment, or of the command line, stand in the preset's place.
Test(presets, values_are_replaced)
{
    struct pps_experiment *e =
        good(", \"factor\": \"1..2\", \"fast\": [false, true], \"preset\": \"halves\", "
             "\"x\": [1, 14]");
    has_columns(e, "fast,x,factor,time");
    has_points(e, "1/1 1/2 1/1 1/2");
    pps_experiment_free(e);
    const struct pps_override overrides[] = {{.key = "factor", .text = "3"},
                                             {.key = "size", .text = "4,9"}};
    const struct pps_request request = {
        .kernels = test_kernels,
        .text = BOX ", \"preset\": \"halves\"}",
        .overrides = overrides,
        .n_overrides = 2,
        .digits = PPS_DEFAULT_DIGITS,
    };
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_experiment_load(&e, &request, &err), PPS_OK, "%s", err.text);
    // The preset's own axes come last, as they may depend on others.
    has_columns(e, "size,x,factor,time");
    has_points(e, "1/3 2/3 4/3 1/3 3/3 9/3");
    pps_experiment_free(e);
}

Test(presets, axes_of_the_experiment_come_first)
{
    struct pps_experiment *e = good(", \"preset\": \"fast\", \"x\": [2, 3]");
    has_columns(e, "x,fast,time");
    has_points(e, "2/1 2/1 3/1 3/1");
    pps_experiment_free(e);
}

Test(presets, what_is_refused)
{
    is_refused(BOX ", \"preset\": \"thirds\"}", "1:75: preset: expected one of halves, fast");
    is_refused(BOX ", \"preset\": [\"halves\"]}", "1:75: preset: expected one of halves, fast");
    is_refused("{\"kernel\": \"texts\", \"inputs\": {\"box\": {\"weight\": 3}},\n"
               "\"preset\": \"halves\"}",
               "2:1: the kernel texts has no presets");
    is_refused("{\"preset\": \"halves\", \"kernel\": \"contention\"}",
               "1:2: the kernel contention has no presets");
    // The error for an axis of the preset without values names the rule.
    is_refused(BOX ", \"preset\": \"halves\", \"x\": \"divisors(factor)\"}",
               "1:90: x depends on factor, so name factor before it");
}

// ---- symbols ------------------------------------------------------------------------------------

Test(symbols, name_parameters)
{
    struct pps_experiment *e =
        good(", \"x\": \"W .. S / 2\", \"where\": \"S == size && W < x\"");
    has_points(e, "4/1 5/1 6/1");
    pps_experiment_free(e);
    is_refused(BOX ", \"x\": \"Q\"}",
               "1:71: x: \"Q\" is not a parameter; expected a whole number "
               "from 1 to 100, or an expression");
    is_refused(BOX ", \"x\": 1, \"where\": \"w > 1\"}",
               "1:83: where: \"w\" is not a parameter");
}
