// SPDX-License-Identifier: Apache-2.0
// Reads tables from CSV text. A cell never spans lines, as numbers do not need to.
#include "base/table/table_private.h"
#include "base/text/characters.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct table *table;
    const char *at, *end; // the rest of the text
    int64_t line;         // number of the current line, from 1
    struct pps_fault *fault;
};

struct line {
    const char *text;
    size_t n; // without the line end
};

static bool fail(const struct reading *reading, size_t column, const char *text)
{
    *reading->fault = (struct pps_fault){.line = (int)reading->line, .column = (int)column};
    return pps_fault_set(reading->fault, NULL, false, "%s", text);
}

// Returns the next line that is not empty or a comment; false at the end of the text.
static bool next_line(struct reading *reading, struct line *line)
{
    while (reading->at < reading->end) {
        const char *text = reading->at;
        const size_t left = (size_t)(reading->end - text);
        const char *newline = memchr(text, '\n', left);
        size_t n = newline != NULL ? (size_t)(newline - text) : left;
        reading->at += n + (newline != NULL);
        reading->line++;
        while (n > 0 && (text[n - 1] == '\r' || text[n - 1] == ' ' || text[n - 1] == '\t'))
            n--;
        *line = (struct line){text, n};
        size_t first = 0;
        while (first < n && (text[first] == ' ' || text[first] == '\t'))
            first++;
        if (first < n && text[first] != '#')
            return true;
    }
    return false;
}

// ---- cells ------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

// Reads a quoted cell at *at and moves *at behind its last quote.
static bool take_quoted(const struct reading *reading, const struct line *line, size_t *at,
                        struct table_cell *cell)
{
    const size_t begin = *at + 1;
    size_t i = begin;
    while (i < line->n &&
           (line->text[i] != '"' || (i + 1 < line->n && line->text[i + 1] == '"')))
        i += line->text[i] == '"' ? 2 : 1;
    if (i >= line->n)
        return fail(reading, begin, "the quote is not closed on this line");
    *cell = (struct table_cell){.text = line->text + begin,
                                .n = (uint32_t)(i - begin),
                                .place = (uint32_t)begin};
    *at = i + 1;
    while (*at < line->n && is_space(line->text[*at]))
        (*at)++;
    if (*at < line->n && line->text[*at] != ',')
        return fail(reading, *at + 1, "a comma must follow the closing quote");
    return true;
}

static void take_plain(const struct line *line, size_t *at, struct table_cell *cell)
{
    const size_t begin = *at;
    while (*at < line->n && line->text[*at] != ',')
        (*at)++;
    size_t end = *at;
    while (end > begin && is_space(line->text[end - 1]))
        end--;
    *cell = (struct table_cell){.text = line->text + begin,
                                .n = (uint32_t)(end - begin),
                                .place = (uint32_t)begin + 1};
}

// Splits a line into at most `cap` cells and returns their number; -1: the fault is set.
static int split(const struct reading *reading, const struct line *line,
                 struct table_cell *cells, int cap)
{
    size_t at = 0;
    for (int n = 0;; at++) {
        while (at < line->n && is_space(line->text[at]))
            at++;
        if (n == cap) {
            fail(reading, at + 1, "more cells than columns");
            return -1;
        }
        if (at >= line->n || line->text[at] != '"')
            take_plain(line, &at, &cells[n]);
        else if (!take_quoted(reading, line, &at, &cells[n]))
            return -1;
        n++;
        if (at >= line->n)
            return n;
    }
}

// ---- lines ------------------------------------------------------------------------------------

static bool check_text(struct reading *reading)
{
    const size_t n = (size_t)(reading->end - reading->at);
    reading->line = 0;
    if (n >= 2 && memcmp(reading->at, "\x1f\x8b", 2) == 0)
        return fail(reading, 0, "is compressed; unpack it first");
    if (n >= 2 &&
        (memcmp(reading->at, "\xff\xfe", 2) == 0 || memcmp(reading->at, "\xfe\xff", 2) == 0))
        return fail(reading, 0, "is UTF-16 text; save it as UTF-8");
    if (n > 0 && memchr(reading->at, '\0', n) != NULL)
        return fail(reading, 0, "contains a NUL byte and is not CSV text");
    reading->at += pps_utf8_mark(reading->at, n);
    return true;
}

static bool check_length(const struct reading *reading, const struct line *line)
{
    return line->n <= TABLE_LINE ||
           fail(reading, 0, "the line is longer than a line of numbers can be (1 MiB)");
}

static bool read_header(struct reading *reading)
{
    struct table *table = reading->table;
    struct table_cell cells[TABLE_COLUMNS];
    struct line line;
    if (!next_line(reading, &line)) {
        reading->line = 0;
        return fail(reading, 0, "is empty; the first line must name the columns");
    }
    if (!check_length(reading, &line))
        return false;
    table->header_line = reading->line;
    table->n_columns = split(reading, &line, cells, TABLE_COLUMNS);
    for (int c = 0; c < table->n_columns; c++)
        table->names[c] = (struct table_name){cells[c].text, cells[c].n};
    return table->n_columns > 0;
}

static bool grow(struct reading *reading)
{
    struct table *table = reading->table;
    if (table->n_rows < table->cap_rows)
        return true;
    const int64_t cap = table->cap_rows > 0 ? 2 * table->cap_rows : 16;
    if (cap > 2 * (int64_t)TABLE_ROWS)
        return fail(reading, 0, "more rows than a table may have (10 million)");
    void *cells =
        realloc(table->cells, (size_t)cap * (size_t)table->n_columns * sizeof *table->cells);
    if (cells != NULL)
        table->cells = cells;
    void *lines = realloc(table->lines, (size_t)cap * sizeof *table->lines);
    if (lines != NULL)
        table->lines = lines;
    if (cells == NULL || lines == NULL)
        return fail(reading, 0, "out of memory for the table");
    table->cap_rows = cap;
    return true;
}

static bool read_rows(struct reading *reading)
{
    struct table *table = reading->table;
    struct line line;
    while (next_line(reading, &line)) {
        if (!check_length(reading, &line) || !grow(reading))
            return false;
        struct table_cell *cells = &table->cells[table->n_rows * table->n_columns];
        const int n = split(reading, &line, cells, table->n_columns);
        if (n >= 0 && n < table->n_columns)
            return fail(reading, 0, "fewer cells than columns");
        if (n < 0)
            return false;
        table->lines[table->n_rows++] = reading->line;
    }
    return true;
}

bool table_read_csv(struct table **out, const char *text, size_t n, struct pps_fault *fault)
{
    struct table *table = *out = calloc(1, sizeof *table);
    struct reading reading = {.table = table, .fault = fault};
    if (table != NULL)
        table->text = malloc(n + 1);
    if (table == NULL || table->text == NULL) {
        table_free(table);
        *out = NULL;
        return fail(&reading, 0, "out of memory for the table");
    }
    if (n > 0)
        memcpy(table->text, text, n);
    reading.at = table->text;
    reading.end = table->text + n;
    if (check_text(&reading) && read_header(&reading) && read_rows(&reading))
        return true;
    table_free(table);
    *out = NULL;
    return false;
}
