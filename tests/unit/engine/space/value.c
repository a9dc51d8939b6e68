// SPDX-License-Identifier: Apache-2.0
// Values of parameters: accepted values, rejected values with their messages, and their text.
#include "engine/space/value.h"
#include "engine/kernels/kernel_list.h"
#include "kernels/registry.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const struct pps_param *param(const char *name)
{
    const struct pps_kernel *kernel = pps_kernels_find(pps_kernels, "contention");
    return &kernel->params[pps_param_find(kernel, name, strlen(name))];
}

// Catches an accepted value outside its range, and a rejected value inside it.
Test(value, texts_are_taken_or_refused)
{
    static const struct {
        const char *name, *text;
        bool taken;
        double value;
    } cases[] = {
        {"n", "8", true, 8},
        {"n", "1e3", true, 1000},
        {"n", "0", false, 0},
        {"n", "1.5", false, 0},
        {"n", "1000001", false, 0},
        {"n", " 8", false, 0},
        {"n", "0x10", false, 0},
        {"n", "", false, 0},
        {"n", "a", false, 0},
        {"fwd_len", "0", false, 0},
        {"fwd_len", "1e-9", true, 1e-9},
        {"fwd_len", "inf", false, 0},
        {"fwd_len", "nan", false, 0},
        {"fwd_len", "1e999", false, 0},
        {"fwd_len", "1.79769313486231e308", true, 1.79769313486231e308},
        {"fwd_len", "1.7976931348623157e308", false, 0}, // infinite when rounded to 15 digits
        {"fwd_impact", "0.9999999999999999", false, 0},  // 1 when rounded to 15 digits
        {"prop_len", "0", true, 0},
        {"fwd_impact", "1", false, 0},
        {"fwd_impact", "0.999", true, 0.999},
        {"pipeline", "gpipe", true, 1},
        {"pipeline", "1F1B", false, 0},
        {"congestion", "false", true, 0},
        {"congestion", "0", false, 0},
        {"p_fwd_prop", "a", true, -1},
        {"p_fwd_prop", "z", true, -26},
        {"p_fwd_prop", "aa", false, 0},
        {"p_fwd_prop", "A", false, 0},
        {"p_fwd_prop", "-1", false, 0},
        {"p_fwd_prop", "1.1", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = NAN;
        char why[PPS_WHY] = "";
        const bool taken = pps_value_parse(param(cases[i].name), cases[i].text,
                                           strlen(cases[i].text), &value, why);
        cr_assert_eq(taken, cases[i].taken, "%s=%s: %s", cases[i].name, cases[i].text, why);
        if (taken)
            cr_assert_eq(value, cases[i].value, "%s=%s", cases[i].name, cases[i].text);
        else
            cr_assert_eq(strncmp(why, "expected ", 5), 0, "%s", why);
    }
}

// Catches 0.30000000000000004, a lost decimal point, and a value that differs from its cell.
Test(value, cells_are_as_meant)
{
    static const struct {
        const char *name;
        double value;
        const char *text;
    } cases[] = {
        {"n", 8, "8"},
        {"n", 1e6, "1000000"},
        {"bwd_len", 2, "2.0"},
        {"bwd_len", 0.1 + 0.2, "0.3"},
        {"bwd_len", 1e-9, "1e-09"},
        {"p_fwd_prop", 3 * 0.1, "0.3"},
        {"p_fwd_prop", -1, "a"},
        {"p_fwd_prop", 0, "0.0"},
        {"pipeline", 0, "1f1b"},
        {"congestion", 1, "true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_axis_cell cell;
        const double meant = pps_value_cell(param(cases[i].name), cases[i].value, &cell);
        const size_t n = strlen(cases[i].text);
        cr_assert(cell.n == n + 1 && memcmp(cell.text, cases[i].text, n) == 0 &&
                      cell.text[n] == ',',
                  "%s: %.*s", cases[i].text, cell.n, cell.text);
        if (cases[i].value >= 0 && param(cases[i].name)->kind == PPS_REAL)
            cr_assert_eq(meant, strtod(cases[i].text, NULL));
        else
            cr_assert_eq(meant, cases[i].value);
    }
}

// Catches a help text that does not match the range.
Test(value, domains_are_told)
{
    char text[160];
    pps_value_domain(param("n"), text, sizeof text);
    cr_assert_str_eq(text, "a whole number from 1 to 1000000");
    pps_value_domain(param("fwd_len"), text, sizeof text);
    cr_assert_str_eq(text, "a number above 0");
    pps_value_domain(param("prop_len"), text, sizeof text);
    cr_assert_str_eq(text, "a number from 0 up");
    pps_value_domain(param("fwd_impact"), text, sizeof text);
    cr_assert_str_eq(text, "a number from 0 below 1");
    pps_value_domain(param("pipeline"), text, sizeof text);
    cr_assert_str_eq(text, "1f1b or gpipe");
    pps_value_domain(param("p_fwd_prop"), text, sizeof text);
    cr_assert_str_eq(text, "a number from 0 to 1, or a letter a ... z");
}

// Catches a list of names that ends within a name, and limits without their last digits.
Test(value, long_domains)
{
    static const char *const names[] = {"interleaved", "dualpipe", "list_dispatch", NULL};
    const struct pps_param choice = {.kind = PPS_CHOICE, .names = names};
    const struct pps_param seed = {.kind = PPS_INTEGER, .max = 0x1p53 - 1};
    char text[64];
    pps_value_domain(&choice, text, sizeof text);
    cr_assert_str_eq(text, "interleaved, dualpipe or list_dispatch");
    pps_value_domain(&choice, text, 30);
    cr_assert_str_eq(text, "interleaved, dualpipe, ...");
    pps_value_domain(&choice, text, 26);
    cr_assert_str_eq(text, "interleaved, ...");
    pps_value_domain(&seed, text, sizeof text);
    cr_assert_str_eq(text, "a whole number from 0 to 9007199254740991");
}
