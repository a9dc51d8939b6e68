// SPDX-License-Identifier: Apache-2.0
// Reads the index of blocks beside a result, or the journal of a result that is being written.
// output.h describes the format. Every record has a checksum; use a record only if its checksum
// is valid. index_check.h adds the checks of a complete index.
#ifndef PPS_ENGINE_STORE_INDEX_READ_H
#define PPS_ENGINE_STORE_INDEX_READ_H

#include "engine/store/output.h"

enum pps_index_reader_state {
    PPS_INDEX_READER_WHOLE,   // the header is valid; records may still be incomplete or damaged
    PPS_INDEX_READER_MISSING, // the file does not exist
    PPS_INDEX_READER_TORN,    // shorter than its header, or only zeros: never held a record
    PPS_INDEX_READER_DAMAGED, // the header is invalid
};

struct pps_index_reader {
    int fd; // -1: not open
    const char *path;
    struct pps_index_head head;
    uint64_t n_records;  // complete records, including the record of the header line
    uint64_t rest_bytes; // bytes of an incomplete record at the end
};

// Opens the index. The index is open only if *state is PPS_INDEX_READER_WHOLE. Returns
// PPS_E_INPUT if path is not a regular file. path must outlive the index. After an error
// there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_index_reader_open(struct pps_index_reader *index,
                                                     const char *path,
                                                     enum pps_index_reader_state *state,
                                                     struct pps_error *err);
void pps_index_reader_close(struct pps_index_reader *index); // does nothing if fd is -1

// Reads record i < n_records and its head.n_reasons counts of skipped points. *valid is true if
// the record's checksum matches. Thread-safe.
PPS_MUST_CHECK enum pps_status pps_index_reader_read(const struct pps_index_reader *index,
                                                     uint64_t i,
                                                     struct pps_index_record *record,
                                                     uint64_t left_out[PPS_MAX_REASONS],
                                                     bool *valid,
                                                     struct pps_error *err);

// Returns the counts of a record that pps_index_reader_read has read.
struct pps_counts pps_index_record_counts(const struct pps_index_record *record,
                                          const uint64_t left_out[PPS_MAX_REASONS]);

#endif
