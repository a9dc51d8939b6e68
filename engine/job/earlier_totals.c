// SPDX-License-Identifier: Apache-2.0
// Restores the totals from blocks. Counts come from the records. An example of a reason is
// found by walking the points of the first block that has one. The best rows are read from the
// text.
#include "engine/job/earlier_totals.h"

#include "base/system/threads.h"
#include "base/table/cell.h"
#include "engine/store/block_text.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A reader of blocks. Each thread has its own.
struct pps_earlier_rows {
    const struct pps_resume_ask *ask;
    const struct pps_index_reader *index;
    struct pps_blocktext *text;
    struct pps_cursor *cursor;
    struct pps_best_by_group best;
    struct pps_best_by_group nearest; // used if no row is feasible
    double key[PPS_MAX_PARAMS];       // group of the point last found by point_of_row
    uint64_t end;                     // of the current block's points
    uint64_t next_row; // row of the block at which the next step of the cursor arrives
    int cell;          // index of the objective in a row
    int need;          // index of the column of `nearest`; -1: unused
};

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

// Finds an example of each reason to skip points in the block.
static void earlier_rows_left_out(struct pps_earlier_rows *reader, uint64_t block,
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
static enum pps_status add_row(struct pps_earlier_rows *reader, uint64_t row, double value,
                               const char *text, size_t n, struct pps_error *err)
{
    uint64_t index = reader->ask->sweep->n_by > 0 ? point_of_row(reader, row) : 0;
    if (!pps_best_by_group_would_take(&reader->best, reader->key, value))
        return PPS_OK;
    if (reader->ask->sweep->n_by == 0)
        index = point_of_row(reader, row);
    return pps_best_by_group_add(&reader->best, reader->key, value, index, text, n, err);
}

static enum pps_status add_infeasible(struct pps_earlier_rows *reader, uint64_t row,
                                      const char *text, const char *end, struct pps_error *err)
{
    double value;
    if (reader->need < 0 || !pps_cell_number(pps_cell_at(text, end, reader->need), &value) ||
        !pps_best_by_group_would_take(&reader->nearest, NULL, value))
        return PPS_OK;
    return pps_best_by_group_add(&reader->nearest, NULL, value, point_of_row(reader, row), text,
                                 (size_t)(end - text), err);
}

// Adds the rows of a block to the best rows.
static enum pps_status earlier_rows_add(struct pps_earlier_rows *reader,
                                        const struct pps_index_record *record, const char *text,
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
static bool is_empty(const struct pps_earlier_rows *reader, const char *text,
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

// Returns the number of the point of the first row of a block whose results are empty.
static uint64_t earlier_rows_failed(struct pps_earlier_rows *reader,
                                    const struct pps_index_record *record, const char *text)
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

// Makes both empty: the n_best rows by the objective, and, if no row is feasible, the row that is
// nearest to feasible.
static void earlier_tops(const struct pps_resume_ask *ask, size_t n_best,
                         struct pps_best_by_group *best, struct pps_best_by_group *nearest)
{
    const struct pps_column *columns = ask->sweep->experiment->kernel->columns;
    const int column = column_of_nearest(ask);
    pps_best_by_group_init(best, n_best, columns[ask->sweep->objective].goal == PPS_HIGHER,
                           ask->sweep->n_by);
    pps_best_by_group_init(nearest, column >= 0,
                           column >= 0 && columns[column].goal == PPS_HIGHER, 0);
}

static void earlier_rows_close(struct pps_earlier_rows *reader)
{
    pps_blocktext_close(reader->text);
    pps_best_by_group_free(&reader->best);
    pps_best_by_group_free(&reader->nearest);
    free(reader->cursor);
}

// Opens a reader of the data file fd, with empty best rows. After an error there is nothing to
// close.
static enum pps_status earlier_rows_open(struct pps_earlier_rows *reader,
                                         const struct pps_resume_ask *ask,
                                         const struct pps_index_reader *index, int fd,
                                         struct pps_error *err)
{
    const struct pps_experiment *e = ask->sweep->experiment;
    const bool shown = pps_resume_shows(e, ask->sweep->objective);
    *reader = (struct pps_earlier_rows){.ask = ask, .index = index};
    reader->cell = cell_of_column(e, ask->sweep->objective);
    reader->need = cell_of_column(e, column_of_nearest(ask));
    earlier_tops(ask, shown ? ask->sweep->n_best : 0, &reader->best, &reader->nearest);
    reader->cursor = calloc(1, sizeof *reader->cursor);
    enum pps_status status =
        reader->cursor != NULL
            ? pps_blocktext_open(&reader->text, fd, ask->data_path, ask->sweep->codec.kind, err)
            : pps_fail_memory(err, "%s", ask->data_path);
    if (status != PPS_OK) {
        earlier_rows_close(reader);
        *reader = (struct pps_earlier_rows){.ask = NULL};
    }
    return status;
}

// Reads record i of the prefix and the text of its block. The text is valid until the next call.
static enum pps_status earlier_rows_read(struct pps_earlier_rows *reader, uint64_t i,
                                         struct pps_index_record *record, const char **text,
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

// ---- earlier totals -----------------------------------------------------------------------------

bool pps_resume_shows(const struct pps_experiment *experiment, int column)
{
    return experiment->wanted[column];
}

// ---- the best rows ---------------------------------------------------------------------------

// The threads that look for the best rows share this.
struct team {
    const struct pps_resume_ask *ask;
    const struct pps_index_reader *index;
    int fd;
    pthread_mutex_t lock; // of the members below
    struct pps_totals *totals;
    enum pps_status status;
    struct pps_error *err;
    atomic_bool failed;
};

// Reads the blocks of thread i: every block whose number is i + 1 modulo the number of threads.
static enum pps_status read_best(struct pps_earlier_rows *reader, const struct team *team,
                                 int i, struct pps_error *err)
{
    const uint64_t n = reader->ask->prefix->n_records;
    const uint64_t step = (uint64_t)reader->ask->sweep->threads;
    enum pps_status status = PPS_OK;
    for (uint64_t r = 1 + (uint64_t)i; r < n && status == PPS_OK; r += step) {
        struct pps_index_record record;
        const char *text;
        if (atomic_load(&team->failed) || pps_sweep_is_stopped(reader->ask->sweep))
            return PPS_OK;
        status = earlier_rows_read(reader, r, &record, &text, err);
        if (status == PPS_OK)
            status = earlier_rows_add(reader, &record, text, err);
    }
    return status;
}

static void work(void *self, int i)
{
    struct team *team = self;
    struct pps_earlier_rows reader;
    struct pps_error err;
    enum pps_status status = earlier_rows_open(&reader, team->ask, team->index, team->fd, &err);
    if (status == PPS_OK)
        status = read_best(&reader, team, i, &err);
    pthread_mutex_lock(&team->lock);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&team->totals->best, &reader.best, &err);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&team->totals->nearest, &reader.nearest, &err);
    if (status != PPS_OK && !atomic_exchange(&team->failed, true)) {
        team->status = status;
        *team->err = err;
    }
    pthread_mutex_unlock(&team->lock);
    earlier_rows_close(&reader);
}

// ---- everything -----------------------------------------------------------------------------

static enum pps_status add_best(const struct pps_resume_ask *ask,
                                const struct pps_index_reader *index, int fd,
                                struct pps_totals *totals, struct pps_error *err)
{
    struct team team = {.ask = ask,
                        .index = index,
                        .fd = fd,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .totals = totals,
                        .err = err};
    const enum pps_status status = pps_parallel(ask->sweep->threads, work, &team, err);
    pthread_mutex_destroy(&team.lock);
    return status == PPS_OK ? team.status : status;
}

static enum pps_status add_failed(struct pps_earlier_rows *reader, struct pps_totals *totals,
                                  struct pps_error *err)
{
    const struct pps_resume_ask *ask = reader->ask;
    struct pps_index_record record = {.index = PPS_NO_BLOCK};
    const char *text = "";
    if (ask->prefix->first_failed == PPS_NO_BLOCK)
        return PPS_OK;
    const uint64_t stride = ask->sweep->shard.count == 0 ? 1 : ask->sweep->shard.count;
    const uint64_t i = (ask->prefix->first_failed - ask->sweep->shard.index) / stride + 1;
    enum pps_status status = earlier_rows_read(reader, i, &record, &text, err);
    if (status == PPS_OK)
        totals->counts.failed_example = earlier_rows_failed(reader, &record, text);
    return status;
}

static void add_left_out(struct pps_earlier_rows *reader, struct pps_totals *totals)
{
    const struct pps_whole_prefix *prefix = reader->ask->prefix;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        struct pps_left_out found[PPS_MAX_REASONS] = {{0, 0}};
        if (prefix->counts.left_out[r].n == 0)
            continue;
        earlier_rows_left_out(reader, prefix->first_left_out[r], found);
        totals->counts.left_out[r].example = found[r].example;
    }
}

static enum pps_status read_totals(const struct pps_resume_ask *ask,
                                   const struct pps_index_reader *index, int fd,
                                   struct pps_totals *totals, struct pps_error *err)
{
    struct pps_earlier_rows reader;
    enum pps_status status = earlier_rows_open(&reader, ask, index, fd, err);
    if (status == PPS_OK)
        status = add_failed(&reader, totals, err);
    if (status == PPS_OK)
        add_left_out(&reader, totals);
    const bool any = reader.best.k > 0 || reader.nearest.k > 0;
    earlier_rows_close(&reader);
    if (status == PPS_OK && any)
        status = add_best(ask, index, fd, totals, err);
    return status;
}

static enum pps_status fail_gone(const char *path, struct pps_error *err)
{
    return pps_fail(err, PPS_E_MACHINE, "%s was removed while it was read", path);
}

enum pps_status pps_resume_totals(const struct pps_resume_ask *ask, struct pps_totals *totals,
                                  struct pps_error *err)
{
    const struct pps_whole_prefix *prefix = ask->prefix;
    const struct pps_blocks blocks = {ask->sweep->experiment->n_points,
                                      ask->sweep->block_points};
    struct pps_index_reader index;
    enum pps_index_reader_state state;
    *totals = (struct pps_totals){.counts = prefix->counts, .complete = true};
    earlier_tops(ask, ask->sweep->n_best, &totals->best, &totals->nearest);
    if (prefix->n_records < 2)
        return PPS_OK;
    totals->text_bytes = prefix->text_bytes - prefix->header_bytes;
    totals->points = pps_shard_points(ask->sweep->shard, blocks, prefix->n_records - 1);
    enum pps_status status = pps_index_reader_open(&index, ask->index_path, &state, err);
    if (status != PPS_OK)
        return status;
    if (state != PPS_INDEX_READER_WHOLE)
        return fail_gone(ask->index_path, err);
    const int fd = open(ask->data_path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        status = read_totals(ask, &index, fd, totals, err);
    else
        status = fail_gone(ask->data_path, err);
    if (fd >= 0)
        close(fd);
    pps_index_reader_close(&index);
    totals->complete = !pps_sweep_is_stopped(ask->sweep);
    return status;
}
