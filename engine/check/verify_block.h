// SPDX-License-Identifier: Apache-2.0
// Verifies one block of a result: its bytes, its text, its rows. Each worker has its own
// checker.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/experiment.h"
#include "engine/manifest/manifest_read.h"
#include "engine/run/audit.h"
#include "engine/store/index_check.h"

#include <stdatomic.h>

// ---- verify counts ------------------------------------------------------------------------------

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
    const struct pps_manifest_facts *said, const struct pps_index_head *head,
    struct pps_error *err);

// Compares every count, and the reasons by name if the experiment is known (or NULL). Returns
// PPS_E_WRONG if they differ.
PPS_MUST_CHECK enum pps_status pps_manifest_facts_fits_sums(
    const struct pps_manifest_facts *said, const struct pps_index_sums *sums,
    const struct pps_experiment *experiment, struct pps_error *err);

// ---- verify block -------------------------------------------------------------------------------

// Settings shared by all checkers of a result; const while they run.
struct pps_block_check {
    const char *path; // of the data
    int fd;
    const struct pps_index_head *head;
    const char *header;                      // the expected header line
    const struct pps_experiment *experiment; // NULL: only count rows
    double sample; // fraction of the rows to compute again; requires the experiment
    bool reference;
    const atomic_bool *stop;
    bool only_some; // the result has only the best rows: some points have no row
};

struct pps_blockchecker;

// After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_blockchecker_open(struct pps_blockchecker **checker,
                                                     const struct pps_block_check *check,
                                                     struct pps_error *err);
void pps_blockchecker_close(struct pps_blockchecker *checker); // NULL is fine

// Verifies one block. PPS_E_WRONG reports the first place where the block differs from its
// record or from the experiment. PPS_E_STOPPED: the stop flag was set.
PPS_MUST_CHECK enum pps_status pps_blockchecker_do(struct pps_blockchecker *checker,
                                                   const struct pps_index_entry *entry,
                                                   struct pps_error *err);

// Return the rows computed again so far, and the result of the reference for them.
uint64_t pps_blockchecker_computed(const struct pps_blockchecker *checker);
struct pps_audited pps_blockchecker_audited(const struct pps_blockchecker *checker);
