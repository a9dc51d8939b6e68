// SPDX-License-Identifier: Apache-2.0
// Writes and checks the bytes around blocks.
#include "engine/store/file_end.h"

#include "base/columns/parquet_write.h"
#include "base/system/disk.h"
#include "engine/store/block.h"

#include <string.h>

// The version of the layout of our Parquet files. It is not the version of the program, so that any
// version verifies the files of earlier ones.
#define CREATOR "ppsweep version 1.0.0"

typedef enum pps_status write_function(void *self, const void *data, size_t n,
                                       struct pps_error *err);

static bool is_gzip(enum pps_codec_kind kind)
{
    return kind == PPS_CODEC_ZLIB || kind == PPS_CODEC_ISAL;
}

uint64_t pps_file_start_bytes(enum pps_codec_kind kind)
{
    return is_gzip(kind) ? PPS_GZIP_HEAD_BYTES : 0;
}

enum pps_status pps_file_start_check(enum pps_codec_kind kind, int fd, const char *path,
                                     bool *ours, struct pps_error *err)
{
    unsigned char head[PPS_GZIP_HEAD_BYTES];
    size_t got;
    *ours = true;
    if (!is_gzip(kind))
        return PPS_OK;
    enum pps_status status = pps_disk_read_at(fd, path, head, sizeof head, 0, &got, err);
    *ours = status == PPS_OK && got == sizeof head && memcmp(head, PPS_GZIP_HEAD, got) == 0;
    return status;
}

// ---- writing ----------------------------------------------------------------------------------

struct writer {
    const struct pps_file_end *end;
    void *self;
    write_function *write;
};

static enum pps_status read_back(void *self, void *data, size_t n, uint64_t offset,
                                 struct pps_error *err)
{
    const struct writer *writer = self;
    return pps_disk_read_exactly(writer->end->fd, writer->end->path, data, n, offset, err);
}

static enum pps_status write_on(void *self, const void *data, size_t n, struct pps_error *err)
{
    const struct writer *writer = self;
    return writer->write(writer->self, data, n, err);
}

enum pps_status pps_file_end_write(const struct pps_file_end *end, void *self,
                                   write_function *write, struct pps_error *err)
{
    struct writer writer = {end, self, write};
    unsigned char bytes[PPS_GZIP_END_BYTES];
    if (is_gzip(end->kind)) {
        pps_gzip_end(bytes, end->text_crc, end->text_bytes);
        return write(self, bytes, sizeof bytes, err);
    }
    if (end->kind != PPS_CODEC_PARQUET)
        return PPS_OK;
    const struct pps_parquet_file file = {.bytes = end->data_bytes,
                                          .creator = CREATOR,
                                          .self = &writer,
                                          .read = read_back,
                                          .write = write_on};
    return pps_parquet_finish(&file, err);
}

// ---- checking ---------------------------------------------------------------------------------

struct comparison {
    const struct pps_file_end *end;
    uint64_t at;
    bool matches;
};

static enum pps_status compare(void *self, const void *data, size_t n, struct pps_error *err)
{
    struct comparison *comparison = self;
    const char *bytes = data;
    char found[4096];
    while (n > 0 && comparison->matches) {
        const size_t piece = n < sizeof found ? n : sizeof found;
        size_t got;
        enum pps_status status = pps_disk_read_at(comparison->end->fd, comparison->end->path,
                                                  found, piece, comparison->at, &got, err);
        if (status != PPS_OK)
            return status;
        comparison->matches = got == piece && memcmp(found, bytes, piece) == 0;
        comparison->at += piece;
        bytes += piece;
        n -= piece;
    }
    comparison->at += n;
    return PPS_OK;
}

enum pps_status pps_file_end_check(const struct pps_file_end *end, bool *matches,
                                   uint64_t *bytes, struct pps_error *err)
{
    struct comparison comparison = {end, end->data_bytes, true};
    enum pps_status status = pps_file_end_write(end, &comparison, compare, err);
    *matches = status == PPS_OK && comparison.matches;
    *bytes = comparison.at;
    return status == PPS_E_WRONG ? PPS_OK : status; // the blocks do not give a footer
}
