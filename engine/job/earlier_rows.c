// SPDX-License-Identifier: Apache-2.0
// Reads blocks of earlier rows, and walks the points of a block to number its rows.
#include "engine/job/earlier_rows_private.h"

#include "base/table/cell.h"
#include "engine/space/value.h"

#include <stdlib.h>
#include <string.h>

// ---- points of a block ------------------------------------------------------------------------

static void enter_block(struct pps_earlier_rows *reader, uint64_t block)
{
    const struct pps_experiment *e = reader->ask->sweep->experiment;
    const struct pps_blocks blocks = {e->n_points, reader->ask->sweep->block_points};
    const uint64_t first = block * blocks.block_points;
    reader->end = first + pps_blocks_points(blocks, block);
    reader->next_row = 0;
    pps_cursor_seek(reader->cursor, &e->space, first);
}

// Returns the number of the point of this row of the block. Rows must ascend from call to call.
static uint64_t point_of_row(struct pps_earlier_rows *reader, uint64_t row)
{
    struct pps_left_out unused[PPS_MAX_REASONS] = {{0, 0}};
    uint64_t index = reader->end;
    while (reader->next_row <= row && pps_cursor_next(reader->cursor, reader->end, unused)) {
        index = reader->cursor->index;
        for (int b = 0; b < reader->ask->sweep->n_by; b++)
            reader->key[b] = reader->cursor->point[reader->ask->sweep->by[b]];
        pps_cursor_step(reader->cursor);
        reader->next_row++;
    }
    return index;
}

void pps_earlier_rows_left_out(struct pps_earlier_rows *reader,
                               uint64_t block,
                               struct pps_left_out left_out[PPS_MAX_REASONS])
{
    enter_block(reader, block);
    while (pps_cursor_next(reader->cursor, reader->end, left_out))
        pps_cursor_step(reader->cursor);
}

// ---- rows of a block --------------------------------------------------------------------------

static int cell_of_column(const struct pps_experiment *e, int column)
{
    int cell = pps_space_cells(&e->space);
    for (int c = 0; c < column; c++)
        cell += e->wanted[c];
    return column < 0 ? -1 : cell;
}

// Returns the column that compares infeasible rows; -1 if it is not needed.
static int column_of_nearest(const struct pps_resume_ask *ask)
{
    const bool any = ask->prefix->counts.rows > 0 &&
                     ask->prefix->counts.infeasible == ask->prefix->counts.rows;
    return any ? ask->sweep->experiment->nearest : -1;
}

// The kernel's first column is empty in rows of infeasible points.
static bool is_done(const struct pps_earlier_rows *reader, const char *line, const char *end)
{
    const struct pps_experiment *e = reader->ask->sweep->experiment;
    double value;
    return !e->wanted[0] ||
           pps_cell_number(pps_cell_at(line, end, pps_space_cells(&e->space)), &value);
}

// Adds a row. If rows are kept by group, the point of every row is needed; otherwise only the
// points of good rows.
static enum pps_status add_row(struct pps_earlier_rows *reader,
                               uint64_t row,
                               double value,
                               const char *text,
                               size_t n,
                               struct pps_error *err)
{
    uint64_t index = reader->ask->sweep->n_by > 0 ? point_of_row(reader, row) : 0;
    if (!pps_best_by_group_would_take(&reader->best, reader->key, value))
        return PPS_OK;
    if (reader->ask->sweep->n_by == 0)
        index = point_of_row(reader, row);
    return pps_best_by_group_add(&reader->best, reader->key, value, index, text, n, err);
}

static enum pps_status add_infeasible(struct pps_earlier_rows *reader,
                                      uint64_t row,
                                      const char *text,
                                      const char *end,
                                      struct pps_error *err)
{
    double value;
    if (reader->need < 0 || !pps_cell_number(pps_cell_at(text, end, reader->need), &value) ||
        !pps_best_by_group_would_take(&reader->nearest, NULL, value))
        return PPS_OK;
    return pps_best_by_group_add(&reader->nearest, NULL, value, point_of_row(reader, row), text,
                                 (size_t)(end - text), err);
}

enum pps_status pps_earlier_rows_add(struct pps_earlier_rows *reader,
                                     const struct pps_index_record *record,
                                     const char *text,
                                     struct pps_error *err)
{
    const char *end = text + record->text_bytes;
    enum pps_status status = PPS_OK;
    enter_block(reader, record->index);
    for (uint64_t row = 0; text < end && status == PPS_OK; row++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline != NULL ? newline : end;
        double value;
        if (!is_done(reader, text, stop))
            status = add_infeasible(reader, row, text, stop, err);
        else if (pps_cell_number(pps_cell_at(text, stop, reader->cell), &value))
            status = add_row(reader, row, value, text, (size_t)(stop - text), err);
        text = stop + 1;
    }
    return status;
}

// Returns whether all results of the row that ends at newline are empty.
static bool is_empty(const struct pps_earlier_rows *reader,
                     const char *text,
                     const char *newline)
{
    const struct pps_experiment *e = reader->ask->sweep->experiment;
    const char *word = pps_outcome_word(PPS_FAILED);
    const size_t n = strlen(word);
    int wanted = 0, empty = 0;
    if (e->status)
        return (size_t)(newline - text) > n && memcmp(newline - n, word, n) == 0;
    for (int c = 0; c < e->kernel->n_columns; c++)
        wanted += e->wanted[c];
    while (newline > text && *--newline == ',')
        empty++;
    return empty >= wanted;
}

uint64_t pps_earlier_rows_failed(struct pps_earlier_rows *reader,
                                 const struct pps_index_record *record,
                                 const char *text)
{
    const char *end = text + record->text_bytes;
    enter_block(reader, record->index);
    for (uint64_t row = 0; text < end; row++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (newline == NULL)
            break;
        if (is_empty(reader, text, newline))
            return point_of_row(reader, row);
        text = newline + 1;
    }
    return record->index * reader->ask->sweep->block_points;
}

// ---- opening and reading ----------------------------------------------------------------------

void pps_earlier_tops(const struct pps_resume_ask *ask,
                      size_t n_best,
                      struct pps_best_by_group *best,
                      struct pps_best_by_group *nearest)
{
    const struct pps_column *columns = ask->sweep->experiment->kernel->columns;
    const int column = column_of_nearest(ask);
    pps_best_by_group_init(best, n_best, columns[ask->sweep->objective].goal == PPS_HIGHER,
                           ask->sweep->n_by);
    pps_best_by_group_init(nearest, column >= 0,
                           column >= 0 && columns[column].goal == PPS_HIGHER, 0);
}

enum pps_status pps_earlier_rows_open(struct pps_earlier_rows *reader,
                                      const struct pps_resume_ask *ask,
                                      const struct pps_index_reader *index,
                                      int fd,
                                      struct pps_error *err)
{
    const struct pps_experiment *e = ask->sweep->experiment;
    const bool shown = pps_resume_shows(e, ask->sweep->objective);
    *reader = (struct pps_earlier_rows){.ask = ask, .index = index};
    reader->cell = cell_of_column(e, ask->sweep->objective);
    reader->need = cell_of_column(e, column_of_nearest(ask));
    pps_earlier_tops(ask, shown ? ask->sweep->n_best : 0, &reader->best, &reader->nearest);
    reader->cursor = calloc(1, sizeof *reader->cursor);
    enum pps_status status =
        reader->cursor != NULL
            ? pps_blocktext_open(&reader->text, fd, ask->data_path, ask->sweep->codec.kind, err)
            : pps_fail_memory(err, "%s", ask->data_path);
    if (status != PPS_OK) {
        pps_earlier_rows_close(reader);
        *reader = (struct pps_earlier_rows){.ask = NULL};
    }
    return status;
}

void pps_earlier_rows_close(struct pps_earlier_rows *reader)
{
    pps_blocktext_close(reader->text);
    pps_best_by_group_free(&reader->best);
    pps_best_by_group_free(&reader->nearest);
    free(reader->cursor);
}

enum pps_status pps_earlier_rows_read(struct pps_earlier_rows *reader,
                                      uint64_t i,
                                      struct pps_index_record *record,
                                      const char **text,
                                      struct pps_error *err)
{
    uint64_t left_out[PPS_MAX_REASONS];
    bool valid;
    enum pps_status status =
        pps_index_reader_read(reader->index, i, record, left_out, &valid, err);
    if (status == PPS_OK && !valid)
        return pps_fail_at(err, PPS_E_MACHINE, reader->index->path, 0, 0,
                           "changed while it was read");
    return status == PPS_OK ? pps_blocktext_read(reader->text, record, text, err) : status;
}
