// SPDX-License-Identifier: Apache-2.0
// Reading the index of blocks beside a result, or the journal of one that is being written. Its
// format is described in output.h. Nothing in it is believed before its checksum was looked at;
// indexfile.h says what else must hold.
#ifndef PPS_BLOCKINDEX_H
#define PPS_BLOCKINDEX_H

#include "output.h"

enum pps_blockindex_state {
    PPS_BLOCKINDEX_WHOLE,   // its head is right; records may still be torn or damaged
    PPS_BLOCKINDEX_MISSING, // no such file
    PPS_BLOCKINDEX_TORN,    // it ends within its head or has only zeros: it never held a record
    PPS_BLOCKINDEX_DAMAGED, // its head is wrong
};

struct pps_blockindex {
    int fd; // -1: not open
    const char *path;
    struct pps_index_head head;
    uint64_t n_records;  // of full length, the header line's among them
    uint64_t rest_bytes; // of an unfinished record behind them
};

// Opens the index; it is open in the first state only. PPS_E_INPUT where it is no regular file. path must outlive it.
PPS_MUST_CHECK enum pps_status pps_blockindex_open(struct pps_blockindex *index,
                                                   const char *path,
                                                   enum pps_blockindex_state *state,
                                                   struct pps_error *err);
void pps_blockindex_close(struct pps_blockindex *index); // fd -1 is fine

// Reads record i < n_records and its head.n_reasons counts; *valid tells whether its checksum is
// right. Any number of threads at once.
PPS_MUST_CHECK enum pps_status pps_blockindex_read(const struct pps_blockindex *index,
                                                   uint64_t i,
                                                   struct pps_index_record *record,
                                                   uint64_t left_out[PPS_MAX_REASONS],
                                                   bool *valid,
                                                   struct pps_error *err);

#endif
