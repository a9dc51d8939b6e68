// SPDX-License-Identifier: Apache-2.0
// Decodes the blocks of our Parquet files.
#include "base/columns/parquet_read.h"

#include "base/columns/hybrid.h"
#include "base/columns/parquet_layout_private.h"
#include "base/columns/parquet_write.h"
#include "base/text/grow_list.h"
#include "base/text/text_buffer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, DEFLATE_RATIO = 1040 }; // the most that deflate saves

struct bytes {
    const unsigned char *at;
    size_t n;
};

// A column: its bytes and, once it is decoded, the texts of its items, and the item of each row.
struct column {
    struct pps_parquet_chunk chunk;
    struct bytes bytes;
    bool is_decoded;
    struct text_buffer text;
    uint32_t *end; // of each item in the text
    uint32_t *item;
    size_t end_room, item_room;
};

struct pps_parquet_reader {
    const atomic_bool *stop; // or NULL
    bool stopped;            // the last call gave up
    long failures;           // of memory, before the last call
    // Bytes of text that the cells of the columns to come may have. Every item is in a cell, and no item is
    // empty, so the items have no more.
    size_t text_left;
    uint32_t n_rows, n_columns;
    z_stream zlib;
    struct column *columns;
    size_t columns_room;
    unsigned char *dictionary, *data, *spelled; // unpacked pages
    size_t dictionary_room, data_room, spelled_room;
    uint32_t *numbers; // levels, then codes
    size_t numbers_room;
    struct text_buffer text;
};

struct pps_parquet_reader *pps_parquet_reader_open(const atomic_bool *stop)
{
    struct pps_parquet_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->stop = stop;
    if (inflateInit2(&reader->zlib, GZIP_WINDOW) == Z_OK)
        return reader;
    free(reader);
    return NULL;
}

void pps_parquet_reader_close(struct pps_parquet_reader *reader)
{
    if (reader == NULL)
        return;
    for (size_t c = 0; c < reader->columns_room; c++) {
        text_buffer_free(&reader->columns[c].text);
        free(reader->columns[c].end);
        free(reader->columns[c].item);
    }
    inflateEnd(&reader->zlib);
    free(reader->columns);
    free(reader->dictionary);
    free(reader->data);
    free(reader->spelled);
    free(reader->numbers);
    text_buffer_free(&reader->text);
    free(reader);
}

// ---- room -------------------------------------------------------------------------------------

static bool room_for(uint32_t **list, size_t *room, size_t wanted)
{
    uint32_t *grown = pps_grow(*list, room, wanted + 1, sizeof **list);
    if (grown != NULL)
        *list = grown;
    return grown != NULL;
}

static bool room_for_columns(struct pps_parquet_reader *reader, size_t n)
{
    const size_t before = reader->columns_room;
    if (n <= before)
        return true;
    struct column *columns =
        pps_grow(reader->columns, &reader->columns_room, n, sizeof *columns);
    if (columns == NULL)
        return false;
    memset(columns + before, 0, (reader->columns_room - before) * sizeof *columns);
    reader->columns = columns;
    return true;
}

// ---- pages ------------------------------------------------------------------------------------

static bool take(struct bytes *from, size_t n, struct bytes *taken)
{
    if (n > from->n)
        return false;
    *taken = (struct bytes){from->at, n};
    from->at += n;
    from->n -= n;
    return true;
}

// The most bytes of an unpacked page: levels, then items or codes.
static size_t page_max(const struct pps_parquet_reader *reader)
{
    const size_t levels = 64 + 2 * (size_t)reader->n_rows, values = 8 * (size_t)reader->n_rows;
    return levels + values + reader->text_left;
}

// Unpacks gzip into a buffer that grows.
static bool unpack(struct pps_parquet_reader *reader, struct bytes packed, size_t raw,
                   unsigned char **room, size_t *room_bytes, struct bytes *page)
{
    z_stream *z = &reader->zlib;
    if (raw > page_max(reader) || raw > packed.n * DEFLATE_RATIO + 64 || packed.n > UINT32_MAX)
        return false;
    unsigned char *grown = pps_grow(*room, room_bytes, raw + 1, 1);
    if (grown == NULL || inflateReset(z) != Z_OK)
        return false;
    *room = grown;
    unsigned char *input;
    memcpy(&input, &packed.at, sizeof input); // zlib does not change it
    z->next_in = input;
    z->avail_in = (uInt)packed.n;
    z->next_out = grown;
    z->avail_out = (uInt)raw + 1;
    *page = (struct bytes){grown, raw};
    const int rc = inflate(z, Z_FINISH);
    if (rc == Z_MEM_ERROR)
        pps_memory_note();
    return rc == Z_STREAM_END && z->avail_in == 0 && z->avail_out == 1;
}

static bool take_page(struct pps_parquet_reader *reader, const struct pps_parquet_page *page,
                      bool is_packed, struct bytes *rest, unsigned char **room,
                      size_t *room_bytes, struct bytes *raw)
{
    struct bytes head;
    if (!take(rest, page->head, &head) || !take(rest, page->packed, raw))
        return false;
    if (!is_packed)
        return page->packed == page->raw;
    return unpack(reader, *raw, page->raw, room, room_bytes, raw);
}

// ---- items ------------------------------------------------------------------------------------

static bool add_item(struct pps_parquet_reader *reader, struct column *column, uint32_t i,
                     struct bytes text)
{
    if (text.n > reader->text_left)
        return false;
    reader->text_left -= text.n;
    text_buffer_add_bytes(&column->text, (const char *)text.at, text.n);
    column->end[i] = (uint32_t)column->text.n;
    return !column->text.failed && memchr(text.at, '\n', text.n) == NULL;
}

static bool texts_of(struct pps_parquet_reader *reader, struct column *column, uint32_t n,
                     struct bytes raw)
{
    for (uint32_t i = 0; i < n; i++) {
        struct bytes length, text;
        uint32_t bytes;
        if (!take(&raw, sizeof bytes, &length))
            return false;
        memcpy(&bytes, length.at, sizeof bytes);
        if (!take(&raw, bytes, &text) || !add_item(reader, column, i, text))
            return false;
    }
    return raw.n == 0;
}

static bool spelled_of(struct pps_parquet_reader *reader, struct column *column, uint32_t n,
                       struct bytes raw)
{
    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *newline = memchr(raw.at, '\n', raw.n);
        struct bytes line;
        if (newline == NULL || !take(&raw, (size_t)(newline - raw.at) + 1, &line) ||
            !add_item(reader, column, i, (struct bytes){line.at, line.n - 1}))
            return false;
    }
    return raw.n == 0;
}

static bool numbers_of(struct pps_parquet_reader *reader, struct column *column,
                       const struct pps_parquet_chunk *chunk, uint32_t n, struct bytes raw)
{
    const struct pps_spelling spelling = {(enum pps_spelling_form)chunk->form, chunk->decimals};
    const bool is_bits = chunk->kind == PPS_CELLS_BOOLEAN;
    char text[PPS_SPELLED_CAP];
    if (raw.n != (is_bits ? ((size_t)n + 7) / 8 : n * sizeof(uint64_t)))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = is_bits ? (uint64_t)(raw.at[i / 8] >> (i % 8) & 1) : 0;
        if (!is_bits)
            memcpy(&value, raw.at + i * sizeof value, sizeof value);
        const size_t length = pps_spell(spelling, (enum pps_cell_kind)chunk->kind, value, text);
        const struct bytes spelled = {(const unsigned char *)text, length};
        if (length == 0 || !add_item(reader, column, i, spelled))
            return false;
    }
    return true;
}

static bool items_of(struct pps_parquet_reader *reader, struct column *column,
                     const struct pps_parquet_chunk *chunk, uint32_t n, struct bytes raw,
                     struct bytes spelled)
{
    struct bytes text;
    text_buffer_clear(&column->text);
    if (chunk->n_items != n || !room_for(&column->end, &column->end_room, n))
        return false;
    if (n == 0)
        return true;
    if (chunk->form == PPS_SPELLED_OTHER)
        return unpack(reader, spelled, chunk->spelled_raw, &reader->spelled,
                      &reader->spelled_room, &text) &&
               spelled_of(reader, column, n, text);
    return chunk->kind == PPS_CELLS_TEXT ? texts_of(reader, column, n, raw)
                                         : numbers_of(reader, column, chunk, n, raw);
}

// ---- rows -------------------------------------------------------------------------------------

// Reads which rows are not empty into reader->numbers, and counts them.
static bool take_levels(struct pps_parquet_reader *reader, struct bytes *data, uint32_t n_rows,
                        uint32_t *n_present)
{
    struct bytes length, levels;
    uint32_t bytes;
    if (!take(data, sizeof bytes, &length))
        return false;
    memcpy(&bytes, length.at, sizeof bytes);
    if (!take(data, bytes, &levels) ||
        !room_for(&reader->numbers, &reader->numbers_room, n_rows) ||
        !pps_hybrid_read(levels.at, levels.n, 1, reader->numbers, n_rows))
        return false;
    *n_present = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        *n_present += reader->numbers[row];
    return true;
}

// Sets the item of each row from the levels.
static void number_rows(const struct pps_parquet_reader *reader, struct column *column,
                        uint32_t n_rows)
{
    uint32_t present = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        column->item[row] = reader->numbers[row] != 0 ? present++ : PPS_NO_ITEM;
}

static bool take_codes(struct pps_parquet_reader *reader, struct column *column,
                       const struct pps_parquet_chunk *chunk, struct bytes data,
                       uint32_t n_rows, uint32_t n_present)
{
    const int bits = data.n > 0 ? data.at[0] : 0;
    if (bits < 1 || bits > PPS_HYBRID_BITS_MAX ||
        !pps_hybrid_read(data.at + 1, data.n - 1, bits, reader->numbers, n_present))
        return false;
    for (uint32_t row = 0; row < n_rows; row++) {
        if (column->item[row] == PPS_NO_ITEM)
            continue;
        column->item[row] = reader->numbers[column->item[row]];
        if (column->item[row] >= chunk->n_items)
            return false;
    }
    return true;
}

static bool take_column(struct pps_parquet_reader *reader, struct column *column,
                        const struct pps_parquet_chunk *chunk, uint32_t n_rows,
                        struct bytes *rest)
{
    struct bytes dictionary = {NULL, 0}, data, spelled;
    uint32_t n_present;
    if (chunk->kind >= PPS_CELLS_KINDS || chunk->form >= PPS_SPELLED_FORMS ||
        chunk->decimals > 17 || chunk->n_items > n_rows)
        return false;
    if (chunk->is_coded &&
        !take_page(reader, &chunk->dictionary, chunk->is_packed, rest, &reader->dictionary,
                   &reader->dictionary_room, &dictionary))
        return false;
    if (!take_page(reader, &chunk->data, chunk->is_packed, rest, &reader->data,
                   &reader->data_room, &data) ||
        !take(rest, chunk->spelled_packed, &spelled) ||
        !take_levels(reader, &data, n_rows, &n_present) ||
        !room_for(&column->item, &column->item_room, n_rows))
        return false;
    number_rows(reader, column, n_rows);
    if (!chunk->is_coded)
        return items_of(reader, column, chunk, n_present, data, spelled);
    return take_codes(reader, column, chunk, data, n_rows, n_present) &&
           items_of(reader, column, chunk, chunk->n_items, dictionary, spelled);
}

// ---- blocks -----------------------------------------------------------------------------------

static bool is_stopped(struct pps_parquet_reader *reader)
{
    reader->stopped =
        reader->stop != NULL && atomic_load_explicit(reader->stop, memory_order_relaxed);
    return reader->stopped;
}

static bool decode(struct pps_parquet_reader *reader, struct column *column)
{
    struct bytes rest = column->bytes;
    if (!column->is_decoded)
        column->is_decoded =
            !is_stopped(reader) &&
            take_column(reader, column, &column->chunk, reader->n_rows, &rest) && rest.n == 0;
    return column->is_decoded;
}

static size_t column_bytes(const struct pps_parquet_chunk *chunk)
{
    const struct pps_parquet_page *dictionary = &chunk->dictionary, *data = &chunk->data;
    const size_t coded = chunk->is_coded ? (size_t)dictionary->head + dictionary->packed : 0;
    return coded + data->head + data->packed + chunk->spelled_packed;
}

// Finds the bytes of all columns.
static bool find_columns(struct pps_parquet_reader *reader, struct bytes rest)
{
    struct bytes chunks;
    if (!take(&rest, reader->n_columns * sizeof(struct pps_parquet_chunk), &chunks) ||
        !room_for_columns(reader, reader->n_columns))
        return false;
    for (uint32_t c = 0; c < reader->n_columns; c++) {
        struct column *column = &reader->columns[c];
        column->is_decoded = false;
        memcpy(&column->chunk, chunks.at + c * sizeof column->chunk, sizeof column->chunk);
        if (!take(&rest, column_bytes(&column->chunk), &column->bytes))
            return false;
    }
    return rest.n == 0;
}

static bool is_possible(const struct pps_parquet_block_head *head, size_t n)
{
    return memcmp(head->magic, "PPSB", 4) == 0 && head->bytes == n && head->n_columns > 0 &&
           head->n_columns <= PPS_SCHEMA_COLUMNS && head->text_bytes <= PPS_PARQUET_TEXT_MAX &&
           (uint64_t)head->n_rows * head->n_columns <= head->text_bytes;
}

static bool open_block(struct pps_parquet_reader *reader, const unsigned char *bytes, size_t n,
                       struct pps_parquet_block_head *head)
{
    struct bytes rest = {bytes, n}, taken;
    reader->stopped = false;
    reader->failures = pps_memory_failures();
    if (!take(&rest, sizeof *head, &taken))
        return false;
    memcpy(head, taken.at, sizeof *head);
    const size_t at = offsetof(struct pps_parquet_block_head, checksum);
    if (!is_possible(head, n) || head->checksum != pps_parquet_checksum(bytes, n, at))
        return false;
    reader->n_rows = head->n_rows;
    reader->n_columns = head->n_columns;
    reader->text_left = head->text_bytes - (size_t)head->n_rows * head->n_columns;
    return find_columns(reader, rest);
}

bool pps_parquet_block_open(struct pps_parquet_reader *reader, const unsigned char *bytes,
                            size_t n, uint32_t *n_columns, uint32_t *n_rows)
{
    struct pps_parquet_block_head head;
    const bool opened = open_block(reader, bytes, n, &head);
    *n_columns = reader->n_columns;
    *n_rows = reader->n_rows;
    return opened;
}

bool pps_parquet_block_cells(struct pps_parquet_reader *reader, uint32_t column,
                             struct pps_parquet_cells *cells)
{
    struct column *c = &reader->columns[column];
    if (!decode(reader, c))
        return false;
    *cells = (struct pps_parquet_cells){c->text.text, c->end, c->item};
    return true;
}

// ---- text -------------------------------------------------------------------------------------

// Writes the cell with the comma or newline behind it; returns the end, or NULL without room.
static char *put_cell(const struct column *column, uint32_t row, char after, char *at,
                      const char *end)
{
    const struct pps_parquet_cells cells = {column->text.text, column->end, column->item};
    size_t n;
    const char *text = pps_parquet_cell(&cells, row, &n);
    if (n >= (size_t)(end - at))
        return NULL;
    memcpy(at, text, n);
    at[n] = after;
    return at + n + 1;
}

static bool put_rows(struct pps_parquet_reader *reader,
                     const struct pps_parquet_block_head *head)
{
    struct text_buffer *text = &reader->text;
    char *grown = pps_grow(text->text, &text->cap, (size_t)head->text_bytes + 1, 1);
    if (grown == NULL)
        return false;
    text->text = grown;
    char *at = grown, *const end = grown + head->text_bytes;
    for (uint32_t row = 0; row < head->n_rows; row++)
        for (uint32_t c = 0; c < head->n_columns; c++) {
            at = put_cell(&reader->columns[c], row, c + 1 < head->n_columns ? ',' : '\n', at,
                          end);
            if (at == NULL)
                return false;
        }
    return at == end;
}

bool pps_parquet_block_text(struct pps_parquet_reader *reader, const unsigned char *bytes,
                            size_t n, const char **text, size_t *n_text)
{
    struct pps_parquet_block_head head;
    *text = "";
    *n_text = 0;
    if (n == 0)
        return true;
    if (!open_block(reader, bytes, n, &head))
        return false;
    for (uint32_t c = 0; c < head.n_columns; c++)
        if (!decode(reader, &reader->columns[c]))
            return false;
    if (!put_rows(reader, &head))
        return false;
    *text = reader->text.text;
    *n_text = head.text_bytes;
    return true;
}

enum pps_status pps_parquet_reader_fail(const struct pps_parquet_reader *reader,
                                        enum pps_status code, const char *damage,
                                        struct pps_error *err)
{
    if (reader->stopped)
        return pps_fail(err, PPS_E_STOPPED, "stopped while reading a row group");
    if (pps_memory_failures() != reader->failures)
        return pps_fail_memory(err, "a row group of a Parquet file");
    return pps_fail(err, code, "%s", damage);
}
