// SPDX-License-Identifier: Apache-2.0
// Prints rows as a table.
#include "engine/cli/report/row_table.h"

#include "base/text/human.h"
#include "base/text/say.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 200, CELL_TEXT = 512 };

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

int pps_rowtable_columns(const struct pps_row_table *table,
                         const char *header,
                         const char *name)
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

static void widen(struct pps_row_table *table, const char *row)
{
    char cell[CELL_TEXT];
    const char *at = row;
    for (int k = 0; at != NULL && k < PPS_MAX_PARAMS + PPS_MAX_COLUMNS; k++) {
        at = next_cell(at, k >= table->params, cell);
        table->width[k] = larger(table->width[k], (int)strlen(cell));
        table->n = larger(table->n, k + 1);
    }
}

struct pps_row_table pps_rowtable(const char *header,
                                  int params,
                                  const struct pps_best_row *rows,
                                  size_t n)
{
    struct pps_row_table table = {.params = params};
    widen(&table, header);
    for (size_t i = 0; i < n; i++)
        widen(&table, rows[i].text);
    return table;
}

void pps_rowtable_line(const struct pps_row_table *table, const char *row, int columns)
{
    char cell[CELL_TEXT];
    const char *at = row;
    for (int k = 0; k < columns && at != NULL; k++) {
        at = next_cell(at, k >= table->params, cell);
        pps_say_part(stderr, "  %*s", table->width[k], cell);
    }
    fputc('\n', stderr);
}
