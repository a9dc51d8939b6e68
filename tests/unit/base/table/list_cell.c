// SPDX-License-Identifier: Apache-2.0
// Lists as text cells: written and read back, and refused text.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/table/list_cell.h"

Test(list_cell, writes_rows_and_returns_the_length)
{
    const int32_t values[] = {7, 6, 6, 6, -6, 5};
    char text[32], small[5];
    cr_assert(list_cell_write(text, sizeof text, values, 2, 3) == 12);
    cr_assert_str_eq(text, "7 6 6|6 -6 5");
    cr_assert(list_cell_write(small, sizeof small, values, 2, 3) == 12);
    cr_assert_str_eq(small, "7 6 ");
    cr_assert(list_cell_write(NULL, 0, values, 2, 3) == 12);
    cr_assert(list_cell_write(text, sizeof text, values, 0, 3) == 0);
    cr_assert_str_eq(text, "");
}

Test(list_cell, whole_numbers_read_back)
{
    int32_t values[8];
    char why[128], text[64];
    struct list_cell_shape shape;
    cr_assert(list_cell_read("7 6 6|6 6 -5", values, 8, &shape, why, sizeof why), "%s", why);
    cr_assert(shape.rows == 2 && shape.columns == 3 && values[5] == -5);
    list_cell_write(text, sizeof text, values, shape.rows, shape.columns);
    cr_assert_str_eq(text, "7 6 6|6 6 -5");
    cr_assert(list_cell_read("2147483647", values, 1, &shape, why, sizeof why));
    cr_assert(shape.rows == 1 && shape.columns == 1 && values[0] == 2147483647);
}

Test(list_cell, errors_are_reported)
{
    const struct {
        const char *text, *why;
    } cases[] = {
        {"", "row 1 has a gap where a number should be"},
        {"1 2|", "row 2 has a gap where a number should be"},
        {"1  2", "row 1 has a gap where a number should be"},
        {" 1", "row 1 has a gap where a number should be"},
        {"1 2|3", "row 2 has 1 numbers, the first has 2"},
        {"1 2|3 4 5", "row 2 has 3 numbers, the first has 2"},
        {"1 2.5", "row 1: '2.5' does not start with a whole number"},
        {"1 x", "row 1: 'x' does not start with a whole number"},
        {"1,2", "row 1: '1,2' does not start with a whole number"},
        {"2147483648", "row 1 has a number that is too large"},
        {"1 2 3 4 5", "there are more than 4 numbers"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int32_t values[5];
        char why[128] = "";
        struct list_cell_shape shape;
        const int32_t room = strchr(cases[k].text, '|') != NULL ? 5 : 4;
        cr_assert(!list_cell_read(cases[k].text, values, room, &shape, why, sizeof why), "%s",
                  cases[k].text);
        cr_assert_str_eq(why, cases[k].why);
    }
}
