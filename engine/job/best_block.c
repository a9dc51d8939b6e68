// SPDX-License-Identifier: Apache-2.0
// Writes the only block of a result that has only the best rows.
#include "engine/job/job_private.h"

#include <stdlib.h>
#include <string.h>

static char *join_rows(const struct pps_best_row *rows, size_t n, size_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < n; i++)
        *bytes += rows[i].n + 1;
    char *text = malloc(*bytes + 1), *end = text;
    for (size_t i = 0; text != NULL && i < n; i++) {
        memcpy(end, rows[i].text, rows[i].n);
        end += rows[i].n;
        *end++ = '\n';
    }
    return text;
}

static enum pps_status write_block(const struct pps_sweep *sweep,
                                   const struct pps_totals *totals,
                                   const char *text,
                                   size_t n,
                                   struct pps_error *err)
{
    struct pps_codec *codec = NULL;
    enum pps_status status = pps_codec_open(&codec, sweep->codec, err);
    if (status != PPS_OK)
        return status;
    const size_t bound = pps_codec_bound(codec, n) + 1;
    unsigned char *data = malloc(bound);
    if (data == NULL) {
        pps_codec_close(codec);
        return pps_fail_memory(err, "a compressed block");
    }
    struct pps_block block = {.data = data, .counts = totals->counts};
    pps_block_set_text(&block, text, n);
    block.data_bytes = pps_codec_block(codec, text, n, data, bound);
    status = sweep->sink.block(sweep->sink.self, &block, err);
    free(data);
    pps_codec_close(codec);
    return status;
}

enum pps_status pps_best_write(const struct pps_sweep *sweep,
                               struct pps_totals *totals,
                               struct pps_error *err)
{
    size_t n, bytes;
    const struct pps_best_row *rows = pps_best_by_group_by_index(&totals->best, &n);
    char *text = n == totals->best.kept ? join_rows(rows, n, &bytes) : NULL;
    if (text == NULL)
        return pps_fail_memory(err, "the best rows");
    totals->judged = totals->counts.rows;
    totals->counts.rows = n;
    totals->text_bytes = bytes;
    enum pps_status status = write_block(sweep, totals, text, bytes, err);
    free(text);
    return status;
}
