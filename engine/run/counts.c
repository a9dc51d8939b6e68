// SPDX-License-Identifier: Apache-2.0
// Adds counts.
#include "engine/run/counts.h"

void pps_counts_add(struct pps_counts *counts, const struct pps_counts *later)
{
    counts->rows += later->rows;
    if (counts->failed == 0)
        counts->failed_example = later->failed_example;
    counts->failed += later->failed;
    counts->infeasible += later->infeasible;
    counts->recalled += later->recalled;
    counts->reused += later->reused;
    counts->checked += later->checked;
    counts->pruned += later->pruned;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        if (counts->left_out[r].n == 0)
            counts->left_out[r].example = later->left_out[r].example;
        counts->left_out[r].n += later->left_out[r].n;
    }
    pps_audited_add(&counts->audited, &later->audited);
}

struct pps_block_counts pps_counts_of_block(const struct pps_counts *counts)
{
    struct pps_block_counts stored = {.rows = counts->rows,
                                      .failed = counts->failed,
                                      .infeasible = counts->infeasible};
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        stored.left_out[r] = counts->left_out[r].n;
    return stored;
}

struct pps_counts pps_counts_from_block(const struct pps_block_counts *stored)
{
    struct pps_counts counts = {.rows = stored->rows,
                                .failed = stored->failed,
                                .infeasible = stored->infeasible};
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        counts.left_out[r].n = stored->left_out[r];
    return counts;
}
