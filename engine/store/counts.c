// SPDX-License-Identifier: Apache-2.0
// Adds counts.
#include "engine/store/counts.h"

void pps_counts_add(struct pps_counts *counts, const struct pps_counts *later)
{
    counts->rows += later->rows;
    if (counts->failed == 0)
        counts->failed_example = later->failed_example;
    counts->failed += later->failed;
    counts->infeasible += later->infeasible;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        if (counts->left_out[r].n == 0)
            counts->left_out[r].example = later->left_out[r].example;
        counts->left_out[r].n += later->left_out[r].n;
    }
}
