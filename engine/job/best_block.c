// SPDX-License-Identifier: Apache-2.0
// Writes the only block of a result that has only the best rows.
#include "engine/job/job_private.h"

#include "engine/pack/packer.h"

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
                                   const struct pps_totals *totals, const char *text, size_t n,
                                   struct pps_error *err)
{
    struct pps_packer *packer = NULL;
    struct pps_block block = {.counts = totals->counts};
    size_t bytes = 0;
    enum pps_status status = pps_packer_open(&packer, sweep->codec, sweep->experiment, err);
    if (status == PPS_OK)
        status = pps_packer_pack(packer, text, n, &block.data, &bytes, err);
    block.data_bytes = bytes;
    pps_block_set_text(&block, text, n);
    if (status == PPS_OK)
        status = sweep->sink.block(sweep->sink.self, &block, err);
    pps_packer_close(packer);
    return status;
}

enum pps_status pps_best_write(const struct pps_sweep *sweep, struct pps_totals *totals,
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
