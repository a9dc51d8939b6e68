// SPDX-License-Identifier: Apache-2.0
// The C library runs experiments to files.
#include "tests/unit/support/engine/library_calls.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TestSuite(library_run, .init = enter, .fini = leave);

// More points than any machine evaluates during a test.
#define ENDLESS                                                                                \
    "{\"n\": {\"start\": 8, \"stop\": 100000}, \"bwd_len\": {\"start\": 1, \"stop\": 2, "      \
    "\"step\": 0.0001}, \"priority_step\": 0.1}"

static int run(struct ppsweep_run_options options, struct ppsweep_summary *summary,
               struct ppsweep_error *error)
{
    options.size = sizeof options;
    return ppsweep_run(&options, summary, error);
}

// ---- runs ---------------------------------------------------------------------------------------

// Would catch a summary that does not match the file.
Test(library_run, summary)
{
    struct ppsweep_summary summary;
    run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = "r.csv.gz"},
              &summary);
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
    run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = "r.csv.gz"},
              &summary);
    cr_assert(summary.repeated);
    cr_assert_eq(summary.rows, rows);
}

// Would catch bytes that depend on the number of threads or on the form of the experiment.
Test(library_run, same_bytes)
{
    spill("e.json", SMALL_SWEEP);
    for (int threads = 1; threads <= 3; threads += 2)
        run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP,
                                               .output = threads == 1 ? "1.csv" : "3.csv",
                                               .threads = threads},
                  NULL);
    run_sweep((struct ppsweep_run_options){.path = "e.json", .output = "file.csv"}, NULL);
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
    run_sweep(options, &summary);
    cr_assert(summary.resumed);
    cr_assert_eq(summary.points, 100000);
    cr_assert_eq(watched.last.points, 100000);
    options.output = "whole.csv";
    options.watch = NULL;
    run_sweep(options, NULL);
    same_files("r.csv", "whole.csv");
    ppsweep_stop_close(watched.stop);
}

// Would catch a time limit that never comes, and one that raises the caller's flag.
Test(library_run, time_limit)
{
    struct watched watched = {.stop = ppsweep_stop_open()};
    struct ppsweep_run_options options = {.experiment = ENDLESS,
                                          .output = "r.csv.gz",
                                          .time_limit_s = 0.05,
                                          .stop = watched.stop};
    struct ppsweep_error error;
    cr_assert_eq(run(options, NULL, &error), PPSWEEP_E_STOPPED, "%s", error.text);
    run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP,
                                           .output = "s.csv",
                                           .time_limit_s = 1000,
                                           .stop = watched.stop},
              NULL);
    ppsweep_stop_close(watched.stop);
}

static void refused(struct ppsweep_run_options options, int code, const char *file, int line,
                    int column, const char *text)
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
    refused((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = "r.txt"},
            PPSWEEP_E_INPUT, "", 0, 0, "r.txt");
    refused((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .output = "-"},
            PPSWEEP_E_INPUT, "", 0, 0, "");
    refused((struct ppsweep_run_options){.experiment = SMALL_SWEEP,
                                         .output = "r.csv",
                                         .metrics = "x"},
            PPSWEEP_E_INPUT, "", 0, 0, "unknown column");
    refused((struct ppsweep_run_options){.output = "r.csv"}, PPSWEEP_E_CALL, "", 0, 0,
            "expected an experiment");
    refused((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .threads = -1},
            PPSWEEP_E_CALL, "", 0, 0, "threads");
    refused((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .decimals = 99},
            PPSWEEP_E_CALL, "", 0, 0, "decimals");
    refused((struct ppsweep_run_options){.experiment = SMALL_SWEEP, .time_limit_s = -1},
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
    run_sweep((struct ppsweep_run_options){.experiment = SMALL_SWEEP,
                                           .output = "r.csv.gz",
                                           .decimals = -1},
              NULL);
    cr_assert_eq(ppsweep_model_open(&model, "contention", NULL, &error), PPSWEEP_OK);
    cr_assert_eq(ppsweep_table_read(&table, "r.csv.gz", NULL, &error), PPSWEEP_OK, "%s",
                 error.text);
    same_bits(table, model);
    ppsweep_table_close(table);
    ppsweep_model_close(model);
}
