// SPDX-License-Identifier: Apache-2.0
// The manifest of a result against its index: what one says, the other must say too.
#ifndef PPS_VERIFYCOUNTS_H
#define PPS_VERIFYCOUNTS_H

#include "experiment.h"
#include "indexfile.h"
#include "manifestread.h"
#include "status.h"

// Sums over the records of an index; zeroed at first.
struct pps_index_sums {
    uint64_t blocks, points, rows, failed, infeasible;
    uint64_t text_bytes; // of rows
    uint64_t left_out[PPS_MAX_REASONS];
    uint64_t all_text_bytes; // of the header line too
    uint64_t data_end;       // first byte behind the blocks
    uint32_t crc;            // of all text
};

void pps_index_add(struct pps_index_sums *sums, const struct pps_index_entry *entry);

// Digest, codec, block size and shard. PPS_E_WRONG where they differ.
PPS_MUST_CHECK enum pps_status pps_said_fits_head(const struct pps_said *said,
                                                  const struct pps_index_head *head,
                                                  struct pps_error *err);

// Every count; the reasons by name where the experiment is known (or NULL).
PPS_MUST_CHECK enum pps_status pps_said_fits_sums(const struct pps_said *said,
                                                  const struct pps_index_sums *sums,
                                                  const struct pps_experiment *experiment,
                                                  struct pps_error *err);

#endif
