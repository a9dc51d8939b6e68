// SPDX-License-Identifier: Apache-2.0
// Writes the footer of a Parquet file from the heads of its blocks.
#include "base/columns/parquet_layout_private.h"
#include "base/columns/parquet_write.h"
#include "base/columns/thrift.h"

#include <stdlib.h>
#include <string.h>

// Numbers of the Parquet format.
enum { BOOLEAN = 0, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 }; // types
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };             // encodings
enum { OPTIONAL = 1, UTF8 = 0, FORMAT_VERSION = 2 };
enum { UNCOMPRESSED = 0, GZIP = 2 }; // codecs
enum { FLUSH_BYTES = 1 << 16 };

struct footer {
    const struct pps_parquet_file *file;
    struct pps_parquet_head head;
    struct pps_schema schema;
    char *metadata;
    struct pps_parquet_chunk *chunks; // of the current block
    uint64_t first, n_blocks, n_rows; // of all blocks
    struct text_buffer text;
    uint64_t written;
};

static enum pps_status fail_wrong(struct pps_error *err)
{
    return pps_fail(err, PPS_E_WRONG, "the row groups of the Parquet file are damaged");
}

static enum pps_status fail_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the footer of a Parquet file");
}

// ---- reading ----------------------------------------------------------------------------------

// Reads the kinds, the line of names and the metadata behind the head.
static enum pps_status read_start(struct footer *f, struct pps_error *err)
{
    const struct pps_parquet_file *file = f->file;
    const struct pps_parquet_head *head = &f->head;
    enum pps_status status =
        file->read(file->self, &f->head, sizeof f->head, PPS_PARQUET_MAGIC_BYTES, err);
    if (status != PPS_OK)
        return status;
    if (memcmp(head->magic, "PPSH", 4) != 0 || head->n_columns > PPS_SCHEMA_COLUMNS)
        return fail_wrong(err);
    const size_t n = (size_t)head->n_columns + head->line_bytes + head->metadata_bytes;
    f->first = PPS_PARQUET_MAGIC_BYTES + sizeof *head + n;
    f->metadata = malloc(n + 1);
    f->chunks = calloc(head->n_columns, sizeof *f->chunks);
    if (f->metadata == NULL || f->chunks == NULL)
        return fail_memory(err);
    status =
        file->read(file->self, f->metadata, n, PPS_PARQUET_MAGIC_BYTES + sizeof *head, err);
    if (status == PPS_OK)
        status =
            pps_schema_open(&f->schema, f->metadata + head->n_columns, head->line_bytes, err);
    if (status == PPS_OK && f->schema.n != (int)head->n_columns)
        status = fail_wrong(err);
    for (int c = 0; c < f->schema.n && status == PPS_OK; c++)
        f->schema.kinds[c] = (enum pps_cell_kind)f->metadata[c];
    return status;
}

static enum pps_status read_head(struct footer *f, uint64_t at,
                                 struct pps_parquet_block_head *head, struct pps_error *err)
{
    const struct pps_parquet_file *file = f->file;
    enum pps_status status = file->read(file->self, head, sizeof *head, at, err);
    if (status == PPS_OK &&
        (memcmp(head->magic, "PPSB", 4) != 0 || head->n_columns != f->head.n_columns ||
         head->bytes < sizeof *head + head->n_columns * sizeof *f->chunks ||
         head->bytes > file->bytes - at))
        status = fail_wrong(err);
    return status;
}

static enum pps_status count_blocks(struct footer *f, struct pps_error *err)
{
    struct pps_parquet_block_head head;
    for (uint64_t at = f->first; at < f->file->bytes; at += head.bytes) {
        enum pps_status status = read_head(f, at, &head, err);
        if (status != PPS_OK)
            return status;
        f->n_blocks++;
        f->n_rows += head.n_rows;
    }
    return PPS_OK;
}

// ---- the schema -------------------------------------------------------------------------------

static int32_t type_of(enum pps_cell_kind kind)
{
    static const int32_t types[PPS_CELLS_KINDS] = {INT64, DOUBLE, BOOLEAN, BYTE_ARRAY};
    return types[kind];
}

static void put_column(struct pps_thrift *thrift, const char *name, enum pps_cell_kind kind)
{
    pps_thrift_item_begin(thrift);
    pps_thrift_i32(thrift, 1, type_of(kind));
    pps_thrift_i32(thrift, 3, OPTIONAL);
    pps_thrift_binary(thrift, 4, name, strlen(name));
    if (kind == PPS_CELLS_TEXT) {
        pps_thrift_i32(thrift, 6, UTF8);
        pps_thrift_begin(thrift, 10); // the logical type, a union
        pps_thrift_begin(thrift, 1);  // STRING
        pps_thrift_end(thrift);
        pps_thrift_end(thrift);
    }
    pps_thrift_end(thrift);
}

static void put_schema(struct pps_thrift *thrift, const struct pps_schema *schema)
{
    pps_thrift_list(thrift, 2, PPS_THRIFT_STRUCT, (uint64_t)schema->n + 1);
    pps_thrift_item_begin(thrift);
    pps_thrift_binary(thrift, 4, "schema", 6);
    pps_thrift_i32(thrift, 5, schema->n);
    pps_thrift_end(thrift);
    for (int c = 0; c < schema->n; c++)
        put_column(thrift, schema->names[c], schema->kinds[c]);
}

// ---- row groups -------------------------------------------------------------------------------

static void put_statistics(struct pps_thrift *thrift, const struct pps_parquet_chunk *chunk)
{
    pps_thrift_begin(thrift, 12);
    pps_thrift_i64(thrift, 3, chunk->n_empty);
    if (chunk->has_range) {
        pps_thrift_binary(thrift, 5, &chunk->greatest, sizeof chunk->greatest);
        pps_thrift_binary(thrift, 6, &chunk->least, sizeof chunk->least);
    }
    pps_thrift_end(thrift);
}

static uint64_t packed_bytes(const struct pps_parquet_chunk *chunk)
{
    const struct pps_parquet_page *one = &chunk->dictionary, *two = &chunk->data;
    return (uint64_t)two->head + two->packed +
           (chunk->is_coded ? (uint64_t)one->head + one->packed : 0);
}

static uint64_t raw_bytes(const struct pps_parquet_chunk *chunk)
{
    const struct pps_parquet_page *one = &chunk->dictionary, *two = &chunk->data;
    return (uint64_t)two->head + two->raw +
           (chunk->is_coded ? (uint64_t)one->head + one->raw : 0);
}

static void put_chunk(struct pps_thrift *thrift, const struct pps_parquet_chunk *chunk,
                      const char *name, uint64_t at, uint32_t n_rows)
{
    const uint64_t data =
        at +
        (chunk->is_coded ? (uint64_t)chunk->dictionary.head + chunk->dictionary.packed : 0);
    pps_thrift_item_begin(thrift);
    pps_thrift_i64(thrift, 2, (int64_t)at);
    pps_thrift_begin(thrift, 3);
    pps_thrift_i32(thrift, 1, type_of((enum pps_cell_kind)chunk->kind));
    pps_thrift_list(thrift, 2, PPS_THRIFT_I32, chunk->is_coded ? 3 : 2);
    pps_thrift_item_i32(thrift, PLAIN);
    pps_thrift_item_i32(thrift, RLE);
    if (chunk->is_coded)
        pps_thrift_item_i32(thrift, RLE_DICTIONARY);
    pps_thrift_list(thrift, 3, PPS_THRIFT_BINARY, 1);
    pps_thrift_item_binary(thrift, name, strlen(name));
    pps_thrift_i32(thrift, 4, chunk->is_packed ? GZIP : UNCOMPRESSED);
    pps_thrift_i64(thrift, 5, n_rows);
    pps_thrift_i64(thrift, 6, (int64_t)raw_bytes(chunk));
    pps_thrift_i64(thrift, 7, (int64_t)packed_bytes(chunk));
    pps_thrift_i64(thrift, 9, (int64_t)data);
    if (chunk->is_coded)
        pps_thrift_i64(thrift, 11, (int64_t)at);
    put_statistics(thrift, chunk);
    pps_thrift_end(thrift);
    pps_thrift_end(thrift);
}

static void put_block(struct pps_thrift *thrift, const struct footer *f,
                      const struct pps_parquet_block_head *head, uint64_t at)
{
    uint64_t raw = 0, packed = 0;
    pps_thrift_item_begin(thrift);
    pps_thrift_list(thrift, 1, PPS_THRIFT_STRUCT, head->n_columns);
    at += sizeof *head + head->n_columns * sizeof *f->chunks;
    const uint64_t first = at;
    for (int c = 0; c < f->schema.n; c++) {
        const struct pps_parquet_chunk *chunk = &f->chunks[c];
        put_chunk(thrift, chunk, f->schema.names[c], at, head->n_rows);
        at += packed_bytes(chunk) + chunk->spelled_packed;
        raw += raw_bytes(chunk);
        packed += packed_bytes(chunk);
    }
    pps_thrift_i64(thrift, 2, (int64_t)raw);
    pps_thrift_i64(thrift, 3, head->n_rows);
    pps_thrift_i64(thrift, 5, (int64_t)first);
    pps_thrift_i64(thrift, 6, (int64_t)packed);
    pps_thrift_end(thrift);
}

// ---- the footer -------------------------------------------------------------------------------

static enum pps_status flush(struct footer *f, size_t least, struct pps_error *err)
{
    if (f->text.failed)
        return fail_memory(err);
    if (f->text.n < least)
        return PPS_OK;
    enum pps_status status = f->file->write(f->file->self, f->text.text, f->text.n, err);
    f->written += f->text.n;
    text_buffer_clear(&f->text);
    return status;
}

static enum pps_status put_blocks(struct footer *f, struct pps_thrift *thrift,
                                  struct pps_error *err)
{
    const struct pps_parquet_file *file = f->file;
    struct pps_parquet_block_head head;
    pps_thrift_list(thrift, 4, PPS_THRIFT_STRUCT, f->n_blocks);
    for (uint64_t at = f->first; at < file->bytes; at += head.bytes) {
        enum pps_status status = read_head(f, at, &head, err);
        if (status == PPS_OK)
            status = file->read(file->self, f->chunks, head.n_columns * sizeof *f->chunks,
                                at + sizeof head, err);
        for (int c = 0; c < f->schema.n && status == PPS_OK; c++)
            if (f->chunks[c].kind != f->schema.kinds[c])
                status = fail_wrong(err);
        if (status != PPS_OK)
            return status;
        put_block(thrift, f, &head, at);
        status = flush(f, FLUSH_BYTES, err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static void put_end(struct footer *f, struct pps_thrift *thrift)
{
    static const char key[] = "ppsweep";
    if (f->head.metadata_bytes > 0) {
        pps_thrift_list(thrift, 5, PPS_THRIFT_STRUCT, 1);
        pps_thrift_item_begin(thrift);
        pps_thrift_binary(thrift, 1, key, sizeof key - 1);
        pps_thrift_binary(thrift, 2, f->metadata + f->head.n_columns + f->head.line_bytes,
                          f->head.metadata_bytes);
        pps_thrift_end(thrift);
    }
    pps_thrift_binary(thrift, 6, f->file->creator, strlen(f->file->creator));
    pps_thrift_list(thrift, 7, PPS_THRIFT_STRUCT, (uint64_t)f->schema.n); // column orders
    for (int c = 0; c < f->schema.n; c++) {
        pps_thrift_item_begin(thrift);
        pps_thrift_begin(thrift, 1); // TYPE_ORDER
        pps_thrift_end(thrift);
        pps_thrift_end(thrift);
    }
    pps_thrift_end(thrift);
}

static enum pps_status write_footer(struct footer *f, struct pps_error *err)
{
    struct pps_thrift thrift;
    text_buffer_add_bytes(&f->text, PPS_PARQUET_END, 4);
    enum pps_status status = flush(f, 1, err);
    if (status != PPS_OK)
        return status;
    f->written = 0;
    pps_thrift_open(&thrift, &f->text);
    pps_thrift_i32(&thrift, 1, FORMAT_VERSION);
    put_schema(&thrift, &f->schema);
    pps_thrift_i64(&thrift, 3, (int64_t)f->n_rows);
    status = put_blocks(f, &thrift, err);
    if (status != PPS_OK)
        return status;
    put_end(f, &thrift);
    if (f->written + f->text.n > INT32_MAX)
        return pps_fail(err, PPS_E_MACHINE,
                        "the footer of the Parquet file is larger than 2 GiB");
    const uint32_t bytes = (uint32_t)(f->written + f->text.n);
    text_buffer_add_bytes(&f->text, (const char *)&bytes, sizeof bytes);
    text_buffer_add_bytes(&f->text, PPS_PARQUET_MAGIC, PPS_PARQUET_MAGIC_BYTES);
    return flush(f, 1, err);
}

enum pps_status pps_parquet_finish(const struct pps_parquet_file *file, struct pps_error *err)
{
    struct footer f = {.file = file};
    enum pps_status status = read_start(&f, err);
    if (status == PPS_OK)
        status = count_blocks(&f, err);
    if (status == PPS_OK)
        status = write_footer(&f, err);
    pps_schema_free(&f.schema);
    free(f.metadata);
    free(f.chunks);
    text_buffer_free(&f.text);
    return status;
}
