// SPDX-License-Identifier: Apache-2.0
// Converts numbers of points to numbers of rows, by counting.
#include "engine/run/row_numbers.h"

#include <stdlib.h>

enum pps_status pps_row_numbers(const struct pps_sweep *sweep,
                                const uint64_t *points,
                                size_t n,
                                uint64_t *rows,
                                struct pps_error *err)
{
    const struct pps_experiment *e = sweep->experiment;
    const struct pps_blocks blocks = {e->n_points, sweep->block_points};
    const uint64_t n_blocks = pps_shard_blocks(sweep->shard, blocks);
    struct pps_left_out unused[PPS_MAX_REASONS] = {{0, 0}};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL)
        return pps_fail_memory(err, "a point");
    uint64_t row = 0;
    size_t found = 0;
    for (uint64_t b = 0; b < n_blocks && found < n; b++) {
        const uint64_t block = pps_shard_block(sweep->shard, b);
        const uint64_t first = block * blocks.block_points;
        const uint64_t end = first + pps_blocks_points(blocks, block);
        pps_cursor_seek(cursor, &e->space, first);
        for (; found < n && pps_cursor_next(cursor, end, unused); pps_cursor_step(cursor)) {
            row++;
            if (cursor->index == points[found])
                rows[found++] = row;
        }
    }
    free(cursor);
    return PPS_OK;
}
