// SPDX-License-Identifier: Apache-2.0
// Encodes blocks of rows as row groups.
#include "base/columns/parquet_write.h"

#include "base/columns/hybrid.h"
#include "base/columns/parquet_layout_private.h"
#include "base/columns/thrift.h"
#include "base/columns/typed_cells.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Numbers of the Parquet format.
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2, PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 9 };

// Pages stay as they are unless compression saves a tenth of them or, at level 1, a quarter: that
// many bytes are not worth the time. A sample shows it for pages of more than a few samples.
enum { SAVES_LITTLE = 10, SAVES_LITTLE_FAST = 4, SAMPLE_BYTES = 8192, MANY_SAMPLES = 4 };

struct pps_parquet {
    const struct pps_schema *schema;
    struct pps_typed_cells typed;
    z_stream zlib;
    size_t least_part; // that compression must save: 1 / least_part
    uint32_t *codes;   // of the cells that are not empty, or the definition levels
    size_t codes_room;
    struct text_buffer dictionary, data, spelled; // raw pages
    struct text_buffer packed, pages;
    struct pps_parquet_chunk *chunks;
};

static enum pps_status fail_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the row groups of a Parquet file");
}

// Sets the checksum of the bytes from `start` to the end.
static void put_checksum(struct text_buffer *out, size_t start, size_t at)
{
    const uint32_t sum = pps_parquet_checksum(out->text + start, out->n - start, at);
    memcpy(out->text + start + at, &sum, sizeof sum);
}

// ---- the start --------------------------------------------------------------------------------

enum pps_status pps_parquet_header(struct text_buffer *out, const struct pps_schema *schema,
                                   const char *metadata, size_t n, struct pps_error *err)
{
    struct pps_parquet_head head = {.magic = "PPSH",
                                    .n_columns = (uint32_t)schema->n,
                                    .line_bytes = (uint32_t)schema->line_bytes,
                                    .metadata_bytes = (uint32_t)n};
    text_buffer_add_bytes(out, PPS_PARQUET_MAGIC, PPS_PARQUET_MAGIC_BYTES);
    const size_t start = out->n;
    text_buffer_add_bytes(out, (const char *)&head, sizeof head);
    for (int c = 0; c < schema->n; c++) {
        const char kind = (char)schema->kinds[c];
        text_buffer_add_bytes(out, &kind, 1);
    }
    text_buffer_add_bytes(out, schema->line, schema->line_bytes);
    text_buffer_add_bytes(out, metadata, n);
    if (out->failed)
        return fail_memory(err);
    put_checksum(out, start, offsetof(struct pps_parquet_head, checksum));
    return PPS_OK;
}

// ---- opening ----------------------------------------------------------------------------------

enum pps_status pps_parquet_open(struct pps_parquet **parquet, const struct pps_schema *schema,
                                 int level, struct pps_error *err)
{
    struct pps_parquet *p = calloc(1, sizeof *p);
    *parquet = NULL;
    if (p == NULL)
        return fail_memory(err);
    p->schema = schema;
    p->least_part = level == 1 ? SAVES_LITTLE_FAST : SAVES_LITTLE;
    p->chunks = calloc((size_t)schema->n, sizeof *p->chunks);
    if (p->chunks == NULL || deflateInit2(&p->zlib, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                                          Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p->chunks);
        free(p);
        return fail_memory(err);
    }
    *parquet = p;
    return PPS_OK;
}

void pps_parquet_close(struct pps_parquet *parquet)
{
    if (parquet == NULL)
        return;
    struct text_buffer *buffers[] = {&parquet->dictionary, &parquet->data, &parquet->spelled,
                                     &parquet->packed, &parquet->pages};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        text_buffer_free(buffers[i]);
    deflateEnd(&parquet->zlib);
    pps_typed_cells_free(&parquet->typed);
    free(parquet->codes);
    free(parquet->chunks);
    free(parquet);
}

// ---- values -----------------------------------------------------------------------------------

static void add_text(struct text_buffer *out, const char *text, uint32_t n)
{
    text_buffer_add_bytes(out, (const char *)&n, sizeof n);
    text_buffer_add_bytes(out, text, n);
}

static void add_booleans(struct text_buffer *out, const uint64_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) {
        unsigned bits = 0;
        for (uint32_t k = 0; k < 8 && i + k < n; k++)
            bits |= (unsigned)values[i + k] << k;
        const char byte = (char)(unsigned char)bits;
        text_buffer_add_bytes(out, &byte, 1);
    }
}

// Appends the items of the column in the encoding PLAIN.
static void add_items(struct text_buffer *out, const struct pps_typed_cells *typed)
{
    if (typed->kind == PPS_CELLS_BOOLEAN) {
        add_booleans(out, typed->values, typed->n_items);
    } else if (typed->kind != PPS_CELLS_TEXT) {
        text_buffer_add_bytes(out, (const char *)typed->values,
                              typed->n_items * sizeof *typed->values);
    } else {
        for (uint32_t i = 0; i < typed->n_items; i++) {
            uint32_t n;
            const char *text = pps_typed_cells_text(typed, i, &n);
            add_text(out, text, n);
        }
    }
}

// Appends the definition levels: 1 for a value, 0 for an empty cell.
static void add_levels(struct pps_parquet *p)
{
    const struct pps_cell_columns *cells = &p->typed.cells;
    struct text_buffer *out = &p->data;
    uint32_t bytes = 0;
    const size_t at = out->n;
    text_buffer_add_bytes(out, (const char *)&bytes, sizeof bytes);
    if (cells->n_empty == 0 || cells->n_empty == cells->n_rows) {
        pps_hybrid_run(out, cells->n_empty == 0, cells->n_rows, 1);
    } else {
        for (uint32_t row = 0; row < cells->n_rows; row++)
            p->codes[row] = cells->end[row] > cells->start[row];
        pps_hybrid_write(out, p->codes, cells->n_rows, 1);
    }
    bytes = (uint32_t)(out->n - at - sizeof bytes);
    if (!out->failed)
        memcpy(out->text + at, &bytes, sizeof bytes);
}

static void add_codes(struct pps_parquet *p)
{
    const struct pps_cell_columns *cells = &p->typed.cells;
    const int bits = pps_hybrid_bits(cells->n_codes);
    const char width = (char)bits;
    size_t n = 0;
    for (uint32_t row = 0; row < cells->n_rows; row++)
        if (cells->code[row] != PPS_NO_CODE)
            p->codes[n++] = cells->code[row];
    text_buffer_add_bytes(&p->data, &width, 1);
    pps_hybrid_write(&p->data, p->codes, n, bits);
}

// ---- pages ------------------------------------------------------------------------------------

// Appends the gzip of n bytes. Returns false if memory runs out.
static bool pack(struct pps_parquet *p, const char *raw, size_t n, struct text_buffer *out)
{
    const size_t bound = deflateBound(&p->zlib, (uLong)n) + 64, before = out->n;
    char *room = malloc(bound);
    if (room == NULL || deflateReset(&p->zlib) != Z_OK) {
        free(room);
        return false;
    }
    memcpy(&p->zlib.next_in, &raw, sizeof raw); // zlib does not change it
    p->zlib.avail_in = (uInt)n;
    p->zlib.next_out = (unsigned char *)room;
    p->zlib.avail_out = (uInt)bound;
    const bool whole = deflate(&p->zlib, Z_FINISH) == Z_STREAM_END;
    if (whole)
        text_buffer_add_bytes(out, room, bound - p->zlib.avail_out);
    free(room);
    return whole && !out->failed && out->n > before;
}

static void write_page_head(const struct pps_typed_cells *typed, bool is_dictionary,
                            const struct pps_parquet_page *page, struct text_buffer *out)
{
    struct pps_thrift thrift;
    pps_thrift_open(&thrift, out);
    pps_thrift_i32(&thrift, 1, is_dictionary ? DICTIONARY_PAGE : DATA_PAGE);
    pps_thrift_i32(&thrift, 2, (int32_t)page->raw);
    pps_thrift_i32(&thrift, 3, (int32_t)page->packed);
    pps_thrift_begin(&thrift, is_dictionary ? 7 : 5);
    pps_thrift_i32(&thrift, 1, (int32_t)(is_dictionary ? typed->n_items : typed->cells.n_rows));
    if (is_dictionary) {
        pps_thrift_i32(&thrift, 2, PLAIN);
    } else {
        pps_thrift_i32(&thrift, 2, typed->cells.coded ? RLE_DICTIONARY : PLAIN);
        pps_thrift_i32(&thrift, 3, RLE);
        pps_thrift_i32(&thrift, 4, RLE);
    }
    pps_thrift_end(&thrift);
    pps_thrift_end(&thrift);
}

static void add_page(struct pps_parquet *p, bool is_dictionary, const char *body,
                     struct pps_parquet_page *page)
{
    const size_t before = p->pages.n;
    write_page_head(&p->typed, is_dictionary, page, &p->pages);
    page->head = (uint32_t)(p->pages.n - before);
    text_buffer_add_bytes(&p->pages, body, page->packed);
}

static bool pays(const struct pps_parquet *p, size_t packed, size_t raw)
{
    return packed + packed / p->least_part < raw;
}

// Sets *worth: whether compression may pay, as far as a sample from the middle of the longer page shows.
static bool try_sample(struct pps_parquet *p, bool *worth)
{
    const struct text_buffer *page = p->dictionary.n > p->data.n ? &p->dictionary : &p->data;
    *worth = true;
    if (page->n < (size_t)MANY_SAMPLES * SAMPLE_BYTES)
        return true;
    text_buffer_clear(&p->packed);
    if (!pack(p, page->text + page->n / 2, SAMPLE_BYTES, &p->packed))
        return false;
    *worth = pays(p, p->packed.n, SAMPLE_BYTES);
    return true;
}

// Compresses both pages; *first: the bytes of the dictionary.
static bool pack_pages(struct pps_parquet *p, bool is_coded, size_t *first)
{
    text_buffer_clear(&p->packed);
    *first = 0;
    if (is_coded && !pack(p, p->dictionary.text, p->dictionary.n, &p->packed))
        return false;
    *first = p->packed.n;
    return pack(p, p->data.text, p->data.n, &p->packed);
}

// Appends both pages, compressed if that pays.
static enum pps_status add_pages(struct pps_parquet *p, struct pps_parquet_chunk *chunk,
                                 struct pps_error *err)
{
    const struct text_buffer *dictionary = &p->dictionary, *data = &p->data;
    bool worth = false;
    size_t first = 0;
    if (dictionary->failed || data->failed || !try_sample(p, &worth) ||
        (worth && !pack_pages(p, chunk->is_coded, &first)))
        return fail_memory(err);
    chunk->is_packed = worth && pays(p, p->packed.n, dictionary->n + data->n);
    chunk->dictionary.raw = (uint32_t)dictionary->n;
    chunk->data.raw = (uint32_t)data->n;
    chunk->dictionary.packed = (uint32_t)(chunk->is_packed ? first : dictionary->n);
    chunk->data.packed = (uint32_t)(chunk->is_packed ? p->packed.n - first : data->n);
    if (chunk->is_coded)
        add_page(p, true, chunk->is_packed ? p->packed.text : dictionary->text,
                 &chunk->dictionary);
    add_page(p, false, chunk->is_packed ? p->packed.text + first : data->text, &chunk->data);
    return p->pages.failed ? fail_memory(err) : PPS_OK;
}

// ---- columns ----------------------------------------------------------------------------------

// Keeps the text of all items, each ended with a newline.
static enum pps_status add_spelled(struct pps_parquet *p, struct pps_parquet_chunk *chunk,
                                   struct pps_error *err)
{
    if (chunk->form != PPS_SPELLED_OTHER || p->typed.n_items == 0)
        return PPS_OK;
    text_buffer_clear(&p->spelled);
    text_buffer_clear(&p->packed);
    for (uint32_t i = 0; i < p->typed.n_items; i++) {
        uint32_t n;
        const char *text = pps_typed_cells_text(&p->typed, i, &n);
        text_buffer_add_bytes(&p->spelled, text, n);
        text_buffer_add_bytes(&p->spelled, "\n", 1);
    }
    if (p->spelled.failed || !pack(p, p->spelled.text, p->spelled.n, &p->packed))
        return fail_memory(err);
    text_buffer_add_bytes(&p->pages, p->packed.text, p->packed.n);
    chunk->spelled_packed = (uint32_t)p->packed.n;
    chunk->spelled_raw = (uint32_t)p->spelled.n;
    return PPS_OK;
}

// The range of values lets readers skip row groups. The least zero of a column is written as -0.0
// and the greatest as 0.0, as the specification asks.
static void find_range(const struct pps_typed_cells *typed, struct pps_parquet_chunk *chunk)
{
    if (!pps_typed_cells_range(typed, &chunk->least, &chunk->greatest))
        return;
    chunk->has_range = 1;
    const uint64_t sign = UINT64_C(1) << 63;
    if (typed->kind == PPS_CELLS_REAL && (chunk->least & ~sign) == 0)
        chunk->least = sign;
    if (typed->kind == PPS_CELLS_REAL && (chunk->greatest & ~sign) == 0)
        chunk->greatest = 0;
}

static enum pps_status add_chunk(struct pps_parquet *p, struct pps_parquet_chunk *chunk,
                                 struct pps_error *err)
{
    const struct pps_typed_cells *typed = &p->typed;
    const struct pps_spelling spelling = pps_typed_cells_spelling(typed);
    *chunk = (struct pps_parquet_chunk){.kind = (uint8_t)typed->kind,
                                        .form = (uint8_t)spelling.form,
                                        .decimals = (uint8_t)spelling.decimals,
                                        .is_coded = typed->cells.coded,
                                        .n_empty = typed->cells.n_empty,
                                        .n_items = typed->n_items};
    find_range(typed, chunk);
    text_buffer_clear(&p->dictionary);
    text_buffer_clear(&p->data);
    add_levels(p);
    if (chunk->is_coded) {
        add_items(&p->dictionary, typed);
        add_codes(p);
    } else {
        add_items(&p->data, typed);
    }
    enum pps_status status = add_pages(p, chunk, err);
    return status == PPS_OK ? add_spelled(p, chunk, err) : status;
}

// A column of booleans, or without any value, has no dictionary.
static enum pps_status next_column(struct pps_parquet *p, int c, uint64_t first_row,
                                   struct pps_error *err)
{
    const struct pps_schema *schema = p->schema;
    struct pps_cell_columns *cells = &p->typed.cells;
    cells->never_coded = schema->kinds[c] == PPS_CELLS_BOOLEAN;
    enum pps_status status =
        pps_typed_cells_next(&p->typed, schema->kinds[c], schema->names[c], first_row, err);
    cells->coded = cells->coded && p->typed.n_items > 0;
    return status;
}

// ---- blocks -----------------------------------------------------------------------------------

static enum pps_status make_room(struct pps_parquet *p, struct pps_error *err)
{
    const size_t rows = p->typed.cells.n_rows;
    if (rows <= p->codes_room)
        return PPS_OK;
    free(p->codes);
    p->codes = malloc(rows * sizeof *p->codes);
    p->codes_room = p->codes != NULL ? rows : 0;
    return p->codes != NULL ? PPS_OK : fail_memory(err);
}

static enum pps_status put_block(struct pps_parquet *p, size_t text_bytes,
                                 struct text_buffer *out, struct pps_error *err)
{
    const size_t chunk_bytes = (size_t)p->schema->n * sizeof *p->chunks;
    struct pps_parquet_block_head head = {.magic = "PPSB",
                                          .n_columns = (uint32_t)p->schema->n,
                                          .n_rows = p->typed.cells.n_rows,
                                          .text_bytes = (uint32_t)text_bytes};
    head.bytes = sizeof head + chunk_bytes + p->pages.n;
    const size_t before = out->n;
    text_buffer_add_bytes(out, (const char *)&head, sizeof head);
    text_buffer_add_bytes(out, (const char *)p->chunks, chunk_bytes);
    text_buffer_add_bytes(out, p->pages.text, p->pages.n);
    if (out->failed) {
        out->n = before;
        return fail_memory(err);
    }
    put_checksum(out, before, offsetof(struct pps_parquet_block_head, checksum));
    return PPS_OK;
}

enum pps_status pps_parquet_block(struct pps_parquet *p, const char *text, size_t n,
                                  uint64_t first_row, struct text_buffer *out,
                                  struct pps_error *err)
{
    if (n == 0)
        return PPS_OK;
    if (n > PPS_PARQUET_TEXT_MAX)
        return pps_fail(err, PPS_E_MACHINE, "a row group has more than 64 MiB of text");
    enum pps_status status = pps_typed_cells_begin(&p->typed, text, n, err);
    if (status == PPS_OK)
        status = make_room(p, err);
    text_buffer_clear(&p->pages);
    for (int c = 0; c < p->schema->n && status == PPS_OK; c++) {
        status = next_column(p, c, first_row, err);
        if (status == PPS_OK)
            status = add_chunk(p, &p->chunks[c], err);
    }
    return status == PPS_OK ? put_block(p, n, out, err) : status;
}
