// SPDX-License-Identifier: Apache-2.0
// Encodes record batches and their metadata.
#include "base/columns/arrow_write.h"

#include "base/columns/flatbuffer.h"
#include "base/columns/typed_cells.h"
#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

// Numbers of the Arrow format.
enum { VERSION_5 = 4, SCHEMA = 1, RECORD_BATCH = 3 };     // of messages
enum { INT = 2, FLOATING_POINT = 3, UTF8 = 5, BOOL = 6 }; // of types
enum { DOUBLE_PRECISION = 2, ALIGNMENT = 64, BUFFERS_MAX = 3 };

static const char magic[8] = "ARROW1\0"; // 6 characters and zeros

struct node {
    int64_t length, null_count;
};

struct buffer {
    int64_t offset, length;
};

// Where a record batch stands in the file.
struct block {
    int64_t offset;
    int32_t metadata_bytes, unused;
    int64_t body_bytes;
};

struct pps_arrow {
    const struct pps_schema *schema;
    char *metadata;
    struct pps_typed_cells typed;
    struct text_buffer body;
    struct node *nodes;
    struct buffer *buffers; // of the current batch
    uint32_t n_buffers;
    struct block *blocks;
    size_t n_blocks, blocks_room;
    uint64_t written; // bytes of the file so far
};

static enum pps_status fail_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the record batches of an Arrow file");
}

enum pps_status pps_arrow_open(struct pps_arrow **arrow, const struct pps_schema *schema,
                               const char *metadata, struct pps_error *err)
{
    struct pps_arrow *a = calloc(1, sizeof *a);
    *arrow = NULL;
    if (a == NULL)
        return fail_memory(err);
    a->schema = schema;
    a->metadata = strdup(metadata);
    a->nodes = calloc((size_t)schema->n, sizeof *a->nodes);
    a->buffers = calloc((size_t)schema->n * BUFFERS_MAX, sizeof *a->buffers);
    if (a->metadata == NULL || a->nodes == NULL || a->buffers == NULL) {
        pps_arrow_close(a);
        return fail_memory(err);
    }
    *arrow = a;
    return PPS_OK;
}

void pps_arrow_close(struct pps_arrow *arrow)
{
    if (arrow == NULL)
        return;
    pps_typed_cells_free(&arrow->typed);
    text_buffer_free(&arrow->body);
    free(arrow->metadata);
    free(arrow->nodes);
    free(arrow->buffers);
    free(arrow->blocks);
    free(arrow);
}

// ---- metadata ---------------------------------------------------------------------------------

static uint32_t put_type(struct pps_flat *flat, enum pps_cell_kind kind, unsigned *type)
{
    static const unsigned types[PPS_CELLS_KINDS] = {INT, FLOATING_POINT, BOOL, UTF8};
    *type = types[kind];
    pps_flat_begin(flat);
    if (kind == PPS_CELLS_INTEGER) {
        pps_flat_number(flat, 0, 64, sizeof(int32_t)); // bits
        pps_flat_number(flat, 1, 1, 1);                // with sign
    } else if (kind == PPS_CELLS_REAL) {
        pps_flat_number(flat, 0, DOUBLE_PRECISION, sizeof(int16_t));
    }
    return pps_flat_end(flat);
}

static uint32_t put_field(struct pps_flat *flat, const char *name, enum pps_cell_kind kind)
{
    unsigned type;
    const uint32_t table = put_type(flat, kind, &type);
    const uint32_t text = pps_flat_string(flat, name, strlen(name));
    const uint32_t children = pps_flat_tables(flat, NULL, 0);
    pps_flat_begin(flat);
    pps_flat_place(flat, 0, text);
    pps_flat_number(flat, 1, 1, 1); // may be null
    pps_flat_number(flat, 2, type, 1);
    pps_flat_place(flat, 3, table);
    pps_flat_place(flat, 5, children);
    return pps_flat_end(flat);
}

// Returns the place of a vector of one pair of key and value.
static uint32_t put_metadata(struct pps_flat *flat, const char *text)
{
    const uint32_t key = pps_flat_string(flat, "ppsweep", 7);
    const uint32_t value = pps_flat_string(flat, text, strlen(text));
    pps_flat_begin(flat);
    pps_flat_place(flat, 0, key);
    pps_flat_place(flat, 1, value);
    const uint32_t pair = pps_flat_end(flat);
    return pps_flat_tables(flat, &pair, 1);
}

static uint32_t put_schema(struct pps_flat *flat, const struct pps_arrow *arrow)
{
    const struct pps_schema *schema = arrow->schema;
    uint32_t *fields = calloc((size_t)schema->n, sizeof *fields);
    flat->failed = flat->failed || fields == NULL;
    for (int c = 0; c < schema->n && fields != NULL; c++)
        fields[c] = put_field(flat, schema->names[c], schema->kinds[c]);
    const uint32_t list =
        fields != NULL ? pps_flat_tables(flat, fields, (uint32_t)schema->n) : 0;
    const uint32_t metadata =
        arrow->metadata[0] != '\0' ? put_metadata(flat, arrow->metadata) : 0;
    free(fields);
    pps_flat_begin(flat);
    pps_flat_number(flat, 0, 0, sizeof(int16_t)); // little endian
    pps_flat_place(flat, 1, list);
    if (metadata != 0)
        pps_flat_place(flat, 2, metadata);
    return pps_flat_end(flat);
}

static uint32_t put_batch(struct pps_flat *flat, const struct pps_arrow *arrow)
{
    const uint32_t n = (uint32_t)arrow->schema->n;
    const uint32_t buffers = pps_flat_structs(
        flat, arrow->buffers, arrow->n_buffers * sizeof *arrow->buffers, arrow->n_buffers, 8);
    const uint32_t nodes = pps_flat_structs(flat, arrow->nodes, n * sizeof *arrow->nodes, n, 8);
    pps_flat_begin(flat);
    pps_flat_number(flat, 0, arrow->typed.cells.n_rows, sizeof(int64_t));
    pps_flat_place(flat, 1, nodes);
    pps_flat_place(flat, 2, buffers);
    return pps_flat_end(flat);
}

// Appends a message: a mark, the length of its metadata, the metadata and zeros up to a multiple of
// 8 bytes. Returns the number of bytes.
static size_t put_message(struct pps_flat *flat, unsigned type, uint32_t header,
                          uint64_t body_bytes, struct text_buffer *out)
{
    static const char zeros[8];
    pps_flat_begin(flat);
    pps_flat_number(flat, 0, VERSION_5, sizeof(int16_t));
    pps_flat_number(flat, 1, type, 1);
    pps_flat_place(flat, 2, header);
    pps_flat_number(flat, 3, body_bytes, sizeof(int64_t));
    pps_flat_finish(flat, pps_flat_end(flat));
    const size_t padded = (flat->n + 7) / 8 * 8;
    const uint32_t start[2] = {UINT32_MAX, (uint32_t)padded};
    if (flat->failed) {
        out->failed = true;
        return 0;
    }
    text_buffer_add_bytes(out, (const char *)start, sizeof start);
    text_buffer_add_bytes(out, (const char *)pps_flat_bytes(flat), flat->n);
    text_buffer_add_bytes(out, zeros, padded - flat->n);
    return sizeof start + padded;
}

// ---- the body ---------------------------------------------------------------------------------

// Appends a buffer of n bytes and the zeros behind it.
static void add_buffer(struct pps_arrow *arrow, const void *bytes, size_t n)
{
    static const char zeros[ALIGNMENT];
    struct text_buffer *body = &arrow->body;
    arrow->buffers[arrow->n_buffers++] = (struct buffer){(int64_t)body->n, (int64_t)n};
    if (n > 0)
        text_buffer_add_bytes(body, bytes, n);
    text_buffer_add_bytes(body, zeros, (ALIGNMENT - body->n % ALIGNMENT) % ALIGNMENT);
}

static bool is_there(const struct pps_cell_columns *cells, uint32_t row)
{
    return cells->end[row] > cells->start[row];
}

static uint64_t value_at(const struct pps_typed_cells *typed, uint32_t row, uint32_t *before)
{
    if (!is_there(&typed->cells, row))
        return 0;
    return typed->values[pps_typed_cells_item(typed, row, (*before)++)];
}

// One bit per row: whether there is a cell, or the value of a boolean.
static void add_bits(struct pps_arrow *arrow, bool values, unsigned char *room)
{
    const struct pps_typed_cells *typed = &arrow->typed;
    const uint32_t n_rows = typed->cells.n_rows;
    uint32_t before = 0;
    const size_t bytes = ((size_t)n_rows + 7) / 8;
    memset(room, 0, bytes);
    for (uint32_t row = 0; row < n_rows; row++) {
        const uint64_t bit =
            values ? value_at(typed, row, &before) : is_there(&typed->cells, row);
        room[row / 8] = (unsigned char)(room[row / 8] | bit << (row % 8));
    }
    add_buffer(arrow, room, bytes);
}

static void add_numbers(struct pps_arrow *arrow, uint64_t *room)
{
    const struct pps_typed_cells *typed = &arrow->typed;
    uint32_t before = 0;
    for (uint32_t row = 0; row < typed->cells.n_rows; row++)
        room[row] = value_at(typed, row, &before);
    add_buffer(arrow, room, typed->cells.n_rows * sizeof *room);
}

// The offsets of all texts, then the texts.
static void add_texts(struct pps_arrow *arrow, char *room)
{
    const struct pps_cell_columns *cells = &arrow->typed.cells;
    uint32_t *offsets = (uint32_t *)(void *)room, at = 0;
    for (uint32_t row = 0; row < cells->n_rows; row++) {
        offsets[row] = at;
        at += cells->end[row] - cells->start[row];
    }
    offsets[cells->n_rows] = at;
    add_buffer(arrow, offsets, ((size_t)cells->n_rows + 1) * sizeof *offsets);
    for (uint32_t row = 0, done = 0; row < cells->n_rows; row++) {
        const uint32_t n = cells->end[row] - cells->start[row];
        memcpy(room + done, cells->text + cells->start[row], n);
        done += n;
    }
    add_buffer(arrow, room, at);
}

static void add_column(struct pps_arrow *arrow, int c, char *room)
{
    const struct pps_cell_columns *cells = &arrow->typed.cells;
    arrow->nodes[c] = (struct node){cells->n_rows, cells->n_empty};
    if (cells->n_empty > 0)
        add_bits(arrow, false, (unsigned char *)room);
    else
        add_buffer(arrow, NULL, 0);
    if (arrow->typed.kind == PPS_CELLS_TEXT)
        add_texts(arrow, room);
    else if (arrow->typed.kind == PPS_CELLS_BOOLEAN)
        add_bits(arrow, true, (unsigned char *)room);
    else
        add_numbers(arrow, (uint64_t *)(void *)room);
}

static enum pps_status make_body(struct pps_arrow *arrow, const char *text, size_t n,
                                 uint64_t first_row, struct pps_error *err)
{
    const struct pps_schema *schema = arrow->schema;
    text_buffer_clear(&arrow->body);
    arrow->n_buffers = 0;
    enum pps_status status = pps_typed_cells_begin(&arrow->typed, text, n, err);
    if (status != PPS_OK)
        return status;
    const size_t numbers = ((size_t)arrow->typed.cells.n_rows + 1) * sizeof(uint64_t);
    char *room = malloc(numbers > n ? numbers : n);
    if (room == NULL)
        return fail_memory(err);
    for (int c = 0; c < schema->n && status == PPS_OK; c++) {
        status = pps_typed_cells_next(&arrow->typed, schema->kinds[c], schema->names[c],
                                      first_row, err);
        if (status == PPS_OK)
            add_column(arrow, c, room);
    }
    free(room);
    return status == PPS_OK && arrow->body.failed ? fail_memory(err) : status;
}

// ---- the file ---------------------------------------------------------------------------------

static enum pps_status done(struct pps_arrow *arrow, size_t before, struct pps_flat *flat,
                            const struct text_buffer *out, struct pps_error *err)
{
    pps_flat_free(flat);
    arrow->written += out->n - before;
    return out->failed ? fail_memory(err) : PPS_OK;
}

enum pps_status pps_arrow_start(struct pps_arrow *arrow, struct text_buffer *out,
                                struct pps_error *err)
{
    struct pps_flat flat = {.bytes = NULL};
    const size_t before = out->n;
    text_buffer_add_bytes(out, magic, sizeof magic);
    put_message(&flat, SCHEMA, put_schema(&flat, arrow), 0, out);
    return done(arrow, before, &flat, out, err);
}

enum pps_status pps_arrow_batch(struct pps_arrow *arrow, const char *text, size_t n,
                                uint64_t first_row, struct text_buffer *out,
                                struct pps_error *err)
{
    struct pps_flat flat = {.bytes = NULL};
    const size_t before = out->n;
    enum pps_status status = make_body(arrow, text, n, first_row, err);
    if (status != PPS_OK)
        return status;
    struct block *blocks =
        pps_grow(arrow->blocks, &arrow->blocks_room, arrow->n_blocks + 1, sizeof *blocks);
    if (blocks == NULL)
        return fail_memory(err);
    arrow->blocks = blocks;
    const size_t bytes =
        put_message(&flat, RECORD_BATCH, put_batch(&flat, arrow), arrow->body.n, out);
    blocks[arrow->n_blocks++] =
        (struct block){(int64_t)arrow->written, (int32_t)bytes, 0, (int64_t)arrow->body.n};
    text_buffer_add_bytes(out, arrow->body.text, arrow->body.n);
    return done(arrow, before, &flat, out, err);
}

enum pps_status pps_arrow_end(struct pps_arrow *arrow, struct text_buffer *out,
                              struct pps_error *err)
{
    static const uint32_t last[2] = {UINT32_MAX, 0}; // no further message
    struct pps_flat flat = {.bytes = NULL};
    const size_t before = out->n;
    text_buffer_add_bytes(out, (const char *)last, sizeof last);
    const uint32_t schema = put_schema(&flat, arrow);
    const uint32_t batches =
        pps_flat_structs(&flat, arrow->blocks, arrow->n_blocks * sizeof *arrow->blocks,
                         (uint32_t)arrow->n_blocks, 8);
    const uint32_t dictionaries = pps_flat_structs(&flat, NULL, 0, 0, 8);
    pps_flat_begin(&flat);
    pps_flat_number(&flat, 0, VERSION_5, sizeof(int16_t));
    pps_flat_place(&flat, 1, schema);
    pps_flat_place(&flat, 2, dictionaries);
    pps_flat_place(&flat, 3, batches);
    pps_flat_finish(&flat, pps_flat_end(&flat));
    const uint32_t bytes = (uint32_t)flat.n;
    out->failed = out->failed || flat.failed;
    if (!out->failed) {
        text_buffer_add_bytes(out, (const char *)pps_flat_bytes(&flat), flat.n);
        text_buffer_add_bytes(out, (const char *)&bytes, sizeof bytes);
        text_buffer_add_bytes(out, magic, 6);
    }
    return done(arrow, before, &flat, out, err);
}
