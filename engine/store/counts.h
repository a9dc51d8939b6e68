// SPDX-License-Identifier: Apache-2.0
// Counts describe what became of the points of a stretch: of a batch, a block or a whole run.
#ifndef PPS_ENGINE_STORE_COUNTS_H
#define PPS_ENGINE_STORE_COUNTS_H

#include "engine/space/space.h"

// An index record stores the counts of a block without the examples, which are 0 then.
struct pps_counts {
    uint64_t rows;
    uint64_t failed;                               // rows with empty results
    uint64_t failed_example;                       // number of the first failed point
    uint64_t infeasible;                           // rows of infeasible points
    struct pps_left_out left_out[PPS_MAX_REASONS]; // skipped points without a row, by reason
};

// Adds the counts of a later stretch. The examples stay the first points.
void pps_counts_add(struct pps_counts *counts, const struct pps_counts *later);

#endif
