// SPDX-License-Identifier: Apache-2.0
// Plain lines are split into the same cells as libcsv returns.
#include "base/table/csv_line.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <csv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct cells {
    int n, rows;
    char text[PPS_CSV_COLUMNS + 8][64];
};

static void on_cell(void *text, size_t n, void *self)
{
    struct cells *cells = self;
    cr_assert(n < 64 && cells->n < PPS_CSV_COLUMNS + 8);
    memcpy(cells->text[cells->n], text, n);
    cells->text[cells->n++][n] = '\0';
}

static void on_row(int terminator, void *self)
{
    (void)terminator;
    ((struct cells *)self)->rows++;
}

static void split_by_libcsv(const char *line, size_t n, struct cells *cells)
{
    struct csv_parser parser;
    cr_assert_eq(csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI), 0);
    cells->n = cells->rows = 0;
    csv_parse(&parser, line, n, on_cell, on_row, cells);
    csv_fini(&parser, on_cell, on_row, cells);
    csv_free(&parser);
}

// Returns true if the line is plain. Asserts that its cells equal libcsv's.
static bool check(const char *line, size_t n)
{
    static struct cells cells;
    static char room[4096];
    struct pps_csv_row row;
    if (!pps_csv_line_split(line, n, room, &row))
        return false;
    split_by_libcsv(line, n, &cells);
    cr_assert_eq(cells.rows, 1, "\"%.*s\"", (int)n, line);
    cr_assert_eq(cells.n, row.n, "\"%.*s\": %d, expected %d", (int)n, line, row.n, cells.n);
    size_t at = 0;
    for (int c = 0; c < row.n; c++) {
        cr_assert_str_eq(row.text[c], cells.text[c], "\"%.*s\"", (int)n, line);
        cr_assert_eq(row.length[c], strlen(cells.text[c]));
        cr_assert(row.raw[c] == line + at, "raw cells are side by side");
        at += row.raw_length[c] + 1;
    }
    return true;
}

// Would catch a byte near a comma that counts as a comma, and blanks that are wrongly kept or
// removed.
Test(csvline, random_lines)
{
    static const char bytes[] = ",,,,,,  \t-.01239eab+\x2d\x2b\xac\x8c\xff\x01\"\r";
    struct random random = {1};
    int plain = 0;
    for (int i = 0; i < 300000; i++) {
        char line[64];
        const size_t n = (size_t)(i % 50);
        for (size_t k = 0; k < n; k++) {
            const uint64_t bits = random_bits(&random);
            const bool odd = bits >> 60 == 0; // quotes and breaks are rare
            line[k] = bytes[(bits >> 33) % (sizeof bytes - (odd ? 1 : 3))];
        }
        if (i % 3 == 0)
            line[n > 0 ? n - 1 : 0] = '\n';
        plain += check(line, n);
    }
    cr_assert(plain > 100000, "%d", plain);
}

// Lines that only libcsv may read.
Test(csvline, lines_for_libcsv)
{
    static const char *const lines[] = {"",      "\n",      "\r\n",     "  \n",  "\t",
                                        "\"a\"", "a,\"b\"", "a\rb,c\n", "a,b\"", "\" \"\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not(check(lines[i], strlen(lines[i])), "%s", lines[i]);
    cr_expect_not(check("a\0,b", 4));
}

Test(csvline, many_cells)
{
    char line[2 * PPS_CSV_COLUMNS + 1];
    for (int c = 0; c <= PPS_CSV_COLUMNS; c++)
        memcpy(line + 2 * c, "1,", c < PPS_CSV_COLUMNS ? 2 : 1);
    cr_expect(check(line, 2 * PPS_CSV_COLUMNS - 1), "as many as there may be");
    cr_expect_not(check(line, 2 * PPS_CSV_COLUMNS + 1), "one more");
    line[2 * PPS_CSV_COLUMNS - 2] = '+';
    cr_expect(check(line, 2 * PPS_CSV_COLUMNS - 1), "no comma in the last cell");
    cr_expect(check("1,2,", 4), "the last cell is empty");
    cr_expect(check(" 8 ,\t4\t\r\n", 9));
}
