// SPDX-License-Identifier: Apache-2.0
// The journal while it is written: records wait in memory until the data they speak of is
// synced. Its format is described in output.h.
#ifndef PPS_JOURNAL_H
#define PPS_JOURNAL_H

#include "output.h"

struct pps_journal {
    int fd; // -1: not open
    const char *path;
    uint64_t bytes; // written and whole
    size_t record_bytes;
    int n_reasons;
    unsigned char *waiting; // records not written yet
    size_t waiting_bytes, waiting_cap;
};

// Creates the file, which must not exist, and writes its head; magic, sizes and checksum are
// filled here. path must outlive the journal.
PPS_MUST_CHECK enum pps_status pps_journal_create(struct pps_journal *journal,
                                                  const char *path,
                                                  const struct pps_index_head *head,
                                                  struct pps_error *err);

// Opens a journal with this head and cuts it to its first n_records.
PPS_MUST_CHECK enum pps_status pps_journal_continue(struct pps_journal *journal,
                                                    const char *path,
                                                    const struct pps_index_head *head,
                                                    uint64_t n_records,
                                                    struct pps_error *err);

// Keeps a record. There must be room.
void pps_journal_add(struct pps_journal *journal,
                     const struct pps_index_record *record,
                     const uint64_t *left_out);
bool pps_journal_is_full(const struct pps_journal *journal);

// Writes and syncs the waiting records; the data they speak of must be synced before. After a
// failed write the file still ends with a whole record.
PPS_MUST_CHECK enum pps_status pps_journal_flush(struct pps_journal *journal,
                                                 struct pps_error *err);

// Frees the memory; closes the file if it is still open. A zeroed one with fd -1 is fine.
void pps_journal_free(struct pps_journal *journal);

#endif
