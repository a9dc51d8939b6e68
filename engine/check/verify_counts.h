// SPDX-License-Identifier: Apache-2.0
// Compares the manifest of a result with its index.
#ifndef PPS_ENGINE_CHECK_VERIFY_COUNTS_H
#define PPS_ENGINE_CHECK_VERIFY_COUNTS_H

#include "base/text/status.h"
#include "engine/experiment/experiment.h"
#include "engine/manifest/manifest_read.h"
#include "engine/store/index_check.h"

// Sums over the records of an index; initially zeroed.
struct pps_index_sums {
    uint64_t blocks, points;
    struct pps_counts counts;
    uint64_t text_bytes;     // of rows
    uint64_t all_text_bytes; // header line included
    uint64_t data_end;       // first byte behind the blocks
    uint32_t crc;            // of all text
};

void pps_index_add(struct pps_index_sums *sums, const struct pps_index_entry *entry);

// Compares digest, codec, block size and shard. Returns PPS_E_WRONG if they differ.
PPS_MUST_CHECK enum pps_status pps_manifest_facts_fits_head(
    const struct pps_manifest_facts *said,
    const struct pps_index_head *head,
    struct pps_error *err);

// Compares every count, and the reasons by name if the experiment is known (or NULL). Returns
// PPS_E_WRONG if they differ.
PPS_MUST_CHECK enum pps_status pps_manifest_facts_fits_sums(
    const struct pps_manifest_facts *said,
    const struct pps_index_sums *sums,
    const struct pps_experiment *experiment,
    struct pps_error *err);

#endif
