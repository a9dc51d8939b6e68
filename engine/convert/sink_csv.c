// SPDX-License-Identifier: Apache-2.0
// Writes typed rows as CSV.
#include "engine/convert/sink.h"

#include <stdlib.h>

enum pps_status pps_sink_write(const struct pps_sink_target *target, const void *data, size_t n,
                               struct pps_error *err)
{
    if (target->stop != NULL && atomic_load(target->stop))
        return pps_fail(err, PPS_E_STOPPED, "stopped while writing %s",
                        target->path != NULL ? target->path : "stdout");
    if (fwrite(data, 1, n, target->out) == n)
        return PPS_OK;
    return pps_fail_errno(err, "cannot write", target->path != NULL ? target->path : "stdout");
}

static enum pps_status open_csv(void **sink, const struct pps_sink_target *target,
                                struct pps_error *err)
{
    struct pps_sink_target *copy = malloc(sizeof *copy);
    *sink = NULL;
    if (copy == NULL)
        return pps_fail_memory(err, "a file of rows");
    *copy = *target;
    const struct pps_schema *schema = target->schema;
    enum pps_status status = pps_sink_write(target, schema->line, schema->line_bytes, err);
    if (status == PPS_OK)
        *sink = copy;
    else
        free(copy);
    return status;
}

static enum pps_status write_rows(void *sink, const char *text, size_t n, uint64_t first_row,
                                  struct pps_error *err)
{
    (void)first_row;
    return pps_sink_write(sink, text, n, err);
}

static enum pps_status finish_csv(void *sink, struct pps_error *err)
{
    (void)sink;
    (void)err;
    return PPS_OK;
}

const struct pps_format pps_format_csv = {
    .name = "csv",
    .endings = {".csv", ".csv.gz"},
    .to_stdout = true,
    .open = open_csv,
    .block = write_rows,
    .finish = finish_csv,
    .close = free,
};
