// SPDX-License-Identifier: Apache-2.0
// Verifies the rows of a block: their number, their points by the experiment, and a fraction of
// them by computing them again. Each worker has its own checker.
#pragma once

#include "engine/check/verify_block.h"

struct pps_rowchecker;

// After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_rowchecker_open(struct pps_rowchecker **checker,
                                                   const struct pps_block_check *check,
                                                   struct pps_error *err);
void pps_rowchecker_close(struct pps_rowchecker *checker); // NULL is fine

// Compares the n bytes of text of a block with its record and the experiment. Returns
// PPS_E_WRONG if they differ.
PPS_MUST_CHECK enum pps_status pps_rowchecker_do(struct pps_rowchecker *checker,
                                                 const struct pps_index_entry *entry,
                                                 const char *text, size_t n,
                                                 struct pps_error *err);

uint64_t pps_rowchecker_computed(const struct pps_rowchecker *checker);
struct pps_audited pps_rowchecker_audited(const struct pps_rowchecker *checker);
