// SPDX-License-Identifier: Apache-2.0
// Reads one block: checks its bytes, then decompresses them.
#include "engine/store/block_text.h"

#include "base/columns/parquet_read.h"
#include "base/system/codec.h"
#include "base/system/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zlib.h>

// More bytes than any codec writes for the longest text. A larger size means damage.
#define DATA_MAX (2 * PPS_CODEC_TEXT_MAX + 1024)

enum { DEFLATE_RATIO = 1032 }; // the most that deflate saves

struct pps_blocktext {
    int fd;
    const char *path;
    bool compressed;
    struct pps_parquet_reader *parquet; // or NULL
    unsigned char *data;
    char *text;
    size_t data_cap, text_cap;
    z_stream zlib;
};

static enum pps_status fail_memory(const struct pps_blocktext *reader, struct pps_error *err)
{
    return pps_fail_memory(err, "%s", reader->path);
}

enum pps_status pps_blocktext_open(struct pps_blocktext **reader, int fd, const char *path,
                                   enum pps_codec_kind kind, struct pps_error *err)
{
    struct pps_blocktext *r = calloc(1, sizeof *r);
    *reader = NULL;
    if (r == NULL)
        return pps_fail_memory(err, "%s", path);
    r->fd = fd;
    r->path = path;
    r->compressed = kind == PPS_CODEC_ZLIB || kind == PPS_CODEC_ISAL;
    r->parquet = kind == PPS_CODEC_PARQUET ? pps_parquet_reader_open(NULL) : NULL;
    if (kind == PPS_CODEC_PARQUET && r->parquet == NULL) {
        free(r);
        return pps_fail_memory(err, "%s", path);
    }
    if (r->compressed && inflateInit2(&r->zlib, -15) != Z_OK) {
        free(r);
        return pps_fail_memory(err, "zlib");
    }
    *reader = r;
    return PPS_OK;
}

void pps_blocktext_close(struct pps_blocktext *reader)
{
    if (reader == NULL)
        return;
    if (reader->compressed)
        inflateEnd(&reader->zlib);
    pps_parquet_reader_close(reader->parquet);
    free(reader->data);
    free(reader->text);
    free(reader);
}

void pps_blocktext_turn(struct pps_blocktext *reader, int fd, const char *path)
{
    reader->fd = fd;
    reader->path = path;
}

static enum pps_status fail_block(const struct pps_blocktext *reader,
                                  const struct pps_index_record *record, struct pps_error *err)
{
    char name[48] = "its header line";
    if (record->index != UINT64_MAX)
        snprintf(name, sizeof name, "block %llu", (unsigned long long)record->index);
    return pps_fail_at(err, PPS_E_INPUT, reader->path, 0, 0,
                       "is damaged: %s (bytes %llu to %llu) does not match the index", name,
                       (unsigned long long)record->offset,
                       (unsigned long long)(record->offset + record->data_bytes));
}

// `failures`: of memory, before the decoding.
static enum pps_status fail_decoding(const struct pps_blocktext *reader,
                                     const struct pps_index_record *record, long failures,
                                     struct pps_error *err)
{
    return pps_memory_failures() != failures ? fail_memory(reader, err)
                                             : fail_block(reader, record, err);
}

// Makes room for n bytes. May discard the old contents.
static bool make_room(void **buffer, size_t *cap, size_t n)
{
    if (n <= *cap)
        return true;
    free(*buffer);
    *buffer = malloc(n);
    *cap = *buffer != NULL ? n : 0;
    return *buffer != NULL;
}

// Whether the file is so long, and no codec packs the text better: a false length takes no memory.
static bool may_hold(const struct pps_blocktext *reader, const struct pps_index_record *record)
{
    struct stat at;
    if (record->data_bytes > DATA_MAX || record->text_bytes > PPS_CODEC_TEXT_MAX)
        return false;
    if (reader->compressed && record->text_bytes / DEFLATE_RATIO > record->data_bytes)
        return false;
    if (fstat(reader->fd, &at) != 0 || !S_ISREG(at.st_mode))
        return true;
    const uint64_t bytes = (uint64_t)at.st_size;
    return record->offset <= bytes && record->data_bytes <= bytes - record->offset;
}

enum pps_status pps_blocktext_data(struct pps_blocktext *reader,
                                   const struct pps_index_record *record,
                                   const unsigned char **data, struct pps_error *err)
{
    void *buffer = reader->data;
    size_t got;
    if (!may_hold(reader, record))
        return fail_block(reader, record, err);
    const size_t n = (size_t)record->data_bytes;
    const bool room = make_room(&buffer, &reader->data_cap, n + 1);
    reader->data = buffer;
    if (!room)
        return fail_memory(reader, err);
    enum pps_status status =
        pps_disk_read_at(reader->fd, reader->path, reader->data, n, record->offset, &got, err);
    if (status != PPS_OK)
        return status;
    if (got < n || XXH64(reader->data, n, 0) != record->data_xxh64)
        return fail_block(reader, record, err);
    *data = reader->data;
    return PPS_OK;
}

static bool inflates(struct pps_blocktext *reader, const struct pps_index_record *record)
{
    z_stream *z = &reader->zlib;
    inflateReset(z);
    z->next_in = reader->data;
    z->avail_in = (uInt)record->data_bytes;
    z->next_out = (unsigned char *)reader->text;
    z->avail_out = (uInt)record->text_bytes + 1; // one extra byte, which must stay free
    const int rc = inflate(z, Z_SYNC_FLUSH);
    if (rc == Z_MEM_ERROR)
        pps_memory_note();
    return (rc == Z_OK || rc == Z_BUF_ERROR) && z->avail_in == 0 && z->avail_out == 1;
}

// Sets *text if the data of a Parquet file have as much text as the record says.
static bool decodes(struct pps_blocktext *reader, const struct pps_index_record *record,
                    const char **text)
{
    const size_t bytes = (size_t)record->data_bytes;
    struct pps_parquet_start start;
    size_t n;
    if (record->index != UINT64_MAX)
        return pps_parquet_block_text(reader->parquet, reader->data, bytes, text, &n) &&
               n == record->text_bytes;
    const bool whole = pps_parquet_start_read(reader->data, bytes, &start, &n);
    *text = whole ? start.line : "";
    return whole && n == bytes && start.line_bytes == record->text_bytes;
}

enum pps_status pps_blocktext_read(struct pps_blocktext *reader,
                                   const struct pps_index_record *record, const char **text,
                                   struct pps_error *err)
{
    const unsigned char *data = NULL;
    enum pps_status status = pps_blocktext_data(reader, record, &data, err);
    if (status != PPS_OK)
        return status;
    const size_t n = (size_t)record->text_bytes;
    const long failures = pps_memory_failures();
    *text = (const char *)data;
    if (reader->parquet != NULL) {
        if (!decodes(reader, record, text))
            return fail_decoding(reader, record, failures, err);
    } else if (reader->compressed) {
        void *buffer = reader->text;
        const bool room = make_room(&buffer, &reader->text_cap, n + 1);
        reader->text = buffer;
        if (!room)
            return fail_memory(reader, err);
        if (n > 0 && !inflates(reader, record))
            return fail_decoding(reader, record, failures, err);
        *text = reader->text;
    } else if (n != record->data_bytes) {
        return fail_block(reader, record, err);
    }
    if (pps_crc32(*text, n) != record->text_crc)
        return fail_block(reader, record, err);
    return PPS_OK;
}
