// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a Parquet file of ours. The first byte selects the mode: the bytes as a
// file (0), or as the rows of a block (1), which must come back unchanged.
#include "base/columns/parquet_read.h"
#include "base/columns/parquet_write.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct input {
    const uint8_t *at;
    size_t left;
};

static enum pps_status pull(void *self, void *data, size_t n, size_t *got,
                            struct pps_error *err)
{
    struct input *input = self;
    (void)err;
    *got = n < input->left ? n : input->left;
    memcpy(data, input->at, *got);
    input->at += *got;
    input->left -= *got;
    return PPS_OK;
}

static void read_file(const uint8_t *data, size_t n)
{
    struct input input = {data, n};
    const struct pps_parquet_source source = {&input, pull, n % 2 == 0, NULL};
    struct pps_parquet_stream *stream = pps_parquet_stream_open(&source);
    const char *text;
    size_t bytes = 1;
    struct pps_error err;
    while (stream != NULL && bytes > 0)
        if (pps_parquet_stream_next(stream, &text, &bytes, &err) != PPS_OK)
            break;
    pps_parquet_stream_close(stream);
}

// Reads the line of names, then the cells of every other column.
static void read_cells(const uint8_t *data, size_t n)
{
    struct input input = {data, n};
    const struct pps_parquet_source source = {&input, pull, n % 2 == 0, NULL};
    struct pps_parquet_stream *stream = pps_parquet_stream_open(&source);
    struct pps_parquet_reader *reader;
    struct pps_parquet_cells cells;
    struct pps_error err;
    const char *text;
    size_t bytes;
    uint32_t n_columns, n_rows = 1;
    if (stream == NULL || pps_parquet_stream_next(stream, &text, &bytes, &err) != PPS_OK)
        n_rows = 0;
    while (n_rows > 0 &&
           pps_parquet_stream_open_block(stream, &reader, &n_columns, &n_rows, &err) == PPS_OK)
        for (uint32_t c = 0; n_rows > 0 && c < n_columns; c += 2)
            if (pps_parquet_block_cells(reader, c, &cells))
                for (uint32_t row = 0; row < n_rows; row++) {
                    const char *cell = pps_parquet_cell(&cells, row, &bytes);
                    if (bytes > 0 && memchr(cell, '\n', bytes) != NULL)
                        abort();
                }
    pps_parquet_stream_close(stream);
}

static void expect_same(const struct text_buffer *block, const char *rows, size_t n)
{
    struct pps_parquet_reader *reader = pps_parquet_reader_open(NULL);
    const char *again;
    size_t n_again;
    if (reader == NULL ||
        !pps_parquet_block_text(reader, (const unsigned char *)block->text, block->n, &again,
                                &n_again) ||
        n_again != n || memcmp(again, rows, n) != 0)
        abort();
    pps_parquet_reader_close(reader);
}

static size_t count(const char *text, size_t n, char wanted)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += text[i] == wanted;
    return found;
}

// Every line must have two cells.
static int is_table(const char *rows, size_t n)
{
    for (const char *at = rows, *end = rows + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL || count(at, (size_t)(newline - at), ',') != 1)
            return 0;
        at = newline + 1;
    }
    return n > 0;
}

static void write_rows(const char *rows, size_t n, unsigned kinds)
{
    struct pps_schema schema;
    struct pps_parquet *writer;
    struct pps_error err;
    struct text_buffer block = {.text = NULL};
    if (!is_table(rows, n) || pps_schema_open(&schema, "a,b\n", 4, &err) != PPS_OK)
        return;
    schema.kinds[0] = (enum pps_cell_kind)(kinds % PPS_CELLS_KINDS);
    schema.kinds[1] = (enum pps_cell_kind)(kinds / 4 % PPS_CELLS_KINDS);
    if (pps_parquet_open(&writer, &schema, 1, &err) == PPS_OK &&
        pps_parquet_block(writer, rows, n, 1, &block, &err) == PPS_OK)
        expect_same(&block, rows, n);
    pps_parquet_close(writer);
    text_buffer_free(&block);
    pps_schema_free(&schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    if (data[0] % 2 == 0) {
        read_file(data + 1, n - 1);
        read_cells(data + 1, n - 1);
    } else {
        write_rows((const char *)data + 2, n - 2, data[1]);
    }
    return 0;
}
