// SPDX-License-Identifier: Apache-2.0
// Sorts rows into columns, with markers around the whole numbers.
#include "planner/exchange/mps_rows.h"

#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 1 << 25 };

static void *grow(struct nd_mps_rows *rows, void *array, size_t n, size_t *cap, size_t size)
{
    void *grown = n < NUMBERS_MAX ? pps_grow(array, cap, n + 1, size) : NULL;
    rows->failed = rows->failed || grown == NULL;
    return grown;
}

void nd_mps_begin(struct nd_mps_rows *rows, int group, char sense, double right)
{
    struct nd_mps_row *grown =
        grow(rows, rows->rows, (size_t)rows->n_rows, &rows->cap_rows, sizeof *grown);
    if (grown == NULL)
        return;
    rows->rows = grown;
    rows->rows[rows->n_rows++] =
        (struct nd_mps_row){group, rows->of_group[group]++, sense, right};
}

void nd_mps_put(struct nd_mps_rows *rows, int32_t variable, double value)
{
    const int32_t row = (int32_t)rows->n_rows - 1;
    if (value == 0.0 || rows->failed)
        return;
    struct nd_mps_number *grown =
        grow(rows, rows->numbers, (size_t)rows->n_numbers, &rows->cap_numbers, sizeof *grown);
    if (grown == NULL)
        return;
    rows->numbers = grown;
    rows->numbers[rows->n_numbers++] = (struct nd_mps_number){row, variable, value};
}

void nd_mps_rows_free(struct nd_mps_rows *rows)
{
    free(rows->rows);
    free(rows->numbers);
    *rows = (struct nd_mps_rows){0};
}

// ---- the file -----------------------------------------------------------------------------------

static void add_row_name(struct text_buffer *text, const struct nd_mps_rows *rows, int64_t r)
{
    const struct nd_mps_row *row = &rows->rows[r];
    text_buffer_add(text, "%s%d", rows->groups[row->group], row->number);
}

// Numbers in the order of columns, of one column in the order of rows; NULL: no memory.
static struct nd_mps_number *by_column(const struct nd_mps_rows *rows, int32_t n_columns)
{
    struct nd_mps_number *sorted = malloc(((size_t)rows->n_numbers + 1) * sizeof *sorted);
    int64_t *next = calloc((size_t)n_columns + 1, sizeof *next);
    if (sorted == NULL || next == NULL) {
        free(sorted);
        free(next);
        return NULL;
    }
    for (int64_t i = 0; i < rows->n_numbers; i++)
        next[rows->numbers[i].column + 1]++;
    for (int32_t c = 0; c < n_columns; c++)
        next[c + 1] += next[c];
    for (int64_t i = 0; i < rows->n_numbers; i++)
        sorted[next[rows->numbers[i].column]++] = rows->numbers[i];
    free(next);
    return sorted;
}

// One more line of a column, for a row's number or the sum of them.
static void add_number(struct text_buffer *text, const struct nd_mps_rows *rows,
                       const char *name, int32_t row, double value)
{
    if (value == 0.0)
        return;
    text_buffer_add(text, " %s ", name);
    add_row_name(text, rows, row);
    text_buffer_add(text, " ");
    text_buffer_add_number(text, value);
    text_buffer_add(text, "\n");
}

static void add_marker(struct text_buffer *text, int *count, bool begins)
{
    text_buffer_add(text, " MARKER%d 'MARKER' '%s'\n", (*count)++,
                    begins ? "INTORG" : "INTEND");
}

static void add_columns(struct text_buffer *text, const struct nd_mps_rows *rows,
                        const struct nd_mps_number *sorted, const struct nd_mps_layout *layout)
{
    char name[ND_MPS_NAME_CAP];
    bool integer = false;
    int markers = 0;
    int64_t at = 0;
    text_buffer_add(text, "COLUMNS\n");
    for (int32_t c = 0; c < layout->n_variables; c++) {
        if (nd_mps_is_integer(layout, c) != integer) {
            integer = !integer;
            add_marker(text, &markers, integer);
        }
        nd_mps_name(layout, c, name);
        if (at == rows->n_numbers || sorted[at].column != c) // a column has one line at least
            text_buffer_add(text, " %s objective0 0\n", name);
        while (at < rows->n_numbers && sorted[at].column == c) {
            const int32_t row = sorted[at].row;
            double sum = 0.0;
            for (; at < rows->n_numbers && sorted[at].column == c && sorted[at].row == row;
                 at++)
                sum += sorted[at].value;
            add_number(text, rows, name, row, sum);
        }
    }
    if (integer)
        add_marker(text, &markers, false);
}

bool nd_mps_rows_write(struct text_buffer *text, struct nd_mps_rows *rows,
                       const struct nd_mps_layout *layout)
{
    struct nd_mps_number *sorted = by_column(rows, layout->n_variables);
    if (sorted == NULL)
        return false;
    text_buffer_add(text, "ROWS\n");
    for (int64_t r = 0; r < rows->n_rows; r++) {
        text_buffer_add(text, " %c ", rows->rows[r].sense);
        add_row_name(text, rows, r);
        text_buffer_add(text, "\n");
    }
    add_columns(text, rows, sorted, layout);
    text_buffer_add(text, "RHS\n");
    for (int64_t r = 0; r < rows->n_rows; r++)
        add_number(text, rows, "RHS", (int32_t)r, rows->rows[r].right);
    free(sorted);
    return true;
}
