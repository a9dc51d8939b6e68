// SPDX-License-Identifier: Apache-2.0
// Tables of numbers: accepted tables, refused tables, and the places of errors.
#include "base/table/table.h"
#include "base/text/number.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct table_field FIELDS[] = {
    {"dp", NULL, true, true, 1, 1e6},
    {"peak_mb", "peak", true, false, 0, INFINITY},
    {"cp", NULL, false, true, 1, 1e6},
};

enum { N_FIELDS = sizeof FIELDS / sizeof FIELDS[0] };

// Reads the numbers of the first row; false: `fault` has the reason.
static bool first_row(const struct table *table, double *values, struct pps_fault *fault)
{
    int columns[N_FIELDS];
    return table_bind(table, FIELDS, N_FIELDS, columns, fault) &&
           table_row(table, 0, FIELDS, N_FIELDS, columns, values, fault);
}

// Catches mixed-up columns, and bytes outside the table that are read as part of the table.
Test(table, csv_quotes_blank_lines_and_line_ends)
{
    static const char *const TEXTS[] = {
        "dp,peak_mb,cp\n4,17.5,2\n",
        "peak_mb,dp,cp\n17.5,4,2",
        "\xef\xbb\xbf"
        "dp,peak,cp\r\n4,17.5,2\r\n",
        "# a remark, with commas\n\n dp , peak_mb,note, cp\n  # more\n4 ,  1.75e1 ,\"a, "
        "\"\"b\"\"\",+2\n",
        "cp,dp,\"peak_mb\"\n\"2\",\"4\" ,17.50\n\n",
        "other,dp,other,peak_mb,cp\nx,4,y,17.5,2\n",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        struct table *table;
        struct pps_fault fault = {0};
        double values[N_FIELDS];
        cr_assert(table_read_csv(&table, TEXTS[i], strlen(TEXTS[i]), &fault), "%zu: %s", i,
                  fault.text);
        cr_assert_eq(table_rows(table), 1, "%zu", i);
        cr_assert(first_row(table, values, &fault), "%zu: %s", i, fault.text);
        cr_assert(values[0] == 4 && values[1] == 17.5 && values[2] == 2, "%zu", i);
        table_free(table);
    }
}

// Catches a cell that is empty, or a column that is missing, read as 0.
Test(table, empty_cells_are_no_numbers)
{
    static const char *const TEXTS[] = {"dp,peak_mb,cp\n4,1,\n", "dp,peak_mb\n4,1\n",
                                        "dp,peak_mb,cp\n4,1,\"\"\n"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        struct table *table;
        struct pps_fault fault;
        double values[N_FIELDS];
        cr_assert(table_read_csv(&table, TEXTS[i], strlen(TEXTS[i]), &fault));
        cr_assert(first_row(table, values, &fault));
        cr_assert(isnan(values[2]), "%zu: %g", i, values[2]);
        table_free(table);
    }
}

// Catches a wrong input that passes, and a message that points elsewhere.
Test(table, what_is_refused)
{
    static const struct {
        const char *text;
        int64_t line, column;
        const char *message;
    } CASES[] = {
        {"", 0, 0, "is empty; the first line must name the columns"},
        {"# only a remark\n", 0, 0, "is empty; the first line must name the columns"},
        {"\x1f\x8bxyz", 0, 0, "is compressed; unpack it first"},
        {"\xff\xfe"
         "d",
         0, 0, "is UTF-16 text; save it as UTF-8"},
        {"dp,cp\n1,2\n", 1, 0, "peak_mb: no column is named so"},
        {"#\ndp,peak,peak_mb\n1,2,3\n", 2, 0, "peak_mb: two columns have this name (or peak)"},
        {"dp,dp,peak\n1,2,3\n", 1, 0, "dp: two columns have this name"},
        {"dp,peak_mb\n1\n", 2, 0, "fewer cells than columns"},
        {"dp,peak_mb\n\n1,2,3\n", 3, 5, "more cells than columns"},
        {"dp,peak_mb\n1,\"2\n", 2, 3, "the quote is not closed on this line"},
        {"dp,peak_mb\n\"1\"2,2\n", 2, 4, "a comma must follow the closing quote"},
        {"dp,peak_mb\n,2\n", 2, 1, "dp: is empty, but required"},
        {"dp,peak_mb\n1.5,2\n", 2, 1, "dp: must be a whole number (got 1.5)"},
        {"dp,peak_mb\n0,2\n", 2, 1, "dp: must be from 1 to 1000000 (got 0)"},
        {"dp,peak_mb\n1, -2\n", 2, 4, "peak_mb: must be at least 0 (got -2)"},
        {"dp,peak_mb\n1,12GB\n", 2, 3, "peak_mb: must be a number (got 12GB)"},
        {"dp,peak_mb\n1,0x10\n", 2, 3, "peak_mb: must be a number (got 0x10)"},
        {"dp,peak_mb\n1,nan\n", 2, 3, "peak_mb: must be a number (got nan)"},
        {"dp,peak_mb\n1,1e999\n", 2, 3, "peak_mb: must be a number (got 1e999)"},
        {"dp,peak_mb\n1,1\x1b[2J\n", 2, 3, "peak_mb: must be a number (got 1?[2J)"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct table *table;
        struct pps_fault fault = {0};
        double values[N_FIELDS];
        const bool read =
            table_read_csv(&table, CASES[i].text, strlen(CASES[i].text), &fault) &&
            first_row(table, values, &fault);
        cr_assert(!read, "%zu passed", i);
        cr_assert_str_eq(fault.text, CASES[i].message, "%zu", i);
        cr_assert_eq(fault.line, CASES[i].line, "%zu: line %ld", i, (long)fault.line);
        cr_assert_eq(fault.column, CASES[i].column, "%zu: column %ld", i, (long)fault.column);
        table_free(table);
    }
}

Test(table, a_byte_of_zero_is_refused)
{
    struct table *table;
    struct pps_fault fault;
    cr_assert(!table_read_csv(&table, "dp,peak_mb\n1,\0", 14, &fault));
    cr_assert_str_eq(fault.text, "contains a NUL byte and is not CSV text");
}

// Catches rows of the JSON twin that read otherwise than the same rows of CSV.
Test(table, json_twin)
{
    cJSON *document =
        cJSON_Parse("[{\"peak_mb\":17.5,\"dp\":4,\"note\":[1]},"
                    "{\"dp\":8,\"peak_mb\":1,\"cp\":2},{\"cp\":null,\"dp\":1,\"peak_mb\":0}]");
    struct table *table;
    struct pps_fault fault;
    double values[N_FIELDS];
    int columns[N_FIELDS];
    cr_assert(table_read_json(&table, document, &fault));
    cr_assert_eq(table_rows(table), 3);
    cr_assert(table_bind(table, FIELDS, N_FIELDS, columns, &fault));
    cr_assert(table_row(table, 0, FIELDS, N_FIELDS, columns, values, &fault));
    cr_assert(values[0] == 4 && values[1] == 17.5 && isnan(values[2]));
    cr_assert(table_row(table, 1, FIELDS, N_FIELDS, columns, values, &fault));
    cr_assert(values[0] == 8 && values[1] == 1 && values[2] == 2);
    cr_assert(table_row(table, 2, FIELDS, N_FIELDS, columns, values, &fault));
    cr_assert(values[0] == 1 && values[1] == 0 && isnan(values[2]));
    table_free(table);
    cJSON_Delete(document);
}

Test(table, what_json_is_refused)
{
    static const char *const CASES[][2] = {
        {"{}", "must be an array with one object per row"},
        {"[1]", "every row must be an object"},
        {"[{\"dp\":1,\"dp\":2}]", "the key appears twice in this row"},
        {"[{\"dp\":1}]", "peak_mb: no key is named so"},
        {"[{\"dp\":1,\"peak\":\"much\"}]", "peak_mb: must be a number (got much)"},
        {"[{\"dp\":1,\"peak\":1e999}]", "peak_mb: must be a number (got inf)"},
        {"[{\"dp\":true,\"peak\":1}]", "dp: must be a number"},
        {"[{\"dp\":0.5,\"peak\":1}]", "dp: must be a whole number (got 0.5)"},
        {"[{\"peak\":1},{\"dp\":2}]", "dp: is empty, but required"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        cJSON *document = cJSON_Parse(CASES[i][0]);
        struct table *table;
        struct pps_fault fault;
        double values[N_FIELDS];
        cr_assert(
            !(table_read_json(&table, document, &fault) && first_row(table, values, &fault)),
            "%zu passed", i);
        cr_assert_str_eq(fault.text, CASES[i][1], "%zu", i);
        table_free(table);
        cJSON_Delete(document);
    }
}

// Catches a table that loses rows where it grows.
Test(table, many_rows)
{
    enum { ROWS = 5000 };
    char *text = malloc(64 * ROWS);
    size_t n = (size_t)sprintf(text, "dp,peak_mb\n");
    for (int i = 0; i < ROWS; i++)
        n += (size_t)sprintf(text + n, "%d,%d.25\n", i + 1, 3 * i);
    struct table *table;
    struct pps_fault fault;
    int columns[N_FIELDS];
    cr_assert(table_read_csv(&table, text, n, &fault));
    cr_assert(table_bind(table, FIELDS, N_FIELDS, columns, &fault));
    cr_assert_eq(table_rows(table), ROWS);
    for (int i = 0; i < ROWS; i++) {
        double values[N_FIELDS];
        cr_assert(table_row(table, i, FIELDS, N_FIELDS, columns, values, &fault));
        cr_assert(values[0] == i + 1 && values[1] == 3 * i + 0.25);
        cr_assert_eq(table_line(table, i), i + 2);
    }
    table_free(table);
    free(text);
}

// Rounding as Python's round(): of the exact binary value.
Test(number_text, rounds_the_exact_value)
{
    cr_assert(number_text_round(0.02075, 3) == 0.021);
    cr_assert(number_text_round(2.0005, 3) == 2.0 || number_text_round(2.0005, 3) == 2.001);
    cr_assert(number_text_round(0.5, 0) == 0.0);
    cr_assert(number_text_round(-1.25, 1) == -1.2);
}

// Whole numbers look whole, others have no digit too many, and all read back.
Test(number_text, writes_what_reads_back)
{
    static const struct {
        double value;
        const char *text;
    } CASES[] = {{30, "30"},         {0, "0"},
                 {-2000, "-2000"},   {0.1, "0.1"},
                 {1234.5, "1234.5"}, {1e-9, "1e-09"},
                 {1e20, "1e+20"},    {1.0 / 3.0, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[NUMBER_TEXT_CAP];
        double read;
        cr_assert_str_eq(number_text_write(text, CASES[i].value), CASES[i].text);
        cr_assert(number_text_read(text, strlen(text), &read) && read == CASES[i].value);
    }
}
