// SPDX-License-Identifier: Apache-2.0
// Formats rows as lines of CSV and as an aligned table.
#include "engine/read/row_text.h"

#include "base/text/characters.h"
#include "base/text/say.h"

#include <stdlib.h>
#include <string.h>

static void add_cell(struct text_buffer *row, struct pps_cell cell, bool first)
{
    if (!first)
        text_buffer_add_bytes(row, ",", 1);
    text_buffer_add_bytes(row, cell.text, cell.n);
}

enum pps_status pps_row_text_join(struct text_buffer *row, const struct pps_cell *cells,
                                  const int *columns, int n_columns, struct pps_error *err)
{
    text_buffer_clear(row);
    for (int i = 0; i < n_columns; i++)
        add_cell(row, cells[columns == NULL ? i : columns[i]], i == 0);
    return row->failed ? pps_fail_memory(err, "a row") : PPS_OK;
}

enum pps_status pps_row_text_header(struct text_buffer *row, const struct pps_view *view,
                                    struct pps_error *err)
{
    text_buffer_clear(row);
    for (int i = 0; i < view->n_columns; i++) {
        const char *name = view->columns[i].name;
        add_cell(row, (struct pps_cell){name, strlen(name)}, i == 0);
    }
    return row->failed ? pps_fail_memory(err, "a row") : PPS_OK;
}

// ---- table ----------------------------------------------------------------------------------

static size_t count_cells(const char *line)
{
    size_t n = 1;
    for (; (line = strchr(line, ',')) != NULL; n++)
        line++;
    return n;
}

// A number may have blanks between its digits.
static bool is_number(struct pps_cell cell)
{
    double number;
    return pps_cell_number(cell, &number) || (strcspn(cell.text, "0123456789") < cell.n &&
                                              strspn(cell.text, " .0123456789+-") >= cell.n);
}

// Wide characters count as one column of a terminal.
static void put_cell(FILE *out, struct pps_cell cell, size_t width, bool last)
{
    const size_t used = pps_utf8_count(cell.text, cell.n);
    const int pad = (int)(width > used ? width - used : 0);
    const bool right = is_number(cell);
    if (right)
        fprintf(out, "%*s", pad, "");
    pps_say_part(out, "%.*s", (int)cell.n, cell.text);
    if (!right && !last)
        fprintf(out, "%*s", pad, "");
    fputs(last ? "\n" : "  ", out);
}

static void put_line(FILE *out, const char *line, const size_t *widths, size_t n_columns)
{
    const char *const end = line + strlen(line);
    struct pps_cell cell;
    for (size_t c = 0; c < n_columns && line != NULL; c++) {
        line = pps_cell_next(line, end, &cell);
        put_cell(out, cell, widths[c], line == NULL || c + 1 == n_columns);
    }
}

static enum pps_status put_table(FILE *out, const char *const *lines, size_t n,
                                 struct pps_error *err)
{
    const size_t n_columns = n == 0 ? 0 : count_cells(lines[0]);
    size_t *widths = calloc(n_columns + 1, sizeof *widths);
    if (widths == NULL)
        return pps_fail_memory(err, "a row");
    for (size_t i = 0; i < n; i++) {
        const char *line = lines[i], *const end = line + strlen(line);
        struct pps_cell cell;
        for (size_t c = 0; c < n_columns && line != NULL; c++) {
            line = pps_cell_next(line, end, &cell);
            const size_t width = pps_utf8_count(cell.text, cell.n);
            if (width > widths[c])
                widths[c] = width;
        }
    }
    for (size_t i = 0; i < n; i++)
        put_line(out, lines[i], widths, n_columns);
    free(widths);
    return PPS_OK;
}

enum pps_status pps_row_text_write(FILE *out, const char *const *lines, size_t n, bool table,
                                   struct pps_error *err)
{
    if (table)
        return put_table(out, lines, n, err);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s\n", lines[i]);
    return PPS_OK;
}

enum pps_status pps_row_text_write_text(FILE *out, struct text_buffer *text, bool table,
                                        struct pps_error *err)
{
    size_t n = 0, room = 0;
    for (size_t i = 0; i < text->n; i++)
        room += text->text[i] == '\n';
    const char **lines = calloc(room + 1, sizeof *lines);
    if (lines == NULL || text->failed) {
        free(lines);
        return pps_fail_memory(err, "a table");
    }
    for (char *at = text->text, *end; n < room; at = end + 1) {
        end = strchr(at, '\n');
        *end = '\0';
        lines[n++] = at;
    }
    const enum pps_status status = pps_row_text_write(out, lines, n, table, err);
    free(lines);
    return status;
}
