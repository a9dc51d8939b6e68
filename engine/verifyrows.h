// SPDX-License-Identifier: Apache-2.0
// Checking the rows of a block: their number, their points by the experiment, and a fraction of
// them by computing them again. One checker a worker.
#ifndef PPS_VERIFYROWS_H
#define PPS_VERIFYROWS_H

#include "verifyblock.h"

struct pps_rowchecker;

// Close it in every case.
PPS_MUST_CHECK enum pps_status pps_rowchecker_open(struct pps_rowchecker **checker,
                                                   const struct pps_block_check *check,
                                                   struct pps_error *err);
void pps_rowchecker_close(struct pps_rowchecker *checker); // NULL is fine

// The n bytes of text of a block against its record and the experiment.
PPS_MUST_CHECK enum pps_status pps_rowchecker_do(struct pps_rowchecker *checker,
                                                 const struct pps_index_entry *entry,
                                                 const char *text,
                                                 size_t n,
                                                 struct pps_error *err);

uint64_t pps_rowchecker_computed(const struct pps_rowchecker *checker);
struct pps_audited pps_rowchecker_audited(const struct pps_rowchecker *checker);

#endif
