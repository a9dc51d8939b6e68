// SPDX-License-Identifier: Apache-2.0
// A record log is the file from which interrupted work resumes: a text that identifies the work, then records.
// Every record has a checksum that includes the checksum of the record before it, so changed, lost, repeated
// and exchanged records are found. What is kept of an interrupted log is the longest prefix of valid records.
// The file is locked while it is open, never opened through a symbolic link, and synced about once a second.
// Records are either added at the end, or one record replaces all others. Not thread-safe.
//
// Format (little endian): 8 bytes "ppslog1\n", then records: uint64_t n, uint64_t checksum, n bytes. The
// checksum is XXH64 of the n bytes, seeded with XXH64 of n, seeded with the checksum of the record before it
// (0 for the first one). The first record is the text that identifies the work.
#pragma once

#include "base/text/status.h"
#include "base/text/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_record_log_ask {
    const char *path;
    const char *identity; // of the work: program, version, options that change its outcome
    const char *work;     // for messages: "search"
    const char
        *other;  // for messages, about a log of another identity: "belongs to another search"
    bool resume; // keep the records of an interrupted log, if there is one
    bool force;  // without `resume`: drop them
};

// The fields are private, except `path`, `found` and `cut`. A zeroed log is closed.
struct pps_record_log {
    int fd;
    char *path, *identity;      // NULL: closed
    uint64_t bytes;             // of the head and the valid records in the file
    uint64_t sum;               // checksum of the last record that was added
    char *old;                  // the file of the interrupted work, or NULL
    size_t old_at;              // where its next record begins
    struct text_buffer waiting; // records that are not written yet
    double synced_s;
    bool broken;  // a write or a sync failed: nothing more is added
    bool found;   // the log of interrupted work is continued; it may have no records
    uint64_t cut; // bytes of it that were no valid records, and are dropped
};

// Opens the log; with `resume` and no file of this name, begins a new one. Returns PPS_E_INPUT, with one line
// that names the remedy, and changes nothing, if the path is a folder, a link or a foreign file, if another
// process has it open, if it exists without `resume` and `force`, and, with `resume`, if it has another
// identity. The caller calls pps_record_log_close in every case.
PPS_MUST_CHECK enum pps_status pps_record_log_open(struct pps_record_log *log,
                                                   const struct pps_record_log_ask *ask,
                                                   struct pps_error *err);

// Passes the valid records of the interrupted log in order: *data, of *n bytes, stays until the log is closed.
// Returns false after the last one.
bool pps_record_log_next(struct pps_record_log *log, const char **data, size_t *n);

// Adds a record, in memory. A failure is reported by the next flush.
void pps_record_log_add(struct pps_record_log *log, const void *data, size_t n);

// Writes the added records. Syncs if the last sync is a second ago. After a failure the file ends with its last
// whole record.
PPS_MUST_CHECK enum pps_status pps_record_log_flush(struct pps_record_log *log,
                                                    struct pps_error *err);

// Writes and syncs the added records.
PPS_MUST_CHECK enum pps_status pps_record_log_sync(struct pps_record_log *log,
                                                   struct pps_error *err);

// Replaces all records by one, and syncs. The log has either the old records or the new one. The new file is
// called PATH.new for a moment; PPS_E_INPUT if a foreign file has this name.
PPS_MUST_CHECK enum pps_status pps_record_log_replace(struct pps_record_log *log,
                                                      const void *data, size_t n,
                                                      struct pps_error *err);

// Removes the file after the work is complete: first syncs the folder, so that the names of the results last.
// Leaves a file alone that has taken the name.
PPS_MUST_CHECK enum pps_status pps_record_log_remove(struct pps_record_log *log,
                                                     struct pps_error *err);

// Closes the file and frees the memory. A zeroed or closed log is fine.
void pps_record_log_close(struct pps_record_log *log);
