// SPDX-License-Identifier: Apache-2.0
// Lists as text cells.
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
