// SPDX-License-Identifier: Apache-2.0
// Writes typed rows as an Arrow IPC file.
#include "base/columns/arrow_write.h"
#include "engine/convert/sink.h"

#include <stdlib.h>

struct sink {
    struct pps_sink_target target;
    struct pps_arrow *arrow;
    struct text_buffer bytes;
};

static enum pps_status write_bytes(struct sink *sink, struct pps_error *err)
{
    enum pps_status status =
        pps_sink_write(&sink->target, sink->bytes.text, sink->bytes.n, err);
    text_buffer_clear(&sink->bytes);
    return status;
}

static void close_arrow(void *self)
{
    struct sink *sink = self;
    pps_arrow_close(sink->arrow);
    text_buffer_free(&sink->bytes);
    free(sink);
}

static enum pps_status open_arrow(void **self, const struct pps_sink_target *target,
                                  struct pps_error *err)
{
    struct sink *sink = calloc(1, sizeof *sink);
    *self = NULL;
    if (sink == NULL)
        return pps_fail_memory(err, "an Arrow file");
    sink->target = *target;
    enum pps_status status =
        pps_arrow_open(&sink->arrow, target->schema, target->metadata, err);
    if (status == PPS_OK)
        status = pps_arrow_start(sink->arrow, &sink->bytes, err);
    if (status == PPS_OK)
        status = write_bytes(sink, err);
    if (status == PPS_OK)
        *self = sink;
    else
        close_arrow(sink);
    return status;
}

static enum pps_status write_rows(void *self, const char *text, size_t n, uint64_t first_row,
                                  struct pps_error *err)
{
    struct sink *sink = self;
    enum pps_status status =
        pps_arrow_batch(sink->arrow, text, n, first_row, &sink->bytes, err);
    return status == PPS_OK ? write_bytes(sink, err) : status;
}

static enum pps_status finish_arrow(void *self, struct pps_error *err)
{
    struct sink *sink = self;
    enum pps_status status = pps_arrow_end(sink->arrow, &sink->bytes, err);
    return status == PPS_OK ? write_bytes(sink, err) : status;
}

const struct pps_format pps_format_arrow = {
    .name = "arrow",
    .endings = {".arrow", ".feather"},
    .to_stdout = true,
    .open = open_arrow,
    .block = write_rows,
    .finish = finish_arrow,
    .close = close_arrow,
};
