// SPDX-License-Identifier: Apache-2.0
// Columns of a page: their forms, and bytes that give every cell back.
#include "engine/report/column.h"

#include "base/text/decimal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pps_page_column column;
static struct text_buffer bytes;

static void begin(void)
{
    column = (struct pps_page_column){.numeric = false};
    bytes = (struct text_buffer){.text = NULL};
}

static void end(void)
{
    pps_page_column_free(&column);
    text_buffer_free(&bytes);
}

TestSuite(page_column, .init = begin, .fini = end);

static void set(size_t row, const char *text)
{
    struct pps_error err;
    const struct pps_cell cell = {text, strlen(text)};
    cr_assert_eq(pps_page_column_set(&column, row, cell, &err), PPS_OK);
}

// The whole number of `width` bytes of row i of n.
static double code(size_t i, size_t n, int width)
{
    double value = 0;
    for (int k = width - 1; k >= 0; k--)
        value = value * 256 + (unsigned char)bytes.text[(size_t)k * n + i];
    return value;
}

Test(page_column, an_axis_of_a_grid_has_no_bytes)
{
    static const char *const labels[] = {"4", "8", "a"};
    for (size_t i = 0; i < 24; i++)
        set(i, labels[i / 4 % 3]);
    const struct pps_page_cells cells = pps_page_column_write(&column, 24, &bytes);
    cr_assert_eq(cells.form, PPS_PAGE_GRID);
    cr_assert_eq(cells.stride, 4);
    cr_assert_eq(cells.count, 3);
    cr_assert_eq(bytes.n, 0);
}

Test(page_column, a_grid_with_a_gap_has_codes)
{
    static const char *const labels[] = {"x", "y", "x", "x", "y"};
    for (size_t i = 0; i < 5; i++)
        set(i, labels[i]);
    const struct pps_page_cells cells = pps_page_column_write(&column, 5, &bytes);
    cr_assert_eq(cells.form, PPS_PAGE_CODES);
    cr_assert_eq(cells.width, 1);
    for (size_t i = 0; i < 5; i++)
        cr_assert_str_eq(pps_string_pool_text(&column.labels, (uint32_t)code(i, 5, 1)),
                         labels[i]);
}

Test(page_column, many_labels_have_wide_codes)
{
    enum { N = 70000 };
    char text[16];
    for (size_t i = 0; i < N; i++) {
        snprintf(text, sizeof text, "v%zu", i * 7919 % N);
        set(i, text);
    }
    set(N, "v0");
    set(N + 1, "v5");
    const struct pps_page_cells cells = pps_page_column_write(&column, N + 2, &bytes);
    cr_assert_eq(cells.form, PPS_PAGE_CODES);
    cr_assert_eq(cells.width, 3);
    cr_assert_eq(bytes.n, 3 * (N + 2));
    cr_assert_eq(code(N, N + 2, 3), 0);
    cr_assert_eq(code(12345, N + 2, 3), 12345);
}

static void check_scaled(const char *const *texts, size_t n, int width, int digits)
{
    column.numeric = true;
    for (size_t i = 0; i < n; i++)
        set(i, texts[i]);
    const struct pps_page_cells cells = pps_page_column_write(&column, n, &bytes);
    cr_assert_eq(cells.form, PPS_PAGE_SCALED);
    cr_assert_eq(cells.width, width, "%d bytes", cells.width);
    cr_assert_eq(cells.digits, digits);
    for (size_t i = 0; i < n; i++) {
        const double value = code(i, n, width), empty = pow(256, width) - 1;
        if (texts[i][0] == '\0')
            cr_assert_eq(value, empty);
        else
            cr_assert_eq((cells.least + value) / pow(10, digits), strtod(texts[i], NULL), "%s",
                         texts[i]);
    }
}

Test(page_column, decimals_are_scaled_whole_numbers)
{
    static const char *const texts[] = {"52.7441", "31.1148", "", "32.1", "-0.5"};
    check_scaled(texts, 5, 3, 4);
}

Test(page_column, the_code_of_an_empty_cell_is_no_number)
{
    static const char *const texts[] = {"0", "254", "255", ""};
    check_scaled(texts, 4, 2, 0);
}

Test(page_column, numbers_of_many_digits_are_doubles)
{
    static const char *const texts[] = {"0.1", "3.141592653589793", "", "-0", "1e300"};
    column.numeric = true;
    for (size_t i = 0; i < 5; i++)
        set(i, texts[i]);
    const struct pps_page_cells cells = pps_page_column_write(&column, 5, &bytes);
    cr_assert_eq(cells.form, PPS_PAGE_DOUBLE);
    cr_assert_eq(bytes.n, 40);
    for (size_t i = 0; i < 5; i++) {
        uint64_t bits = 0;
        double value;
        for (int k = 7; k >= 0; k--)
            bits = bits << 8 | (unsigned char)bytes.text[(size_t)k * 5 + i];
        memcpy(&value, &bits, sizeof value);
        if (texts[i][0] == '\0')
            cr_assert(isnan(value));
        else
            cr_assert_eq(value, strtod(texts[i], NULL));
    }
}

Test(page_column, no_cell_has_a_value)
{
    column.numeric = true;
    set(0, "");
    set(1, "");
    const struct pps_page_cells cells = pps_page_column_write(&column, 2, &bytes);
    cr_assert_eq(cells.form, PPS_PAGE_SCALED);
    cr_assert_eq(code(0, 2, cells.width), pow(256, cells.width) - 1);
}

// Would catch texts that differ from the cells, and an empty cell that is shown as a number.
Test(page_column, texts_of_cells)
{
    static const char *const cells[] = {"0.5", "", "1e-09", "-3"};
    char text[PPS_DECIMAL_CAP];
    for (int numeric = 0; numeric < 2; numeric++) {
        pps_page_column_free(&column);
        column.numeric = numeric;
        for (size_t i = 0; i < 4; i++)
            set(i, cells[i]);
        for (size_t i = 0; i < 4; i++) {
            const size_t n = pps_page_column_text(&column, i, text, sizeof text);
            cr_assert_eq(n, strlen(cells[i]), "%zu: %.*s", i, (int)n, text);
            cr_assert_eq(memcmp(text, cells[i], n), 0, "%.*s", (int)n, text);
        }
    }
}
