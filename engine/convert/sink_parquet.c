// SPDX-License-Identifier: Apache-2.0
// Writes typed rows as Parquet.
#include "base/columns/parquet_write.h"
#include "base/system/disk.h"
#include "engine/convert/sink.h"

#include <stdlib.h>
#include <string.h>

enum { GZIP_LEVEL = 1 };

struct sink {
    struct pps_sink_target target;
    struct pps_parquet *parquet;
    struct text_buffer bytes;
    uint64_t written;
};

static enum pps_status write_bytes(struct sink *sink, struct pps_error *err)
{
    enum pps_status status =
        pps_sink_write(&sink->target, sink->bytes.text, sink->bytes.n, err);
    sink->written += sink->bytes.n;
    text_buffer_clear(&sink->bytes);
    return status;
}

static void close_parquet(void *self)
{
    struct sink *sink = self;
    pps_parquet_close(sink->parquet);
    text_buffer_free(&sink->bytes);
    free(sink);
}

static enum pps_status open_parquet(void **self, const struct pps_sink_target *target,
                                    struct pps_error *err)
{
    struct sink *sink = calloc(1, sizeof *sink);
    *self = NULL;
    if (sink == NULL)
        return pps_fail_memory(err, "a Parquet file");
    sink->target = *target;
    enum pps_status status = pps_parquet_open(&sink->parquet, target->schema, GZIP_LEVEL, err);
    if (status == PPS_OK)
        status = pps_parquet_header(&sink->bytes, target->schema, target->metadata,
                                    strlen(target->metadata), err);
    if (status == PPS_OK)
        status = write_bytes(sink, err);
    if (status == PPS_OK)
        *self = sink;
    else
        close_parquet(sink);
    return status;
}

static enum pps_status write_rows(void *self, const char *text, size_t n, uint64_t first_row,
                                  struct pps_error *err)
{
    struct sink *sink = self;
    enum pps_status status =
        pps_parquet_block(sink->parquet, text, n, first_row, &sink->bytes, err);
    return status == PPS_OK ? write_bytes(sink, err) : status;
}

static enum pps_status read_back(void *self, void *data, size_t n, uint64_t offset,
                                 struct pps_error *err)
{
    const struct sink *sink = self;
    return pps_disk_read_exactly(fileno(sink->target.out), sink->target.path, data, n, offset,
                                 err);
}

static enum pps_status append(void *self, const void *data, size_t n, struct pps_error *err)
{
    const struct sink *sink = self;
    return pps_sink_write(&sink->target, data, n, err);
}

static enum pps_status finish_parquet(void *self, struct pps_error *err)
{
    struct sink *sink = self;
    const struct pps_parquet_file file = {.bytes = sink->written,
                                          .creator = sink->target.creator,
                                          .self = sink,
                                          .read = read_back,
                                          .write = append};
    if (fflush(sink->target.out) != 0)
        return pps_fail_errno(err, "cannot write", sink->target.path);
    return pps_parquet_finish(&file, err);
}

const struct pps_format pps_format_parquet = {
    .name = "parquet",
    .endings = {".parquet"},
    .open = open_parquet,
    .block = write_rows,
    .finish = finish_parquet,
    .close = close_parquet,
};
