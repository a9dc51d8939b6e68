// SPDX-License-Identifier: Apache-2.0
// Counts describe what happened to the points of a stretch: of a batch, a block or a whole run.
#ifndef PPS_ENGINE_RUN_COUNTS_H
#define PPS_ENGINE_RUN_COUNTS_H

#include "engine/run/audit.h"
#include "engine/space/space.h"
#include "engine/store/block.h"

struct pps_counts {
    uint64_t rows;
    uint64_t failed;         // rows with empty results
    uint64_t failed_example; // number of the first failed point
    uint64_t infeasible;     // rows of infeasible points
    size_t recalled;         // rows copied from equivalent points; depends on the threads
    uint64_t reused;         // rows of an earlier result
    uint64_t checked;        // reused rows that an audit computed again
    uint64_t pruned;         // points that a lower bound excludes; depends on the threads
    struct pps_left_out left_out[PPS_MAX_REASONS]; // skipped points by reason
    struct pps_audited audited;
};

// Adds the counts of a later stretch. The example of a reason stays the first point.
void pps_counts_add(struct pps_counts *counts, const struct pps_counts *later);

// Returns the counts that the index record of a block stores.
struct pps_block_counts pps_counts_of_block(const struct pps_counts *counts);

// Returns counts with the stored numbers; examples and all other numbers are 0.
struct pps_counts pps_counts_from_block(const struct pps_block_counts *stored);

#endif
