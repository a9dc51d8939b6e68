// SPDX-License-Identifier: Apache-2.0
// Finds the best rows of a result with one heap per group, or sorts all rows with an external
// sort.
#include "engine/read/top.h"

#include "base/text/grow_list.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/best/best.h"
#include "engine/best/tie_counts.h"
#include "engine/manifest/manifest_file.h"
#include "engine/read/constant_columns.h"
#include "engine/read/grouping.h"
#include "engine/read/row_text.h"
#include "engine/sort/row_sort.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rows that the heaps of all groups may keep together: with rows of 150 bytes, about 1 GB.
#define MAX_KEPT 4000000

// The columns that are needed are determined after the first row and again after this number of rows.
#define ROWS_PER_LOOK 1024

// Lines about groups that have equal best rows.
#define MAX_TIES 8

struct top {
    const struct pps_top_ask *ask;
    struct pps_top_count *count;
    struct pps_view view;
    int objective;
    struct pps_grouping grouping;
    struct text_buffer row;
    struct pps_constant_columns constants; // of all rows read
    struct pps_row_sort *sort;
    struct pps_best *bests; // one a group
    size_t n_bests, bests_room;
    size_t kept;
    bool some_are_counted; // the result does not hold all rows that equal its best ones
};

// ---- what to do -----------------------------------------------------------------------------

static enum pps_status open_top(struct top *top, struct pps_error *err)
{
    const struct pps_top_ask *ask = top->ask;
    enum pps_status status = pps_view_open(&top->view, &ask->view, err);
    if (status == PPS_OK)
        status =
            pps_view_objective(&top->view, "--objective", ask->objective, &top->objective, err);
    if (status == PPS_OK)
        status =
            pps_grouping_open(&top->grouping, &top->view, ask->by, &top->objective, 1, err);
    if (status == PPS_OK)
        status = pps_constant_columns_open(&top->constants, top->view.n_columns, err);
    if (status != PPS_OK)
        return status;
    const struct pps_view_column *column = &top->view.columns[top->objective];
    const enum pps_goal goal = ask->goal == PPS_NEUTRAL ? column->goal : ask->goal;
    top->count->higher = goal == PPS_HIGHER;
    snprintf(top->count->objective, sizeof top->count->objective, "%s", column->name);
    return PPS_OK;
}

static void close_top(struct top *top)
{
    for (size_t i = 0; i < top->n_bests; i++)
        pps_best_free(&top->bests[i]);
    free(top->bests);
    pps_grouping_close(&top->grouping);
    text_buffer_free(&top->row);
    pps_constant_columns_close(&top->constants);
    pps_row_sort_close(top->sort);
    pps_view_close(&top->view);
}

// ---- all rows, sorted -----------------------------------------------------------------------

static bool is_stopped(const struct top *top)
{
    const atomic_bool *stop = top->ask->view.watch.stop;
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

static enum pps_status write_sorted(struct top *top, struct pps_error *err)
{
    FILE *out = top->ask->out;
    struct pps_sort_row row;
    fprintf(out, "%s\n", top->row.text);
    for (;;) {
        if (is_stopped(top))
            return pps_fail(err, PPS_E_STOPPED, "stopped while sorting");
        const enum pps_status status = pps_row_sort_next(top->sort, &row, err);
        if (status != PPS_OK || row.text == NULL)
            return status;
        fwrite(row.text, 1, row.n, out);
        // The reader has closed the pipe, or the disk is full: the owner of `out` reports the
        // error.
        if (fputc('\n', out) == EOF)
            return PPS_OK;
        top->count->written++;
    }
}

static enum pps_status sort_row(struct top *top, const struct pps_cell *cells, double value,
                                struct pps_error *err)
{
    enum pps_status status =
        pps_row_text_join(&top->row, cells, NULL, top->view.n_columns, err);
    if (status == PPS_OK)
        status = pps_row_sort_add(
            top->sort,
            &(struct pps_sort_row){value, top->count->rows, top->row.text, top->row.n}, err);
    return status;
}

// ---- the best -------------------------------------------------------------------------------

static enum pps_status find_group(struct top *top, const struct pps_cell *cells,
                                  uint32_t *group, struct pps_error *err)
{
    const enum pps_status status = pps_grouping_find(&top->grouping, cells, group, err);
    if (status != PPS_OK || *group < top->n_bests)
        return status;
    struct pps_best *bests =
        pps_grow(top->bests, &top->bests_room, top->n_bests + 1, sizeof *bests);
    if (bests == NULL)
        return pps_fail_memory(err, "the groups of --by");
    top->bests = bests;
    pps_best_init(&top->bests[top->n_bests], (size_t)top->ask->k, top->count->higher);
    top->bests[top->n_bests++].ties = top->ask->ties;
    return PPS_OK;
}

static enum pps_status keep_row(struct top *top, const struct pps_cell *cells, uint32_t group,
                                double value, struct pps_error *err)
{
    struct pps_best *best = &top->bests[group];
    const size_t before = best->n;
    enum pps_status status = pps_result_whole(top->view.result, err);
    if (status == PPS_OK)
        status = pps_row_text_join(&top->row, cells, NULL, top->view.n_columns, err);
    if (status == PPS_OK)
        status = pps_best_add(best, value, top->count->rows, top->row.text, top->row.n, err);
    top->kept = top->kept - before + best->n;
    if (status == PPS_OK && top->kept > MAX_KEPT)
        status = pps_fail(err, PPS_E_INPUT,
                          "more than %d rows to keep; choose a smaller -k, fewer columns in "
                          "--by, or sort everything with --all",
                          MAX_KEPT);
    return status;
}

static enum pps_status best_row(struct top *top, const struct pps_cell *cells, double value,
                                struct pps_error *err)
{
    uint32_t group;
    const enum pps_status status = find_group(top, cells, &group, err);
    if (status != PPS_OK || !pps_best_would_take(&top->bests[group], value))
        return status;
    return keep_row(top, cells, group, value, err);
}

// All lines in order: the header, then the rows group by group.
static const char **list_lines(struct top *top)
{
    const char **lines = calloc(top->kept + 1, sizeof *lines);
    size_t n = 0;
    if (lines == NULL)
        return NULL;
    lines[n++] = top->row.text;
    for (size_t i = 0; i < top->n_bests; i++) {
        size_t n_rows;
        const struct pps_best_row *rows = pps_best_sorted(&top->bests[i], &n_rows);
        for (size_t r = 0; r < n_rows; r++)
            lines[n++] = rows[r].text;
    }
    return lines;
}

static enum pps_status write_best(struct top *top, struct pps_error *err)
{
    const char **lines = list_lines(top);
    if (lines == NULL)
        return pps_fail_memory(err, "the best rows");
    const enum pps_status status =
        pps_row_text_write(top->ask->out, lines, top->kept + 1, top->ask->table, err);
    top->count->written = top->kept;
    free(lines);
    return status;
}

// ---- equal rows -----------------------------------------------------------------------------

// Rows that a run with --only-top has counted belong to a group where all that chooses it, and the
// value, are the same in all of them.
static enum pps_status add_counted(struct top *top, const cJSON *item, const char *header,
                                   struct pps_cell *cells, struct pps_error *err)
{
    struct pps_best_equal equal;
    uint64_t decides = pps_view_filtered(&top->view) | pps_column_bit(top->objective);
    uint32_t group;
    double value;
    for (int b = 0; b < top->grouping.n_by; b++)
        decides |= pps_column_bit(top->grouping.by[b]);
    if (!pps_counted_read(item, header, &equal) || (equal.differ & decides) != 0)
        return PPS_OK;
    pps_cells_split(equal.text, equal.text_n, cells, top->view.n_columns);
    if (!pps_view_passes(&top->view, cells) || !pps_cell_number(cells[top->objective], &value))
        return PPS_OK;
    enum pps_status status = pps_grouping_find(&top->grouping, cells, &group, err);
    top->some_are_counted = true;
    if (status == PPS_OK && group < top->n_bests)
        status = pps_best_count(&top->bests[group], value, &equal, err);
    return status;
}

static enum pps_status read_counted(struct top *top, const char *header, struct pps_error *err)
{
    cJSON *manifest = NULL;
    const cJSON *item;
    struct pps_cell *cells = calloc((size_t)top->view.n_columns, sizeof *cells);
    enum pps_status status = PPS_OK;
    if (cells == NULL)
        return pps_fail_memory(err, "%s", top->view.path);
    if (strcmp(top->view.path, "-") != 0)
        status = pps_manifest_known(top->view.path, &manifest, err);
    const cJSON *only = cJSON_GetObjectItemCaseSensitive(manifest, "only_top");
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(only, "equal")) {
        if (status == PPS_OK)
            status = add_counted(top, item, header, cells, err);
    }
    cJSON_Delete(manifest);
    free(cells);
    return status;
}

// Returns the columns that tell rows apart: the parameters that vary or, in a result without a manifest,
// all columns but the objective.
static uint64_t telling_cells(const struct top *top)
{
    uint64_t cells = 0;
    for (int c = 0; c < top->view.n_columns; c++) {
        const bool param = top->view.roles_known ? top->view.columns[c].role == PPS_ROLE_PARAM
                                                 : c != top->objective;
        if (param && top->constants.list[c].varied)
            cells |= pps_column_bit(c);
    }
    return cells;
}

// Groups that nobody has asked for.
static void say_groups(const struct top *top)
{
    FILE *talk = top->ask->talk;
    if (top->n_bests < 2 || top->ask->by != NULL)
        return;
    fprintf(talk, "ppsweep: the best %s of each ", pps_count_text((double)top->ask->k).text);
    for (int b = 0; b < top->grouping.n_by; b++)
        pps_say_part(talk, "%s%s", b > 0 ? ", " : "",
                     top->view.columns[top->grouping.by[b]].name);
    fputs(": rows of different groups do different amounts of work; --by none ranks all "
          "together\n",
          talk);
}

static void say_ties(const struct top *top)
{
    FILE *talk = top->ask->talk;
    const uint64_t telling = telling_cells(top);
    uint64_t groups = 0;
    int said = 0;
    for (int b = 0; b < top->grouping.n_by; b++)
        groups |= pps_column_bit(top->grouping.by[b]);
    for (size_t g = 0; g < top->n_bests; g++) {
        const struct pps_best_ties ties = pps_best_ties(&top->bests[g]);
        if (ties.n <= ties.kept)
            continue;
        if (said++ == MAX_TIES) {
            fprintf(talk, "ppsweep: there are equal best rows in more groups\n");
            return;
        }
        const char *row = top->bests[g].rows[0].text;
        fputs("ppsweep: ", talk);
        if (top->n_bests > 1 && pps_print_cells(talk, top->row.text, row, groups) > 0)
            fputs(": ", talk);
        pps_print_ties(talk, &ties, ties.kept, top->row.text, row, telling & ~groups);
        fputs(top->some_are_counted ? "\n" : " (--ties writes all)\n", talk);
    }
}

// ---- both -----------------------------------------------------------------------------------

// The columns that decide whether a row is kept, and those that may still be constant.
static uint64_t deciding_cells(const struct top *top)
{
    uint64_t cells = pps_view_filtered(&top->view) | pps_column_bit(top->objective);
    cells |= pps_column_bit(top->view.first);
    for (int b = 0; b < top->grouping.n_by; b++)
        cells |= pps_column_bit(top->grouping.by[b]);
    for (int c = 0; c < top->view.n_columns; c++)
        if (!top->constants.list[c].varied)
            cells |= pps_column_bit(c);
    return top->ask->all ? UINT64_MAX : cells;
}

static enum pps_status read_rows(struct top *top, struct pps_error *err)
{
    for (;; top->count->rows++) {
        const struct pps_cell *cells;
        if (top->count->rows % ROWS_PER_LOOK == 1)
            pps_result_need(top->view.result, deciding_cells(top));
        enum pps_status status = pps_view_next(&top->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        double value;
        if (pps_view_is_done(&top->view, cells) &&
            pps_cell_number(cells[top->objective], &value))
            top->count->valued++;
        else
            value = (double)NAN;
        status = pps_constant_columns_note(&top->constants, cells, err);
        if (status != PPS_OK)
            return status;
        status =
            top->ask->all ? sort_row(top, cells, value, err) : best_row(top, cells, value, err);
        if (status != PPS_OK)
            return status;
    }
}

static enum pps_status run_top(struct top *top, struct pps_error *err)
{
    const struct pps_top_ask *ask = top->ask;
    enum pps_status status = open_top(top, err);
    if (status == PPS_OK && ask->all)
        status = pps_row_sort_open(&top->sort, ask->memory_bytes, top->count->higher,
                                   ask->folder, err);
    if (status == PPS_OK)
        status = read_rows(top, err);
    if (status == PPS_OK)
        status = pps_row_text_header(&top->row, &top->view, err);
    if (status == PPS_OK && !ask->all)
        status = read_counted(top, top->row.text, err);
    if (status == PPS_OK)
        status = ask->all ? write_sorted(top, err) : write_best(top, err);
    if (status == PPS_OK && !ask->all && ask->talk != NULL) {
        say_groups(top);
        say_ties(top);
    }
    return status;
}

enum pps_status pps_top(const struct pps_top_ask *ask, struct pps_top_count *count,
                        struct pps_error *err)
{
    struct top top = {.ask = ask, .count = count};
    *count = (struct pps_top_count){0};
    const enum pps_status status = run_top(&top, err);
    close_top(&top);
    return status;
}
