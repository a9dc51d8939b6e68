// SPDX-License-Identifier: Apache-2.0
// The C library reads results by row and by column.
#include "tests/unit/support/engine/library_calls.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TestSuite(library_read, .init = enter, .fini = leave);

static const struct ppsweep_table_column *column_of(const struct ppsweep_table *table,
                                                    const char *name)
{
    for (int c = 0; c < ppsweep_table_columns(table); c++)
        if (strcmp(ppsweep_table_column(table, c)->name, name) == 0)
            return ppsweep_table_column(table, c);
    cr_assert(false, "no column %s", name);
    return NULL;
}

static struct ppsweep_table *table_of(const char *path, const char *const *columns)
{
    struct ppsweep_table *table;
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_table_read(&table, path, columns, &error), PPSWEEP_OK, "%s",
                 error.text);
    return table;
}

// Would catch a table that differs from the rows of the file, for each codec and typed result.
Test(library_read, rows_and_columns_agree)
{
    static const char *const names[] = {"a.csv", "b.csv.gz", "c.csv.gz"};
    for (int i = 0; i < 3; i++) {
        run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP,
                                               .output = names[i],
                                               .typed = i == 2,
                                               .status = i == 1,
                                               .metrics = ""},
                  NULL);
        struct ppsweep_table *table = table_of(names[i], NULL);
        struct ppsweep_result *result;
        cr_assert_eq(ppsweep_result_open(&result, names[i], NULL), PPSWEEP_OK);
        cr_assert_eq(ppsweep_result_columns(result), ppsweep_table_columns(table));
        uint64_t n = 0;
        for (int is_row; ppsweep_result_next(result, &is_row, NULL) == PPSWEEP_OK && is_row;
             n++)
            for (int c = 0; c < ppsweep_table_columns(table); c++) {
                const struct ppsweep_table_column *column = ppsweep_table_column(table, c);
                const char *text = ppsweep_result_text(result, c);
                cr_assert_str_eq(ppsweep_result_name(result, c), column->name);
                if (column->codes != NULL && column->codes[n] >= 0)
                    cr_assert_str_eq(text, column->texts[column->codes[n]]);
                else if (column->kind == PPSWEEP_CELLS_BOOLEAN)
                    cr_assert_eq(column->numbers[n], strcmp(text, "true") == 0);
                else if (text[0] == '\0')
                    cr_assert(isnan(column->numbers[n]));
                else
                    cr_assert_eq(column->numbers[n], ppsweep_result_number(result, c));
            }
        cr_assert_eq(n, ppsweep_table_rows(table));
        cr_assert_gt(n, 10);
        ppsweep_result_close(result);
        ppsweep_table_close(table);
    }
}

// Would catch a column of the wrong kind, and units that are lost.
Test(library_read, kinds)
{
    run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = "a.csv"}, NULL);
    run_sweep(
        (struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = "b.csv", .typed = 1},
        NULL);
    struct ppsweep_table *a = table_of("a.csv", NULL), *b = table_of("b.csv", NULL);
    cr_assert_eq(column_of(a, "n")->kind, PPSWEEP_CELLS_INTEGER);
    cr_assert_eq(column_of(a, "congestion")->kind, PPSWEEP_CELLS_BOOLEAN);
    cr_assert_eq(column_of(a, "pipeline")->kind, PPSWEEP_CELLS_TEXT);
    cr_assert_eq(column_of(a, "p_fwd_prop")->kind, PPSWEEP_CELLS_MIXED);
    cr_assert_eq(column_of(a, "total_time")->kind, PPSWEEP_CELLS_REAL);
    cr_assert_str_eq(column_of(a, "total_time")->unit, "time");
    cr_assert(column_of(a, "total_time")->is_result && !column_of(a, "n")->is_result);
    cr_assert_eq(column_of(b, "p_fwd_prop")->kind, PPSWEEP_CELLS_REAL);
    cr_assert_eq(column_of(b, "p_fwd_prop_tier")->kind, PPSWEEP_CELLS_TEXT);
    cr_assert_eq(column_of(a, "pipeline")->n_texts, 2);
    ppsweep_table_close(a);
    ppsweep_table_close(b);
    // Without a manifest the cells decide.
    spill("c.csv", "x,y,z,w,v\n1,1.5,true,,7\n2,,false,,x\n3,2,true,,\n");
    struct ppsweep_table *c = table_of("c.csv", NULL);
    cr_assert_eq(column_of(c, "x")->kind, PPSWEEP_CELLS_INTEGER);
    cr_assert_eq(column_of(c, "y")->kind, PPSWEEP_CELLS_REAL);
    cr_assert_eq(column_of(c, "z")->kind, PPSWEEP_CELLS_BOOLEAN);
    cr_assert_eq(column_of(c, "w")->kind, PPSWEEP_CELLS_REAL);
    cr_assert_eq(column_of(c, "v")->kind, PPSWEEP_CELLS_MIXED);
    cr_assert_eq(column_of(c, "v")->codes[0], -1);
    cr_assert_eq(column_of(c, "v")->codes[1], 0);
    cr_assert(isnan(column_of(c, "v")->numbers[2]));
    ppsweep_table_close(c);
}

// Would catch columns in the order of the file, and an unknown name that is ignored.
Test(library_read, chosen_columns)
{
    static const char *const names[] = {"z", "x", NULL}, *const none[] = {NULL};
    static const char *const wrong[] = {"x", "total_tim", NULL};
    spill("c.csv", "x,total_time,z\n1,2,3\n4,5,6\n");
    struct ppsweep_table *table = table_of("c.csv", names);
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_table_columns(table), 2);
    cr_assert_eq(ppsweep_table_column(table, 0)->numbers[1], 6);
    cr_assert_eq(ppsweep_table_column(table, 1)->numbers[1], 4);
    ppsweep_table_close(table);
    table = table_of("c.csv", none);
    cr_assert_eq(ppsweep_table_columns(table), 0);
    cr_assert_eq(ppsweep_table_rows(table), 2);
    ppsweep_table_close(table);
    cr_assert_eq(ppsweep_table_read(&table, "c.csv", wrong, &error), PPSWEEP_E_INPUT);
    cr_assert_null(table);
    cr_assert_str_eq(error.file, "c.csv");
    cr_assert(strstr(error.text, "did you mean total_time?") != NULL, "%s", error.text);
}

static void cut_file(const char *from, const char *to, size_t bytes)
{
    size_t n;
    char *text = slurp(from, &n);
    FILE *file = fopen(to, "wb");
    fwrite(text, 1, n - bytes, file);
    fclose(file);
    free(text);
}

// Would catch a truncated file that looks complete, and rows before the end that are lost.
Test(library_read, truncated)
{
    static const char *const names[][2] = {{"a.csv", "cut.csv"}, {"b.csv.gz", "cut.csv.gz"}};
    for (int i = 0; i < 2; i++) {
        struct ppsweep_table *table;
        struct ppsweep_result *result;
        struct ppsweep_error error;
        int is_row, code, n = 0;
        run_sweep(
            (struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = names[i][0]},
            NULL);
        cut_file(names[i][0], names[i][1], i == 0 ? 3 : 12);
        cr_assert_eq(ppsweep_table_read(&table, names[i][1], NULL, &error), PPSWEEP_E_INPUT);
        cr_assert_null(table);
        cr_assert(strstr(error.text, "truncated") != NULL || strstr(error.text, "cut") != NULL,
                  "%s", error.text);
        cr_assert_eq(ppsweep_result_open(&result, names[i][1], NULL), PPSWEEP_OK);
        while ((code = ppsweep_result_next(result, &is_row, &error)) == PPSWEEP_OK && is_row)
            n++;
        cr_assert_eq(code, PPSWEEP_E_INPUT);
        cr_assert_eq(is_row, 0);
        cr_assert_gt(n, 10);
        cr_assert_str_eq(ppsweep_result_text(result, 0), "");
        ppsweep_result_close(result);
    }
}

Test(library_read, errors)
{
    struct ppsweep_result *result;
    struct ppsweep_table *table;
    struct ppsweep_error error;
    int is_row;
    spill("bad.csv", "x,y\n1,2\n3\n");
    cr_assert_eq(ppsweep_table_read(&table, "bad.csv", NULL, &error), PPSWEEP_E_INPUT);
    cr_assert_str_eq(error.file, "bad.csv");
    cr_assert_eq(error.line, 3);
    cr_assert_neq(ppsweep_result_open(&result, "none.csv", &error), PPSWEEP_OK);
    cr_assert_null(result);
    cr_assert(strstr(error.text, "none.csv") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_result_open(NULL, "bad.csv", &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_result_open(&result, NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_result_next(NULL, &is_row, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_table_read(NULL, "bad.csv", NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_table_read(&table, NULL, NULL, NULL), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_result_columns(NULL), 0);
    cr_assert_null(ppsweep_result_name(NULL, 0));
    cr_assert_str_eq(ppsweep_result_text(NULL, 0), "");
    cr_assert(isnan(ppsweep_result_number(NULL, 0)));
    cr_assert_eq(ppsweep_table_rows(NULL), 0);
    cr_assert_null(ppsweep_table_column(NULL, 0));
    ppsweep_result_close(NULL);
    ppsweep_table_close(NULL);
    spill("empty.csv", "x,y\n");
    table = table_of("empty.csv", NULL);
    cr_assert_eq(ppsweep_table_rows(table), 0);
    cr_assert_eq(ppsweep_table_column(table, 1)->kind, PPSWEEP_CELLS_REAL);
    ppsweep_table_close(table);
}
