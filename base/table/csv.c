// SPDX-License-Identifier: Apache-2.0
// Reads CSV line by line. A buffer finds the lines; csv_line.c splits plain lines, and libcsv
// splits lines with quotes and other unusual lines.
#include "base/table/csv.h"

#include "base/system/input_wait.h"
#include "base/table/csv_line.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { CHUNK = 1 << 16 };

struct pps_csv {
    char *name;
    int fd;
    struct csv_parser parser;
    bool parser_open;
    char *buffer;      // PPS_CSV_LINE + CHUNK bytes
    size_t begin, end; // unread bytes of the buffer
    bool at_end;
    const atomic_bool *stop; // or NULL
    double bytes, read;      // of the file: all (0: unknown), and those read
    uint64_t line;           // number of the row's last line, from 1
    XXH64_state_t *hash;
    const char *line_text; // the row's last line, for error places
    size_t line_n;
    // The current row.
    bool row_done, too_many;
    bool bad_line; // the line was read but is not CSV
    char *arena;
    size_t arena_n;
    size_t start[PPS_CSV_COLUMNS];
    struct pps_csv_row row;
};

static enum pps_status open_parts(struct pps_csv *csv, const char *path, struct pps_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    csv->fd = -1;
    csv->name = strdup(is_stdin ? "stdin" : path);
    csv->buffer = malloc(PPS_CSV_LINE + CHUNK);
    csv->arena = malloc(2 * PPS_CSV_LINE);
    csv->hash = XXH64_createState();
    if (csv->name == NULL || csv->buffer == NULL || csv->arena == NULL || csv->hash == NULL)
        return pps_fail_memory(err, "%s", path);
    XXH64_reset(csv->hash, 0);
    csv->parser_open = csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI) == 0;
    csv->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (csv->fd < 0 || !csv->parser_open)
        return pps_fail(err, PPS_E_INPUT, "cannot read %s: %s", path, strerror(errno));
    csv->bytes = pps_input_bytes(csv->fd);
    return PPS_OK;
}

void pps_csv_stop(struct pps_csv *csv, const atomic_bool *stop)
{
    csv->stop = stop;
}

double pps_csv_part(const struct pps_csv *csv)
{
    const double unread = (double)(csv->end - csv->begin);
    return csv->bytes > 0 ? fmin((csv->read - unread) / csv->bytes, 1) : (double)NAN;
}

enum pps_status pps_csv_open(struct pps_csv **out, const char *path, struct pps_error *err)
{
    struct pps_csv *csv = calloc(1, sizeof *csv);
    *out = NULL;
    if (csv == NULL)
        return pps_fail_memory(err, "%s", path);
    const enum pps_status status = open_parts(csv, path, err);
    if (status == PPS_OK)
        *out = csv;
    else
        pps_csv_close(csv);
    return status;
}

void pps_csv_close(struct pps_csv *csv)
{
    if (csv == NULL)
        return;
    if (csv->parser_open)
        csv_free(&csv->parser);
    if (csv->fd >= 0)
        close(csv->fd);
    XXH64_freeState(csv->hash);
    free(csv->name);
    free(csv->buffer);
    free(csv->arena);
    free(csv);
}

// ---- callbacks of libcsv ----------------------------------------------------------------------

static void on_cell(void *text, size_t n, void *self)
{
    struct pps_csv *csv = self;
    if (csv->row.n >= PPS_CSV_COLUMNS || csv->arena_n + n + 1 > 2 * PPS_CSV_LINE) {
        csv->too_many = true;
        return;
    }
    memcpy(csv->arena + csv->arena_n, text, n);
    csv->arena[csv->arena_n + n] = '\0';
    csv->start[csv->row.n] = csv->arena_n;
    csv->row.length[csv->row.n++] = n;
    csv->arena_n += n + 1;
}

static void on_row(int terminator, void *self)
{
    struct pps_csv *csv = self;
    (void)terminator;
    csv->row_done = true;
}

// ---- lines ------------------------------------------------------------------------------------

static char *line_end(const struct pps_csv *csv)
{
    return memchr(csv->buffer + csv->begin, '\n', csv->end - csv->begin);
}

bool pps_csv_has(const struct pps_csv_row *row, const char *text)
{
    for (int c = 0; c < row->n; c++)
        if (strcmp(row->text[c], text) == 0)
            return true;
    return false;
}

bool pps_csv_ready(const struct pps_csv *csv)
{
    return csv->at_end || line_end(csv) != NULL;
}

static enum pps_status fill(struct pps_csv *csv, struct pps_error *err)
{
    memmove(csv->buffer, csv->buffer + csv->begin, csv->end - csv->begin);
    csv->end -= csv->begin;
    csv->begin = 0;
    if (csv->end > PPS_CSV_LINE)
        return pps_fail_at(err, PPS_E_INPUT, csv->name, (int)csv->line + 1, 0,
                           "the line is longer than %d bytes", PPS_CSV_LINE);
    if (!pps_input_wait(csv->fd, csv->stop))
        return pps_fail(err, PPS_E_STOPPED, "stopped while waiting for input");
    const ssize_t n = read(csv->fd, csv->buffer + csv->end, CHUNK);
    if (n < 0 && errno == EINTR)
        return pps_fail(err, PPS_E_STOPPED, "stopped while waiting for input");
    if (n < 0)
        return pps_fail(err, PPS_E_INPUT, "cannot read %s: %s", csv->name, strerror(errno));
    if (csv->line == 0 && csv->end == 0 && n >= 2 && memcmp(csv->buffer, "\x1f\x8b", 2) == 0)
        return pps_fail_at(
            err, PPS_E_INPUT, csv->name, 0, 0,
            "is compressed; pipe it through gzip -dc and give - as the file name");
    XXH64_update(csv->hash, csv->buffer + csv->end, (size_t)n);
    if (csv->line == 0 && csv->end == 0 && n >= 3 &&
        memcmp(csv->buffer, "\xEF\xBB\xBF", 3) == 0)
        csv->begin = 3;
    csv->end += (size_t)n;
    csv->read += (double)n;
    csv->at_end = n == 0;
    return PPS_OK;
}

// Returns the next line with its newline; n = 0 at the end.
static enum pps_status next_line(struct pps_csv *csv, const char **line, size_t *n,
                                 struct pps_error *err)
{
    while (!pps_csv_ready(csv)) {
        enum pps_status status = fill(csv, err);
        if (status != PPS_OK)
            return status;
    }
    const char *newline = line_end(csv);
    *line = csv->buffer + csv->begin;
    *n = newline != NULL ? (size_t)(newline + 1 - *line) : csv->end - csv->begin;
    csv->begin += *n;
    csv->line += *n > 0;
    csv->line_text = *line;
    csv->line_n = *n;
    return PPS_OK;
}

static enum pps_status feed(struct pps_csv *csv, const char *line, size_t n,
                            struct pps_error *err)
{
    if (memchr(line, '\0', n) != NULL)
        return pps_csv_fail(csv, -1, err, "the line contains a NUL byte; this is not CSV text");
    const size_t taken = n > 0 ? csv_parse(&csv->parser, line, n, on_cell, on_row, csv) : 0;
    if (taken != n || (n == 0 && csv_fini(&csv->parser, on_cell, on_row, csv) != 0))
        return pps_csv_fail(csv, -1, err,
                            "misplaced quote: a quoted cell begins and ends with \"; write "
                            "\"\" for a quote inside");
    if (csv->too_many)
        return pps_csv_fail(csv, -1, err, "more than %d cells in a row", PPS_CSV_COLUMNS);
    return PPS_OK;
}

// Splits the row's line at its commas. Returns false if the line has quotes, or if the row
// ended with the file and its line is no longer in memory.
static bool cut_line(struct pps_csv *csv)
{
    const char *at = csv->line_text;
    size_t left = csv->line_n;
    while (left > 0 && (at[left - 1] == '\n' || at[left - 1] == '\r'))
        left--;
    if (left == 0 || memchr(at, '"', left) != NULL)
        return false;
    for (int c = 0; c < csv->row.n; c++) {
        const char *comma = memchr(at, ',', left);
        const size_t n = comma != NULL ? (size_t)(comma - at) : left;
        csv->row.raw[c] = at;
        csv->row.raw_length[c] = n;
        left -= n + (comma != NULL);
        at += n + (comma != NULL);
    }
    return left == 0;
}

enum pps_status pps_csv_next(struct pps_csv *csv, const struct pps_csv_row **row,
                             struct pps_error *err)
{
    csv->row.n = 0;
    csv->arena_n = 0;
    csv->row_done = csv->bad_line = false;
    bool is_first = true;
    *row = NULL;
    while (!csv->row_done) {
        const char *line;
        size_t n;
        enum pps_status status = next_line(csv, &line, &n, err);
        if (status != PPS_OK)
            return status;
        if (is_first && pps_csv_line_split(line, n, csv->arena, &csv->row)) {
            *row = &csv->row;
            return PPS_OK;
        }
        if (is_first)
            csv->row.n = 0;
        is_first = false;
        status = feed(csv, line, n, err);
        csv->bad_line = status != PPS_OK;
        if (status != PPS_OK)
            return status;
        if (n == 0)
            break;
    }
    for (int c = 0; c < csv->row.n; c++)
        csv->row.text[c] = csv->arena + csv->start[c];
    if (csv->row_done && !cut_line(csv))
        for (int c = 0; c < csv->row.n; c++) {
            csv->row.raw[c] = csv->row.text[c];
            csv->row.raw_length[c] = csv->row.length[c];
        }
    if (csv->row_done)
        *row = &csv->row;
    return PPS_OK;
}

bool pps_csv_skip(struct pps_csv *csv)
{
    if (!csv->bad_line)
        return false;
    csv_free(&csv->parser);
    csv->parser_open = csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI) == 0;
    csv->too_many = false;
    return csv->parser_open;
}

uint64_t pps_csv_digest(const struct pps_csv *csv)
{
    return XXH64_digest(csv->hash);
}

// Returns the column, from 1, where cell `column` begins in its line, or 0 if the line has
// quotes.
static int cell_column(const struct pps_csv *csv, int column)
{
    if (column < 0 || memchr(csv->line_text, '"', csv->line_n) != NULL)
        return 0;
    size_t at = 0;
    for (; column > 0 && at < csv->line_n; at++)
        column -= csv->line_text[at] == ',';
    return (int)at + 1;
}

enum pps_status pps_csv_fail(const struct pps_csv *csv, int column, struct pps_error *err,
                             const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pps_fail_at(err, PPS_E_INPUT, csv->name, (int)csv->line, cell_column(csv, column),
                       "%s", text);
}
