// SPDX-License-Identifier: Apache-2.0
// Reads a Parquet file of ours from the front.
#include "base/columns/parquet_layout_private.h"
#include "base/columns/parquet_read.h"
#include "base/columns/parquet_write.h"
#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

// The most bytes of a block: more than PPS_PARQUET_TEXT_MAX bytes of text need.
#define BLOCK_MAX ((uint64_t)1 << 30)

enum { PIECE = 1 << 16 }; // bytes that are read at once

struct pps_parquet_stream {
    struct pps_parquet_source source;
    struct pps_parquet_reader *reader;
    unsigned char *bytes; // of the start or of a block
    size_t n, room;
    bool started, ended;
};

bool pps_parquet_start_read(const unsigned char *bytes, size_t n,
                            struct pps_parquet_start *start, size_t *wanted)
{
    struct pps_parquet_head head;
    const size_t magic = PPS_PARQUET_MAGIC_BYTES + sizeof head.magic;
    *wanted = PPS_PARQUET_MAGIC_BYTES + sizeof head;
    if (n >= magic && memcmp(bytes, PPS_PARQUET_MAGIC "PPSH", magic) != 0)
        *wanted = 0;
    if (n < *wanted || *wanted == 0)
        return false;
    memcpy(&head, bytes + PPS_PARQUET_MAGIC_BYTES, sizeof head);
    if (head.n_columns > PPS_SCHEMA_COLUMNS ||
        (uint64_t)head.line_bytes + head.metadata_bytes > PPS_PARQUET_TEXT_MAX) {
        *wanted = 0;
        return false;
    }
    const size_t line = *wanted + head.n_columns;
    *wanted = line + head.line_bytes + head.metadata_bytes;
    *start = (struct pps_parquet_start){*wanted, (const char *)bytes + line, head.line_bytes,
                                        (const char *)bytes + line + head.line_bytes,
                                        head.metadata_bytes};
    if (n < *wanted)
        return false;
    const size_t at = offsetof(struct pps_parquet_head, checksum);
    if (head.checksum == pps_parquet_checksum(bytes + PPS_PARQUET_MAGIC_BYTES,
                                              *wanted - PPS_PARQUET_MAGIC_BYTES, at))
        return true;
    *wanted = 0;
    return false;
}

struct pps_parquet_stream *pps_parquet_stream_open(const struct pps_parquet_source *source)
{
    struct pps_parquet_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->source = *source;
    stream->reader = pps_parquet_reader_open(source->stop);
    if (stream->reader != NULL)
        return stream;
    free(stream);
    return NULL;
}

void pps_parquet_stream_close(struct pps_parquet_stream *stream)
{
    if (stream == NULL)
        return;
    pps_parquet_reader_close(stream->reader);
    free(stream->bytes);
    free(stream);
}

// Reads until the buffer has n bytes, or the end of the file. The buffer grows with the bytes that
// are there: a false length takes no memory.
static enum pps_status fill(struct pps_parquet_stream *stream, size_t n, struct pps_error *err)
{
    size_t got = 1;
    while (stream->n < n && got > 0) {
        const size_t wanted = n - stream->n < PIECE ? n : stream->n + PIECE;
        unsigned char *grown = pps_grow(stream->bytes, &stream->room, wanted + 1, 1);
        if (grown == NULL)
            return pps_fail_memory(err, "a row group of a Parquet file");
        stream->bytes = grown;
        enum pps_status status = stream->source.pull(stream->source.self, grown + stream->n,
                                                     wanted - stream->n, &got, err);
        if (status != PPS_OK)
            return status;
        stream->n += got;
    }
    return PPS_OK;
}

static enum pps_status fail_truncated(struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT, "the file is truncated");
}

static enum pps_status fail_other(struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "another program wrote this Parquet file; write it as CSV instead");
}

static enum pps_status fail_start(const struct pps_parquet_stream *stream,
                                  struct pps_error *err)
{
    const bool ours = memcmp(stream->bytes + PPS_PARQUET_MAGIC_BYTES, "PPSH", 4) == 0;
    return ours ? pps_fail(err, PPS_E_INPUT, "the start of the file is damaged")
                : fail_other(err);
}

static enum pps_status read_start(struct pps_parquet_stream *stream, const char **text,
                                  size_t *n, struct pps_error *err)
{
    struct pps_parquet_start start;
    size_t wanted = 0, before;
    bool whole;
    do {
        before = stream->n;
        whole = pps_parquet_start_read(stream->bytes, stream->n, &start, &wanted);
        if (!whole && wanted == 0)
            return fail_start(stream, err);
        enum pps_status status = whole ? PPS_OK : fill(stream, wanted, err);
        if (status != PPS_OK)
            return status;
    } while (!whole && stream->n > before);
    if (!whole)
        return fail_truncated(err);
    stream->started = true;
    *text = start.line;
    *n = start.line_bytes;
    stream->n = 0;
    return *n > 0 ? PPS_OK : fail_other(err);
}

// Reads to the end of the file: the footer is for other readers, but its end must be there.
static enum pps_status skip_footer(struct pps_parquet_stream *stream, struct pps_error *err)
{
    char last[PPS_PARQUET_MAGIC_BYTES] = {0};
    size_t got = stream->n;
    stream->ended = true;
    while (got > 0) {
        const size_t keep = got < sizeof last ? got : sizeof last;
        memmove(last, last + keep, sizeof last - keep);
        memcpy(last + sizeof last - keep, stream->bytes + stream->n - keep, keep);
        stream->n = 0;
        enum pps_status status = fill(stream, PIECE, err);
        if (status != PPS_OK)
            return status;
        got = stream->n;
    }
    return memcmp(last, PPS_PARQUET_MAGIC, sizeof last) == 0 || stream->source.may_stop
               ? PPS_OK
               : fail_truncated(err);
}

static enum pps_status cut_off(struct pps_parquet_stream *stream, struct pps_error *err)
{
    stream->ended = true;
    return stream->source.may_stop ? PPS_OK : fail_truncated(err);
}

// Reads the bytes of the next block; none at the end.
static enum pps_status read_block(struct pps_parquet_stream *stream, size_t *n,
                                  struct pps_error *err)
{
    struct pps_parquet_block_head head;
    *n = stream->n = 0;
    enum pps_status status = stream->ended ? PPS_OK : fill(stream, sizeof head, err);
    if (status != PPS_OK || stream->ended)
        return status;
    if (stream->n >= 4 && memcmp(stream->bytes, PPS_PARQUET_END, 4) == 0)
        return skip_footer(stream, err);
    if (stream->n < sizeof head)
        return cut_off(stream, err);
    memcpy(&head, stream->bytes, sizeof head);
    if (memcmp(head.magic, "PPSB", 4) != 0 || head.bytes < sizeof head ||
        head.bytes > BLOCK_MAX)
        return pps_fail(err, PPS_E_INPUT, "a row group is damaged");
    status = fill(stream, (size_t)head.bytes, err);
    if (status != PPS_OK)
        return status;
    if (stream->n < head.bytes)
        return cut_off(stream, err);
    *n = (size_t)head.bytes;
    return PPS_OK;
}

static enum pps_status fail_block(const struct pps_parquet_stream *stream,
                                  struct pps_error *err)
{
    return pps_parquet_reader_fail(stream->reader, PPS_E_INPUT, "a row group is damaged", err);
}

enum pps_status pps_parquet_stream_open_block(struct pps_parquet_stream *stream,
                                              struct pps_parquet_reader **reader,
                                              uint32_t *n_columns, uint32_t *n_rows,
                                              struct pps_error *err)
{
    size_t n;
    *reader = stream->reader;
    *n_rows = 0;
    do {
        const enum pps_status status = read_block(stream, &n, err);
        if (status != PPS_OK)
            return status;
        if (n > 0 &&
            !pps_parquet_block_open(stream->reader, stream->bytes, n, n_columns, n_rows))
            return fail_block(stream, err);
    } while (n > 0 && *n_rows == 0);
    return PPS_OK;
}

enum pps_status pps_parquet_stream_next(struct pps_parquet_stream *stream, const char **text,
                                        size_t *n, struct pps_error *err)
{
    *text = "";
    *n = 0;
    if (!stream->started)
        return read_start(stream, text, n, err);
    size_t bytes;
    const enum pps_status status = read_block(stream, &bytes, err);
    if (status != PPS_OK || bytes == 0)
        return status;
    return pps_parquet_block_text(stream->reader, stream->bytes, bytes, text, n)
               ? PPS_OK
               : fail_block(stream, err);
}
