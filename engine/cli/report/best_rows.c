// SPDX-License-Identifier: Apache-2.0
// Prints the best rows of a run.
#include "engine/cli/report/best_rows.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/best/best.h"
#include "engine/best/tie_counts.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/work_groups.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Maximum numbers of printed rows and of printed lines about ties; there may be many groups.
enum { SHOWN_ROWS = 40, SHOWN_TIES = 8 };

// The table of the best rows of a run, with the same number of rows for every group.
struct table {
    struct pps_job_result *report;
    struct pps_best *const *groups;
    size_t n_groups, shown_groups, each;
    char *header;
};

static bool open_table(struct table *t, struct pps_job_result *r)
{
    *t = (struct table){.report = r};
    t->groups = pps_best_by_group_groups(&r->totals.best, &t->n_groups);
    t->header = pps_experiment_header(r->experiment);
    if (t->n_groups == 0 || t->header == NULL) {
        free(t->header);
        return false;
    }
    t->shown_groups = t->n_groups < SHOWN_ROWS ? t->n_groups : SHOWN_ROWS;
    t->each = t->n_groups > 1 ? SHOWN_ROWS / t->shown_groups : SIZE_MAX;
    return true;
}

static size_t shown_of(const struct table *t, const struct pps_best *group)
{
    return group->n < t->each ? group->n : t->each;
}

// ---- row table ----------------------------------------------------------------------------------

enum { LINE_WIDTH = 200, CELL_TEXT = 512 };

struct row_table {
    int params; // the first columns, which are parameters; values have blanks between groups of three digits
    int n; // columns
    int width[PPS_MAX_PARAMS + PPS_MAX_COLUMNS];
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// Returns the position of a name in the header, from 1.
static int place_of(const char *header, const char *name)
{
    int c = 1;
    for (const char *at = header; at != NULL; c++) {
        const size_t cell = strcspn(at, ",\n");
        if (strlen(name) == cell && strncmp(at, name, cell) == 0)
            return c;
        at = at[cell] == ',' ? at + cell + 1 : NULL;
    }
    return c - 1;
}

// Returns how many columns fit on a line; at least those up to the named column.
static int rowtable_columns(const struct row_table *table, const char *header, const char *name)
{
    const int least = place_of(header, name);
    int c = 0;
    for (int at = 0; c < table->n; c++) {
        at += table->width[c] + 2;
        if (c >= least && at > LINE_WIDTH)
            break;
    }
    return c;
}

// Copies the first cell of a row; values have blanks between groups of three digits. Returns the next cell, or NULL.
static const char *next_cell(const char *at, bool is_value, char out[CELL_TEXT])
{
    const size_t n = strcspn(at, ",\n");
    if (is_value)
        pps_human_cell(at, n, out, CELL_TEXT);
    else
        snprintf(out, CELL_TEXT, "%.*s", (int)n, at);
    return at[n] == ',' ? at + n + 1 : NULL;
}

static void widen(struct row_table *table, const char *row)
{
    char cell[CELL_TEXT];
    const char *at = row;
    for (int k = 0; at != NULL && k < PPS_MAX_PARAMS + PPS_MAX_COLUMNS; k++) {
        at = next_cell(at, k >= table->params, cell);
        table->width[k] = larger(table->width[k], (int)strlen(cell));
        table->n = larger(table->n, k + 1);
    }
}

// Returns the widths of all columns of n rows and their header.
static struct row_table rowtable(const char *header, int params,
                                 const struct pps_best_row *rows, size_t n)
{
    struct row_table table = {.params = params};
    widen(&table, header);
    for (size_t i = 0; i < n; i++)
        widen(&table, rows[i].text);
    return table;
}

// Prints the first cells of the header or of a row as one line on stderr.
static void rowtable_line(const struct row_table *table, const char *row, int columns)
{
    char cell[CELL_TEXT];
    const char *at = row;
    for (int k = 0; k < columns && at != NULL; k++) {
        at = next_cell(at, k >= table->params, cell);
        pps_say_part(stderr, "  %*s", table->width[k], cell);
    }
    fputc('\n', stderr);
}

// ---- rows -------------------------------------------------------------------------------------

// The best of a part is not the best of the sweep.
static void print_part(const struct pps_job_result *r)
{
    const struct pps_shard *shard = &r->sweep.shard;
    char part[48], all[48];
    if (r->experiment->n_points < r->experiment->space.n_points) {
        pps_human_count((double)r->experiment->n_points, part, sizeof part);
        pps_human_count((double)r->experiment->space.n_points, all, sizeof all);
        fprintf(stderr, ", of the first %s of %s points only", part, all);
    }
    if (shard->count > 0)
        fprintf(stderr, ", in shard %u of %u only", (unsigned)shard->index,
                (unsigned)shard->count);
}

// Prints "best of each n by total_time (lower is better)"; names the groups if there are
// several.
static void print_title(const struct table *t)
{
    struct pps_job_result *r = t->report;
    const struct pps_kernel *kernel = r->experiment->kernel;
    const struct pps_column *column = &kernel->columns[r->sweep.objective];
    fputs("best      ", stderr);
    for (int b = 0; b < r->sweep.n_by && t->n_groups > 1; b++)
        fprintf(stderr, "%s%s%s", b == 0 ? "of each " : ", ",
                kernel->params[r->sweep.by[b]].name, b == r->sweep.n_by - 1 ? " " : "");
    fprintf(stderr, "by %s (%s is better)", column->name,
            column->goal == PPS_HIGHER ? "higher" : "lower");
    print_part(r);
    fputc('\n', stderr);
}

static void print_rows(const struct table *t)
{
    struct pps_job_result *r = t->report;
    size_t n, shown = 0;
    const struct pps_best_row *rows = pps_best_by_group_rows(&r->totals.best, &n);
    const struct row_table table = rowtable(t->header, r->experiment->space.n_columns, rows, n);
    const int columns = rowtable_columns(
        &table, t->header, r->experiment->kernel->columns[r->sweep.objective].name);
    rowtable_line(&table, t->header, columns);
    for (size_t g = 0; g < t->shown_groups; g++)
        for (size_t i = 0; i < shown_of(t, t->groups[g]); i++, shown++)
            rowtable_line(&table, t->groups[g]->rows[i].text, columns);
    if (shown < n)
        fprintf(stderr, "  ... and %s more\n", pps_count_text((double)(n - shown)).text);
    if (columns < table.n)
        fprintf(stderr, "  ... and %d more column%s\n", table.n - columns,
                table.n - columns == 1 ? "" : "s");
}

// Prints the row that is nearest to being feasible, if no row is feasible.
static void print_nearest(struct pps_job_result *r)
{
    size_t n;
    const struct pps_best_row *rows = pps_best_by_group_rows(&r->totals.nearest, &n);
    char *header = pps_experiment_header(r->experiment);
    fputs("best      none: no point is feasible", stderr);
    print_part(r);
    fputc('\n', stderr);
    if (n > 0 && header != NULL) {
        fprintf(stderr, "nearest   by %s\n", r->experiment->kernel->nearest);
        const struct row_table table =
            rowtable(header, r->experiment->space.n_columns, rows, n);
        rowtable_line(&table, header, table.n);
        rowtable_line(&table, rows[0].text, table.n);
    }
    free(header);
}

// ---- equal rows -------------------------------------------------------------------------------

// Returns the cells of a row that contain parameters: the parameters of the groups, or the
// other parameters that vary.
static uint64_t cells_of(struct pps_job_result *r, bool of_groups)
{
    const struct pps_space *space = &r->experiment->space;
    uint64_t cells = 0;
    for (int c = 0; c < space->n_columns && c < 64; c++) {
        bool grouped = false;
        for (int b = 0; b < r->sweep.n_by; b++)
            grouped = grouped || r->sweep.by[b] == space->columns[c];
        if (grouped == of_groups && pps_param_varies(r->experiment, space->columns[c]))
            cells |= (uint64_t)1 << c;
    }
    return cells;
}

static void print_ties(const struct table *t)
{
    const uint64_t group_cells = cells_of(t->report, true);
    const uint64_t other_cells = cells_of(t->report, false);
    size_t more = 0, said = 0;
    for (size_t g = 0; g < t->n_groups; g++) {
        const struct pps_best_ties ties = pps_best_ties(t->groups[g]);
        const size_t shown = g < t->shown_groups ? shown_of(t, t->groups[g]) : 0;
        const size_t equal = shown < ties.kept ? shown : ties.kept;
        if (ties.n <= equal || shown == 0)
            continue;
        if (said++ >= SHOWN_TIES) {
            more++;
            continue;
        }
        fputs("ties      ", stderr);
        if (t->n_groups > 1 &&
            pps_print_cells(stderr, t->header, t->groups[g]->rows[0].text, group_cells) > 0)
            fputs(": ", stderr);
        pps_print_ties(stderr, &ties, equal, t->header, t->groups[g]->rows[0].text,
                       other_cells);
        fputc('\n', stderr);
    }
    if (more > 0)
        fprintf(stderr, "          and equal best rows in %s more groups\n",
                pps_count_text((double)more).text);
}

bool pps_bestrows_have_ties(struct pps_job_result *r)
{
    size_t n;
    struct pps_best *const *groups = pps_best_by_group_groups(&r->totals.best, &n);
    for (size_t g = 0; g < n; g++) {
        const struct pps_best_ties ties = pps_best_ties(groups[g]);
        if (ties.n > ties.kept)
            return true;
    }
    return false;
}

// ---- all --------------------------------------------------------------------------------------

void pps_bestrows_print(struct pps_job_result *r)
{
    const uint64_t asked = r->totals.judged > 0 ? r->totals.judged : r->totals.counts.rows;
    struct table table;
    if (!open_table(&table, r)) {
        if (r->totals.counts.infeasible > 0 && r->totals.counts.infeasible == asked)
            print_nearest(r);
        return;
    }
    print_title(&table);
    print_rows(&table);
    if ((r->job->by == NULL) && table.n_groups > 1)
        fputs(
            "          rows of different groups do different amounts of work; --by none ranks all together\n",
            stderr);
    print_ties(&table);
    free(table.header);
}
