// SPDX-License-Identifier: Apache-2.0
// Numbers for people: one form everywhere.
#include "base/text/human.h"

#include <criterion/criterion.h>
#include <math.h>

// Catches digits that are grouped from the wrong end, signs and points that count as digits.
Test(human, numbers_have_blanks_between_groups_of_three_digits)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {0, 6, "0"},
        {999, 6, "999"},
        {1000, 6, "1 000"},
        {-1000, 6, "-1 000"},
        {-100, 6, "-100"},
        {123456, 6, "123 456"},
        {1234.5, 6, "1 234.5"},
        {0.00025, 6, "0.00025"},
        {0.1234567, 4, "0.1235"},
        {4104748.25, 7, "4 104 748"},
        {41047482.25, 7, "41 047 482"},
        {1e20, 7, "1e+20"},
        {2e-5, 7, "2e-05"},
        {INFINITY, 7, "inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[48];
        pps_human_number(cases[i].value, cases[i].digits, text, sizeof text);
        cr_expect_str_eq(text, cases[i].text);
    }
    cr_expect_str_eq(pps_count_text(1584).text, "1 584");
    cr_expect_str_eq(pps_count_text(0).text, "0");
    cr_expect_str_eq(pps_decimals_text(30398.6971, 3).text, "30 398.697");
    cr_expect_str_eq(pps_decimals_text(-1234567, 1).text, "-1 234 567.0");
    cr_expect_str_eq(pps_digits_text(1233.7112, 9).text, "1 233.7112");
    cr_expect_str_eq(pps_digits_text(1e30, 9).text, "1e+30");
    cr_expect_str_eq(pps_time_text(1234.5).text, "1 234.500 s");
    cr_expect_str_eq(pps_time_text(0.0616701).text, "61.670 ms");
    cr_expect_str_eq(pps_time_text(2.5e-7).text, "0.250 us");
    cr_expect_str_eq(pps_time_text(0).text, "0.000 s");
    cr_expect_str_eq(pps_signed_text(1234.5, 6).text, "+1 234.5");
    cr_expect_str_eq(pps_signed_text(-1234567, 7).text, "-1 234 567");
    cr_expect_str_eq(pps_signed_text(0, 6).text, "+0");
    char cell[32];
    pps_human_cell("12345.6789,7", 10, cell, sizeof cell);
    cr_expect_str_eq(cell, "12 345.6789");
    pps_human_cell("1f1b_12345", 10, cell, sizeof cell);
    cr_expect_str_eq(cell, "1f1b_12345", "no number");
    char small[4];
    pps_human_number(123456, 6, small, sizeof small);
    cr_expect_str_eq(small, "12", "cut, not overrun");
}
