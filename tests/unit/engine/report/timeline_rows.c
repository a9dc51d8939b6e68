// SPDX-License-Identifier: Apache-2.0
// The rows whose timelines a page holds: the best of every amount of work, then the best of the cells.
#include "engine/report/timeline_rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 3, ROWS = 8 };

// work, x, objective
static const char *const cells[ROWS][COLUMNS] = {
    {"a", "1", "5"}, {"a", "2", "3"}, {"a", "2", "4"}, {"b", "1", "9"},
    {"b", "1", "7"}, {"b", "2", ""},  {"a", "1", "4"}, {"b", "3", "8"},
};

static struct pps_view_column names[COLUMNS] = {{.name = "work"}, {.name = "x"}, {.name = "t"}};
static struct pps_page_column columns[COLUMNS];
static int by[] = {0};
static const struct pps_kernel kernel = {.heatmap = {.x = "x", .y = NULL}};

static struct pps_page_rows make_rows(bool higher)
{
    struct pps_error err;
    struct pps_page_rows rows = {.objective = 2,
                                 .higher = higher,
                                 .columns = columns,
                                 .n = ROWS};
    rows.view.columns = names;
    rows.view.n_columns = COLUMNS;
    rows.view.kernel = &kernel;
    rows.work.by = by;
    rows.work.n_by = 1;
    for (int c = 0; c < COLUMNS; c++) {
        pps_page_column_free(&columns[c]);
        columns[c].numeric = c == 2;
        for (size_t i = 0; i < ROWS; i++) {
            const struct pps_cell cell = {cells[i][c], strlen(cells[i][c])};
            cr_assert_eq(pps_page_column_set(&columns[c], i, cell, &err), PPS_OK);
        }
    }
    return rows;
}

static void check(bool higher, size_t most, const size_t *best, const size_t *more,
                  size_t n_more)
{
    struct pps_page_rows rows = make_rows(higher);
    struct pps_timeline_rows chosen;
    struct pps_error err;
    cr_assert_eq(pps_timeline_rows_open(&chosen, &rows, 2, most, NULL, &err), PPS_OK);
    cr_assert_eq(chosen.n_best, 2);
    cr_assert_eq(memcmp(chosen.best, best, 2 * sizeof *best), 0);
    cr_assert_eq(chosen.n_more, n_more, "%zu", chosen.n_more);
    cr_assert_eq(memcmp(chosen.more, more, n_more * sizeof *more), 0);
    pps_timeline_rows_close(&chosen);
    for (int c = 0; c < COLUMNS; c++)
        pps_page_column_free(&columns[c]);
}

// Would catch a row in both lists, a row without a value, and rows that are not sorted.
Test(timeline_rows, best_of_work_and_of_cells)
{
    check(false, 10, (const size_t[]){1, 4}, (const size_t[]){6, 7}, 2);
    check(true, 10, (const size_t[]){0, 3}, (const size_t[]){7, 2}, 2);
}

Test(timeline_rows, at_most_so_many_cells)
{
    check(false, 2, (const size_t[]){1, 4}, (const size_t[]){6}, 1);
}

Test(timeline_rows, a_stop_ends_the_search)
{
    struct pps_page_rows rows = make_rows(false);
    struct pps_timeline_rows chosen;
    struct pps_error err;
    const atomic_bool stop = true;
    cr_assert_eq(pps_timeline_rows_open(&chosen, &rows, 2, 2, &stop, &err), PPS_E_STOPPED);
    pps_timeline_rows_close(&chosen);
    for (int c = 0; c < COLUMNS; c++)
        pps_page_column_free(&columns[c]);
}
