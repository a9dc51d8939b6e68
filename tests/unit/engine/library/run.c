// SPDX-License-Identifier: Apache-2.0
// The C library runs experiments to files and reads results by row and by column.
#include "ppsweep.h"

#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TestSuite(library_run, .init = enter, .fini = leave);
TestSuite(library_read, .init = enter, .fini = leave);

#define SMALL                                                                                  \
    "{\"n\": [8, 12], \"sync_freq\": [1, 2, 9], \"congestion\": [true, false], "               \
    "\"pipeline\": [\"1f1b\", \"gpipe\"], \"priority_step\": 0.5}"
// More points than any machine evaluates during a test.
#define ENDLESS                                                                                \
    "{\"n\": {\"start\": 8, \"stop\": 100000}, \"bwd_len\": {\"start\": 1, \"stop\": 2, "      \
    "\"step\": 0.0001}, \"priority_step\": 0.1}"

static int run(struct ppsweep_run_options options,
               struct ppsweep_summary *summary,
               struct ppsweep_error *error)
{
    options.size = sizeof options;
    return ppsweep_run(&options, summary, error);
}

static void done(struct ppsweep_run_options options, struct ppsweep_summary *summary)
{
    struct ppsweep_error error;
    cr_assert_eq(run(options, summary, &error), PPSWEEP_OK, "%s", error.text);
}

// ---- runs ---------------------------------------------------------------------------------------

// Would catch a summary that does not match the file.
Test(library_run, summary)
{
    struct ppsweep_summary summary;
    done((struct ppsweep_run_options){.experiment = SMALL, .output = "r.csv.gz"}, &summary);
    cr_assert_str_eq(summary.path, "r.csv.gz");
    cr_assert_str_eq(summary.objective, "total_time");
    cr_assert_eq(summary.points - summary.skipped, summary.rows);
    cr_assert_gt(summary.skipped, 0);
    cr_assert_eq(summary.failed, 0);
    cr_assert(summary.best > 0 && summary.best < 1000);
    cr_assert_neq(summary.best_row[0], '\0');
    cr_assert(!summary.repeated && !summary.resumed);
    struct ppsweep_table *table;
    cr_assert_eq(ppsweep_table_read(&table, "r.csv.gz", NULL, NULL), PPSWEEP_OK);
    cr_assert_eq(ppsweep_table_rows(table), summary.rows);
    ppsweep_table_close(table);
    const uint64_t rows = summary.rows;
    done((struct ppsweep_run_options){.experiment = SMALL, .output = "r.csv.gz"}, &summary);
    cr_assert(summary.repeated);
    cr_assert_eq(summary.rows, rows);
}

// Would catch bytes that depend on the number of threads or on the form of the experiment.
Test(library_run, same_bytes)
{
    spill("e.json", SMALL);
    for (int threads = 1; threads <= 3; threads += 2)
        done((struct ppsweep_run_options){.experiment = SMALL,
                                          .output = threads == 1 ? "1.csv" : "3.csv",
                                          .threads = threads},
             NULL);
    done((struct ppsweep_run_options){.path = "e.json", .output = "file.csv"}, NULL);
    same_files("1.csv", "3.csv");
    same_files("1.csv", "file.csv");
}

struct watched {
    struct ppsweep_stop *stop;
    int calls;
    struct ppsweep_progress last;
};

static void watch(void *self, const struct ppsweep_progress *progress)
{
    struct watched *watched = self;
    watched->calls++;
    cr_assert_leq(progress->points, progress->all_points);
    cr_assert_geq(progress->points, watched->last.points);
    watched->last = *progress;
}

static void stop_at_once(void *self, const struct ppsweep_progress *progress)
{
    watch(self, progress);
    ppsweep_stop_raise(((struct watched *)self)->stop);
}

// Would catch a stop flag that is ignored, and a resumed result with other bytes.
Test(library_run, stop_and_resume)
{
    struct watched watched = {.stop = ppsweep_stop_open()};
    struct ppsweep_run_options options = {.experiment = ENDLESS,
                                          .output = "r.csv",
                                          .limit = 100000,
                                          .watch = stop_at_once,
                                          .self = &watched,
                                          .stop = watched.stop};
    struct ppsweep_summary summary;
    struct ppsweep_error error;
    cr_assert_eq(run(options, &summary, &error), PPSWEEP_E_STOPPED);
    cr_assert_eq(error.code, PPSWEEP_E_STOPPED);
    cr_assert_lt(summary.points, 100000);
    cr_assert(is_there("r.csv.part") && !is_there("r.csv"));
    ppsweep_stop_lower(watched.stop);
    options.watch = watch;
    cr_assert_eq(run(options, NULL, &error), PPSWEEP_E_INPUT); // no resume
    options.resume = 1;
    memset(&watched.last, 0, sizeof watched.last);
    done(options, &summary);
    cr_assert(summary.resumed);
    cr_assert_eq(summary.points, 100000);
    cr_assert_eq(watched.last.points, 100000);
    options.output = "whole.csv";
    options.watch = NULL;
    done(options, NULL);
    same_files("r.csv", "whole.csv");
    ppsweep_stop_close(watched.stop);
}

// Would catch a time limit that never comes, and one that raises the caller's flag.
Test(library_run, time_limit, .timeout = 60)
{
    struct watched watched = {.stop = ppsweep_stop_open()};
    struct ppsweep_run_options options = {.experiment = ENDLESS,
                                          .output = "r.csv.gz",
                                          .time_limit_s = 0.05,
                                          .stop = watched.stop};
    struct ppsweep_error error;
    cr_assert_eq(run(options, NULL, &error), PPSWEEP_E_STOPPED, "%s", error.text);
    done((struct ppsweep_run_options){.experiment = SMALL,
                                      .output = "s.csv",
                                      .time_limit_s = 1000,
                                      .stop = watched.stop},
         NULL);
    ppsweep_stop_close(watched.stop);
}

static void refused(struct ppsweep_run_options options,
                    int code,
                    const char *file,
                    int line,
                    int column,
                    const char *text)
{
    struct ppsweep_summary summary;
    struct ppsweep_error error;
    cr_assert_eq(run(options, &summary, &error), code, "%s", text);
    cr_assert_eq(summary.rows, 0);
    cr_assert(isnan(summary.best));
    cr_assert_eq(error.code, code);
    cr_assert(strstr(error.text, text) != NULL, "%s", error.text);
    cr_assert_str_eq(error.file, file);
    cr_assert_eq(error.line, line, "%d", error.line);
    cr_assert_eq(error.column, column, "%d", error.column);
}

// Would catch a summary of an experiment that was not read.
Test(library_run, errors)
{
    struct ppsweep_error error;
    struct ppsweep_run_options options = {.size = 8};
    spill("e.json", "{\"n\": [8],\n  \"sync_frek\": 1}");
    refused((struct ppsweep_run_options){.path = "e.json", .output = "r.csv"}, PPSWEEP_E_INPUT,
            "e.json", 2, 3, "did you mean sync_freq?");
    refused((struct ppsweep_run_options){.experiment = "{\"n\": [0]}", .output = "r.csv"},
            PPSWEEP_E_INPUT, "experiment", 1, 8, "n:");
    refused((struct ppsweep_run_options){.path = "none.json"}, PPSWEEP_E_INPUT, "none.json", 0,
            0, "cannot read");
    refused((struct ppsweep_run_options){.experiment = SMALL, .output = "r.txt"},
            PPSWEEP_E_INPUT, "", 0, 0, "r.txt");
    refused((struct ppsweep_run_options){.experiment = SMALL, .output = "-"}, PPSWEEP_E_INPUT,
            "", 0, 0, "");
    refused(
        (struct ppsweep_run_options){.experiment = SMALL, .output = "r.csv", .metrics = "x"},
        PPSWEEP_E_INPUT, "", 0, 0, "unknown column");
    refused((struct ppsweep_run_options){.output = "r.csv"}, PPSWEEP_E_CALL, "", 0, 0,
            "expected an experiment");
    refused((struct ppsweep_run_options){.experiment = SMALL, .threads = -1}, PPSWEEP_E_CALL,
            "", 0, 0, "threads");
    refused((struct ppsweep_run_options){.experiment = SMALL, .decimals = 99}, PPSWEEP_E_CALL,
            "", 0, 0, "decimals");
    refused((struct ppsweep_run_options){.experiment = SMALL, .time_limit_s = -1},
            PPSWEEP_E_CALL, "", 0, 0, "time_limit_s");
    cr_assert_eq(ppsweep_run(NULL, NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_run(&options, NULL, NULL), PPSWEEP_E_CALL);
    cr_assert(!is_there("r.csv") && !is_there("r.csv.part"));
}

// ---- a run and an evaluation --------------------------------------------------------------------

// Evaluates the rows of a table and compares all bits of one column.
static void same_bits(const struct ppsweep_table *table, struct ppsweep_model *model)
{
    const uint64_t n = ppsweep_table_rows(table);
    const double **in = calloc((size_t)ppsweep_model_params(model), sizeof *in);
    double **out = calloc((size_t)ppsweep_model_columns(model), sizeof *out);
    double *time = calloc(n, sizeof *time), *expected = NULL, *made[64];
    int n_made = 0;
    for (int c = 0; c < ppsweep_table_columns(table); c++) {
        const struct ppsweep_table_column *column = ppsweep_table_column(table, c);
        const int p = ppsweep_model_find_param(model, column->name, NULL);
        double *values = made[n_made++] = calloc(n, sizeof *values);
        for (uint64_t i = 0; i < n; i++) {
            values[i] = column->numbers[i];
            if (column->codes != NULL && column->codes[i] >= 0 && p >= 0)
                cr_assert_eq(
                    ppsweep_encode(model, p, column->texts[column->codes[i]], &values[i], NULL),
                    PPSWEEP_OK);
        }
        if (p >= 0)
            in[p] = values;
        else if (strcmp(column->name, "total_time") == 0)
            expected = values;
    }
    out[ppsweep_model_find_column(model, "total_time", NULL)] = time;
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = n,
                                          .param = in,
                                          .column = out};
    cr_assert_eq(ppsweep_evaluate(model, &points, NULL), PPSWEEP_OK);
    cr_assert_eq(memcmp(time, expected, n * sizeof *time), 0);
    while (n_made > 0)
        free(made[--n_made]);
    free(time);
    free(out);
    free(in);
}

// Would catch an evaluation that differs from a run in one bit.
Test(library_run, rows_are_those_of_evaluate)
{
    struct ppsweep_model *model;
    struct ppsweep_table *table;
    struct ppsweep_error error;
    done(
        (struct ppsweep_run_options){.experiment = SMALL, .output = "r.csv.gz", .decimals = -1},
        NULL);
    cr_assert_eq(ppsweep_model_open(&model, "contention", NULL, &error), PPSWEEP_OK);
    cr_assert_eq(ppsweep_table_read(&table, "r.csv.gz", NULL, &error), PPSWEEP_OK, "%s",
                 error.text);
    same_bits(table, model);
    ppsweep_table_close(table);
    ppsweep_model_close(model);
}

// ---- reading ------------------------------------------------------------------------------------

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
        done((struct ppsweep_run_options){.experiment = SMALL,
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
    done((struct ppsweep_run_options){.experiment = SMALL, .output = "a.csv"}, NULL);
    done((struct ppsweep_run_options){.experiment = SMALL, .output = "b.csv", .typed = 1},
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
        done((struct ppsweep_run_options){.experiment = SMALL, .output = names[i][0]}, NULL);
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
