// SPDX-License-Identifier: Apache-2.0
// Turns the Parquet files of parquet_write.h back into the text that they were made of, or into its
// cells, from the front and block by block. Files of other programs are not read. Any bytes are safe to read.
#pragma once

#include "base/columns/schema.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pps_parquet_reader; // one per thread

// Returns NULL if memory runs out. The reader gives up between two columns once the flag `stop`, which may be
// NULL, is set.
struct pps_parquet_reader *pps_parquet_reader_open(const atomic_bool *stop);
void pps_parquet_reader_close(struct pps_parquet_reader *reader); // NULL is fine

// Sets *text, of *n_text bytes and valid until the next call, from the n bytes of a block (of none:
// no text). All columns together take memory in proportion to the text that the block promises, at most
// PPS_PARQUET_TEXT_MAX bytes. Returns false if the bytes are not a block, if memory runs out, or if
// the reader gave up.
bool pps_parquet_block_text(struct pps_parquet_reader *reader, const unsigned char *bytes,
                            size_t n, const char **text, size_t *n_text);

// The cells of a column of a block. The cell of a row is empty if its item is PPS_NO_ITEM, and otherwise
// ends at end[item] in the text, where the next item begins.
struct pps_parquet_cells {
    const char *text;
    const uint32_t *end, *item;
};
#define PPS_NO_ITEM UINT32_MAX

static inline const char *pps_parquet_cell(const struct pps_parquet_cells *cells, uint32_t row,
                                           size_t *n)
{
    const uint32_t item = cells->item[row];
    *n = 0;
    if (item == PPS_NO_ITEM)
        return "";
    const uint32_t start = item > 0 ? cells->end[item - 1] : 0;
    *n = cells->end[item] - start;
    return cells->text + start;
}

// Opens a block of n > 0 bytes, which must stay until the next call. pps_parquet_block_cells then decodes one column
// of it, with memory as above, if it has not yet: columns that nobody looks at take no time. Both return
// false as pps_parquet_block_text does.
bool pps_parquet_block_open(struct pps_parquet_reader *reader, const unsigned char *bytes,
                            size_t n, uint32_t *n_columns, uint32_t *n_rows);
bool pps_parquet_block_cells(struct pps_parquet_reader *reader, uint32_t column,
                             struct pps_parquet_cells *cells);

// Fills err after a function has returned false, and returns its code: PPS_E_STOPPED if the reader gave
// up, PPS_E_MACHINE if memory ran out, otherwise `code` with the text `damage`.
enum pps_status pps_parquet_reader_fail(const struct pps_parquet_reader *reader,
                                        enum pps_status code, const char *damage,
                                        struct pps_error *err);

// The start of a file, as pps_parquet_header writes it.
struct pps_parquet_start {
    size_t bytes;     // of all of it
    const char *line; // names of the columns, with the newline
    size_t line_bytes;
    const char *metadata;
    size_t metadata_bytes;
};

// Reads the start of a file from its first n bytes. Returns false if they are too few or not such
// a start. *wanted is the number of bytes that are needed (0: this is not our file).
bool pps_parquet_start_read(const unsigned char *bytes, size_t n,
                            struct pps_parquet_start *start, size_t *wanted);

// ---- whole files ------------------------------------------------------------------------------

struct pps_parquet_stream;

// Where a stream comes from. Reads up to n > 0 bytes; *got is 0 only at the end.
struct pps_parquet_source {
    void *self;
    enum pps_status (*pull)(void *self, void *data, size_t n, size_t *got,
                            struct pps_error *err);
    bool may_stop;           // the file may end after any block
    const atomic_bool *stop; // ends the reading with PPS_E_STOPPED; or NULL
};

// Opens a stream that has not been read yet. Returns NULL if memory runs out.
struct pps_parquet_stream *pps_parquet_stream_open(const struct pps_parquet_source *source);
void pps_parquet_stream_close(struct pps_parquet_stream *stream); // NULL is fine

// Sets *text to the next text, valid until the next call: the line of names, then the rows of each
// block; *n is 0 at the end. PPS_E_INPUT if the file is damaged, truncated or of another program.
PPS_MUST_CHECK enum pps_status pps_parquet_stream_next(struct pps_parquet_stream *stream,
                                                       const char **text, size_t *n,
                                                       struct pps_error *err);

// Opens the next block with rows in *reader, which belongs to the stream; *n_rows is 0 at the end.
// The line of names has been read. Errors as pps_parquet_stream_next.
PPS_MUST_CHECK enum pps_status pps_parquet_stream_open_block(struct pps_parquet_stream *stream,
                                                             struct pps_parquet_reader **reader,
                                                             uint32_t *n_columns,
                                                             uint32_t *n_rows,
                                                             struct pps_error *err);
