// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a result file, with a sliding window of text.
#include "engine/read/result.h"

#include "base/system/read_ahead.h"
#include "base/text/characters.h"
#include "engine/read/needed_blocks.h"
#include "engine/read/row_groups.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pps_result {
    struct pps_text_source *source;   // NULL: ahead or blocks replace it
    struct pps_read_ahead *ahead;     // or NULL
    struct pps_needed_blocks *blocks; // or NULL
    struct pps_row_groups *groups;    // of the source; NULL: lines of text
    bool is_started;                  // a row was asked for
    uint64_t needed;                  // pps_result_need
    struct pps_read_watch watch;
    char *name;    // for errors
    bool may_stop; // the file is a .part
    bool at_end;   // the source has ended
    char *window;
    size_t begin, end; // unread text in the window
    uint64_t line;     // number of the last line, from 1
    char *header;      // the header line, split at its commas
    const char **names;
    struct pps_cell *line_cells; // of the columns of the file
    struct pps_cell *cells;
    int n_columns; // of the file
    int n_joined;
    struct place *places; // of the columns that are not derived
    struct pps_result_derived derived[PPS_DERIVED_COLUMNS]; // columns behind those of the file
    char derived_text[PPS_DERIVED_COLUMNS][PPS_DERIVED_CELL];
    int n_derived;
};

// Where the cells of a column are in the file.
struct place {
    int column, other; // other: joined to it; -1: none
};

// ---- cells ----------------------------------------------------------------------------------

// Fails at the last line.
static enum pps_status result_fail_line(const struct pps_result *result, struct pps_error *err,
                                        const char *text)
{
    int line = result->line < INT_MAX ? (int)result->line : INT_MAX;
    return pps_fail_at(err, PPS_E_INPUT, result->name, line, 0, "%s", text);
}

static size_t count_commas(const char *text, size_t n)
{
    size_t commas = 0;
    for (size_t i = 0; i < n; i++)
        commas += text[i] == ',';
    return commas;
}

static enum pps_status split(struct pps_result *result, struct pps_cell line,
                             struct pps_error *err)
{
    char text[96];
    if (pps_cells_split(line.text, line.n, result->line_cells, result->n_columns) ==
        result->n_columns)
        return PPS_OK;
    snprintf(text, sizeof text, "%zu cells, but the header line has %d",
             count_commas(line.text, line.n) + 1, result->n_columns);
    return result_fail_line(result, err, text);
}

// Removes quotes around a cell. Returns false for any other quote.
static bool unquote(struct pps_cell *cell)
{
    if (cell->n >= 2 && cell->text[0] == '"' && cell->text[cell->n - 1] == '"')
        *cell = (struct pps_cell){cell->text + 1, cell->n - 2};
    return memchr(cell->text, '"', cell->n) == NULL;
}

static enum pps_status unquote_all(struct pps_result *result, struct pps_error *err)
{
    for (int i = 0; i < result->n_columns; i++)
        if (!unquote(&result->line_cells[i]))
            return result_fail_line(result, err,
                                    "a quoted cell with commas, quotes or newlines: "
                                    "results have none");
    return PPS_OK;
}

static enum pps_status cell_of_file(struct pps_result *result, int column,
                                    struct pps_cell *cell, struct pps_error *err)
{
    if (result->groups != NULL)
        return pps_row_groups_cell(result->groups, column, cell, err);
    *cell = result->line_cells[column];
    return PPS_OK;
}

// Sets the cell of a column that is not derived.
static enum pps_status take_cell(struct pps_result *result, int c, struct pps_error *err)
{
    const struct place *place = &result->places[c];
    struct pps_cell *cell = &result->cells[c], other = {"", 0};
    enum pps_status status = cell_of_file(result, place->column, cell, err);
    if (status != PPS_OK || place->other < 0)
        return status;
    status = cell_of_file(result, place->other, &other, err);
    if (status == PPS_OK && cell->n > 0 && other.n > 0)
        return result_fail_line(result, err,
                                "a number and a name for one parameter: one must be empty");
    if (cell->n == 0)
        *cell = other;
    return status;
}

// Sets the cells of the columns, one bit for each of the first 64; the columns behind them are always
// set.
static enum pps_status take_cells(struct pps_result *result, uint64_t columns,
                                  struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (result->groups == NULL && result->n_joined == 0) {
        memcpy(result->cells, result->line_cells,
               (size_t)result->n_columns * sizeof *result->cells);
        return PPS_OK;
    }
    for (int c = 0; c < result->n_columns - result->n_joined && status == PPS_OK; c++)
        if (c >= 64 || (columns >> c & 1) != 0)
            status = take_cell(result, c, err);
    return status;
}

enum pps_status pps_result_derive(struct pps_result *result,
                                  const struct pps_result_derived *derived,
                                  struct pps_error *err)
{
    if (result->n_derived == PPS_DERIVED_COLUMNS)
        return pps_fail(err, PPS_E_INPUT, "%s: more than %d derived columns", derived->name,
                        PPS_DERIVED_COLUMNS);
    result->names[pps_result_columns(result)] = derived->name;
    result->derived[result->n_derived++] = *derived;
    return PPS_OK;
}

// Writes the derived cells behind the others.
static void result_derive_cells(struct pps_result *result)
{
    const int n = result->n_columns - result->n_joined;
    for (int i = 0; i < result->n_derived; i++) {
        const struct pps_result_derived *derived = &result->derived[i];
        char *text = result->derived_text[i];
        result->cells[n + i] =
            (struct pps_cell){text, derived->write(derived->self, result->cells, text)};
    }
}

void pps_result_join(struct pps_result *result, int column, int other)
{
    const int n = pps_result_columns(result);
    result->places[column].other = result->places[other].column;
    result->n_joined++;
    memmove(result->names + other, result->names + other + 1,
            (size_t)(n - other - 1) * sizeof *result->names);
    memmove(result->places + other, result->places + other + 1,
            (size_t)(n - other - 1) * sizeof *result->places);
}

// Splits a line into the cells of the columns of the file.
static enum pps_status cut_line(struct pps_result *result, struct pps_cell line,
                                struct pps_error *err)
{
    if (memchr(line.text, '\0', line.n) != NULL)
        return result_fail_line(result, err, "a NUL byte: this is not text");
    bool has_quotes = memchr(line.text, '"', line.n) != NULL;
    enum pps_status status = split(result, line, err);
    return status == PPS_OK && has_quotes ? unquote_all(result, err) : status;
}

// ---- columns ----------------------------------------------------------------------------------

// Copies the cells of the header line into names that end with NUL.
static enum pps_status result_keep_names(struct pps_result *result, struct pps_cell line,
                                         struct pps_error *err)
{
    size_t n = count_commas(line.text, line.n) + 1;
    result->n_columns = (int)n;
    result->header = malloc(line.n + 1);
    result->names = calloc(n + PPS_DERIVED_COLUMNS, sizeof *result->names);
    result->cells = calloc(n + PPS_DERIVED_COLUMNS, sizeof *result->cells);
    result->line_cells = calloc(n, sizeof *result->line_cells);
    result->places = calloc(n, sizeof *result->places);
    if (result->header == NULL || result->names == NULL || result->cells == NULL ||
        result->line_cells == NULL || result->places == NULL)
        return pps_fail_memory(err, "the header line");
    memcpy(result->header, line.text, line.n);
    result->header[line.n] = '\0';
    enum pps_status status = cut_line(result, (struct pps_cell){result->header, line.n}, err);
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        const struct pps_cell *cell = &result->line_cells[i];
        const size_t at = (size_t)(cell->text - result->header);
        result->header[at + cell->n] = '\0';
        result->names[i] = result->header + at;
        result->places[i] = (struct place){(int)i, -1};
    }
    return status;
}

int pps_result_columns(const struct pps_result *result)
{
    return result->n_columns - result->n_joined + result->n_derived;
}

const char *pps_result_column_name(const struct pps_result *result, int column)
{
    return result->names[column];
}

int pps_result_find(const struct pps_result *result, const char *name)
{
    for (int i = 0; i < pps_result_columns(result); i++)
        if (strcmp(result->names[i], name) == 0)
            return i;
    return -1;
}

// ---- lines ----------------------------------------------------------------------------------

#define LINE_MAX_BYTES ((size_t)1 << 20)    // longest row
#define WINDOW_BYTES   (2 * LINE_MAX_BYTES) // a row always fits once it has begun

static enum pps_status read_text(struct pps_result *result, char *out, size_t cap, size_t *n,
                                 struct pps_error *err)
{
    uint64_t skipped;
    if (result->blocks == NULL)
        return result->ahead != NULL ? pps_read_ahead_read(result->ahead, out, cap, n, err)
                                     : pps_text_source_read(result->source, out, cap, n, err);
    // A block ends with a whole line, so no line is left when the next block begins.
    const enum pps_status status =
        pps_needed_blocks_read(result->blocks, out, cap, n, &skipped, err);
    result->line += skipped;
    return status;
}

static double part_of(const struct pps_result *result)
{
    if (result->blocks != NULL)
        return pps_needed_blocks_part(result->blocks);
    return result->ahead != NULL ? pps_read_ahead_part(result->ahead)
                                 : pps_text_source_part(result->source);
}

// Moves the unread text to the start of the window and reads more text behind it.
static enum pps_status slide(struct pps_result *result, struct pps_error *err)
{
    size_t n = result->end - result->begin;
    memmove(result->window, result->window + result->begin, n);
    result->begin = 0;
    result->end = n;
    enum pps_status status = read_text(result, result->window + n, WINDOW_BYTES - n, &n, err);
    result->end += n;
    result->at_end = status == PPS_OK && n == 0;
    if (status == PPS_OK && result->watch.read != NULL && result->line > 0)
        result->watch.read(result->watch.self, result->at_end ? 1 : part_of(result),
                           pps_result_row(result));
    return status;
}

// Handles the rest of the window at the end of the source: nothing, or a line without its
// newline.
static enum pps_status end_of_text(struct pps_result *result, struct pps_error *err)
{
    if (result->begin == result->end || result->may_stop)
        return PPS_OK;
    result->line++;
    return result_fail_line(result, err, "the last line has no newline: the file is truncated");
}

// Reads the next line without its newline; NULL at the end.
static enum pps_status next_line(struct pps_result *result, struct pps_cell *line,
                                 struct pps_error *err)
{
    size_t seen = 0; // bytes of this line known to contain no newline
    line->text = NULL;
    for (;;) {
        const char *start = result->window + result->begin;
        size_t n = result->end - result->begin;
        const char *newline = memchr(start + seen, '\n', n - seen);
        size_t length = newline == NULL ? n : (size_t)(newline - start);
        if (length > LINE_MAX_BYTES) {
            result->line++;
            return result_fail_line(result, err, "this line is longer than 1 MiB");
        }
        if (newline != NULL) {
            result->begin += length + 1;
            result->line++;
            *line = (struct pps_cell){start, length - (length > 0 && newline[-1] == '\r')};
            return PPS_OK;
        }
        seen = n;
        enum pps_status status = slide(result, err);
        if (status != PPS_OK)
            return status;
        if (result->at_end)
            return end_of_text(result, err);
    }
}

// ---- rows -------------------------------------------------------------------------------------

// Starts to read row groups, or ahead. Pipes are not read ahead: a thread that waits for one cannot be
// ended.
static enum pps_status start_rows(struct pps_result *result, struct pps_error *err)
{
    if (result->is_started || result->source == NULL)
        return PPS_OK;
    result->is_started = true;
    enum pps_status status =
        pps_row_groups_open(&result->groups, result->source, result->n_columns, err);
    if (status != PPS_OK || result->groups != NULL || !result->watch.ahead ||
        isnan(pps_text_source_part(result->source)))
        return status;
    status = pps_read_ahead_open(&result->ahead, result->source, err);
    if (status == PPS_OK)
        result->source = NULL;
    return status;
}

static enum pps_status next_of_groups(struct pps_result *result, struct pps_error *err)
{
    enum pps_row_step step;
    const enum pps_status status = pps_row_groups_next(result->groups, &step, err);
    result->at_end = step == PPS_ROW_END;
    if (status == PPS_OK && step != PPS_ROW_NEXT && result->watch.read != NULL)
        result->watch.read(result->watch.self, result->at_end ? 1 : part_of(result),
                           pps_result_row(result));
    result->line += !result->at_end;
    return status;
}

static enum pps_status next_of_lines(struct pps_result *result, struct pps_error *err)
{
    struct pps_cell line;
    const enum pps_status status = next_line(result, &line, err);
    return status == PPS_OK && line.text != NULL ? cut_line(result, line, err) : status;
}

// Lines are split as a whole, and derived columns may look at any cell.
static uint64_t needed(const struct pps_result *result)
{
    return result->groups != NULL && result->n_derived == 0 ? result->needed : UINT64_MAX;
}

static enum pps_status next_row(struct pps_result *result, struct pps_error *err)
{
    enum pps_status status = start_rows(result, err);
    if (status == PPS_OK)
        status =
            result->groups != NULL ? next_of_groups(result, err) : next_of_lines(result, err);
    if (status == PPS_OK && !result->at_end)
        status = take_cells(result, needed(result), err);
    if (status == PPS_E_INPUT && err->file[0] == '\0')
        snprintf(err->file, sizeof err->file, "%s", result->name);
    return status;
}

enum pps_status pps_result_next(struct pps_result *result, const struct pps_cell **cells,
                                struct pps_error *err)
{
    *cells = NULL;
    const enum pps_status status = next_row(result, err);
    if (status != PPS_OK || result->at_end)
        return status;
    result_derive_cells(result);
    *cells = result->cells;
    return PPS_OK;
}

void pps_result_need(struct pps_result *result, uint64_t columns)
{
    result->needed = columns;
}

enum pps_status pps_result_whole(struct pps_result *result, struct pps_error *err)
{
    return take_cells(result, ~needed(result), err);
}

uint64_t pps_result_row(const struct pps_result *result)
{
    return result->line - 1;
}

// ---- the header line ------------------------------------------------------------------------

static enum pps_status read_header(struct pps_result *result, struct pps_error *err)
{
    struct pps_cell line;
    enum pps_status status = next_line(result, &line, err);
    if (status != PPS_OK)
        return status;
    if (line.text == NULL)
        return pps_fail_at(err, PPS_E_INPUT, result->name, 0, 0,
                           "is empty: expected a header line");
    const size_t mark = pps_utf8_mark(line.text, line.n);
    if (line.n == mark)
        return result_fail_line(result, err, "the header line is empty");
    return result_keep_names(result, (struct pps_cell){line.text + mark, line.n - mark}, err);
}

// ---- opening --------------------------------------------------------------------------------

static bool is_part(const char *path)
{
    size_t n = strlen(path);
    return n >= 5 && strcmp(path + n - 5, ".part") == 0;
}

static enum pps_status start(struct pps_result *result, const char *path, struct pps_error *err)
{
    result->may_stop = is_part(path);
    result->name = strdup(strcmp(path, "-") == 0 ? "stdin" : path);
    result->window = malloc(WINDOW_BYTES);
    if (result->name == NULL || result->window == NULL)
        return pps_fail_memory(err, "%s", path);
    enum pps_status status = pps_text_source_open_stoppable(
        &result->source, path, result->may_stop, result->watch.stop, err);
    return status == PPS_OK ? read_header(result, err) : status;
}

enum pps_status pps_result_open(struct pps_result **result, const char *path,
                                struct pps_error *err)
{
    return pps_result_open_watched(result, path, &(struct pps_read_watch){.self = NULL}, err);
}

enum pps_status pps_result_open_watched(struct pps_result **result, const char *path,
                                        const struct pps_read_watch *watch,
                                        struct pps_error *err)
{
    *result = NULL;
    if (pps_ends_with(path, ".arrow") || pps_ends_with(path, ".npz"))
        return pps_fail(err, PPS_E_INPUT,
                        "%s: ppsweep does not read this format; name the .csv.gz, .csv or "
                        ".parquet file that it was converted from",
                        path);
    struct pps_result *r = calloc(1, sizeof *r);
    if (r == NULL)
        return pps_fail_memory(err, "%s", path);
    r->watch = *watch;
    r->needed = UINT64_MAX;
    enum pps_status status = start(r, path, err);
    if (status != PPS_OK) {
        pps_result_close(r);
        return status;
    }
    *result = r;
    return PPS_OK;
}

void pps_result_use_blocks(struct pps_result *result, struct pps_needed_blocks *blocks)
{
    const struct pps_block_counts counts = pps_needed_blocks_counts(blocks);
    pps_text_source_close(result->source);
    result->source = NULL;
    result->blocks = blocks;
    result->begin = result->end = 0;
    result->at_end = false;
    if (result->watch.chosen != NULL)
        result->watch.chosen(result->watch.self, &counts);
}

struct pps_block_counts pps_result_blocks(const struct pps_result *result)
{
    return result->blocks != NULL ? pps_needed_blocks_counts(result->blocks)
                                  : (struct pps_block_counts){.read = 0};
}

void pps_result_close(struct pps_result *result)
{
    if (result == NULL)
        return;
    pps_read_ahead_close(result->ahead);
    pps_row_groups_close(result->groups);
    pps_text_source_close(result->source);
    pps_needed_blocks_close(result->blocks);
    free(result->name);
    free(result->window);
    free(result->header);
    free(result->names);
    free(result->line_cells);
    free(result->cells);
    free(result->places);
    free(result);
}
