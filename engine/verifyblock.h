// SPDX-License-Identifier: Apache-2.0
// Checking one block of a result: its bytes, its text, its rows. One checker a worker.
#ifndef PPS_VERIFYBLOCK_H
#define PPS_VERIFYBLOCK_H

#include "audit.h"
#include "experiment.h"
#include "indexfile.h"
#include "status.h"

// What all checkers of a result share.
struct pps_block_check {
    const char *path; // of the data
    int fd;
    const struct pps_index_head *head;
    const char *header;                      // the header line that must be there
    const struct pps_experiment *experiment; // NULL: rows are only counted
    double sample; // fraction of the rows to compute again; needs the experiment
    bool reference;
    bool only_some; // the best rows: not every point has its row
};

struct pps_blockchecker;

// Close it in every case.
PPS_MUST_CHECK enum pps_status pps_blockchecker_open(struct pps_blockchecker **checker,
                                                     const struct pps_block_check *check,
                                                     struct pps_error *err);
void pps_blockchecker_close(struct pps_blockchecker *checker); // NULL is fine

// PPS_E_WRONG names the first place at which the block is not what its record and the
// experiment say.
PPS_MUST_CHECK enum pps_status pps_blockchecker_do(struct pps_blockchecker *checker,
                                                   const struct pps_index_entry *entry,
                                                   struct pps_error *err);

// Rows computed again so far, and what the reference said of them.
uint64_t pps_blockchecker_computed(const struct pps_blockchecker *checker);
struct pps_audited pps_blockchecker_audited(const struct pps_blockchecker *checker);

#endif
