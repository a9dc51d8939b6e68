// SPDX-License-Identifier: Apache-2.0
// The journal writer keeps records in memory until the data of their blocks are synced.
// output.h describes the format.
#pragma once

#include "engine/store/output.h"

// ---- index read ---------------------------------------------------------------------------------

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
                                                     bool *valid, struct pps_error *err);

// Returns the counts of a record that pps_index_reader_read has read.
struct pps_counts pps_index_record_counts(const struct pps_index_record *record,
                                          const uint64_t left_out[PPS_MAX_REASONS]);

// ---- index write --------------------------------------------------------------------------------

struct pps_index_writer {
    int fd; // -1: not open
    const char *path;
    uint64_t bytes; // complete records written so far, in bytes
    size_t record_bytes;
    int n_reasons;
    unsigned char *waiting; // records that are not written yet
    size_t waiting_bytes, waiting_cap;
};

// Creates the file, which must not exist, and writes its header. The function fills magic,
// sizes and checksum. path must outlive the journal.
PPS_MUST_CHECK enum pps_status pps_index_writer_create(struct pps_index_writer *journal,
                                                       const char *path,
                                                       const struct pps_index_head *head,
                                                       struct pps_error *err);

// Opens a journal with this header and truncates it to its first n_records records.
PPS_MUST_CHECK enum pps_status pps_index_writer_continue(struct pps_index_writer *journal,
                                                         const char *path,
                                                         const struct pps_index_head *head,
                                                         uint64_t n_records,
                                                         struct pps_error *err);

// Stores a record in memory. Call pps_index_writer_flush first if the journal is full.
void pps_index_writer_add(struct pps_index_writer *journal,
                          const struct pps_index_record *record, const uint64_t *left_out);
bool pps_index_writer_is_full(const struct pps_index_writer *journal);

// Writes and syncs the stored records. The data of their blocks must be synced before. After a
// failed write the file still ends with a complete record.
PPS_MUST_CHECK enum pps_status pps_index_writer_flush(struct pps_index_writer *journal,
                                                      struct pps_error *err);

// Frees the memory and closes the file if it is open. A zeroed struct with fd -1 is allowed.
void pps_index_writer_free(struct pps_index_writer *journal);
