// SPDX-License-Identifier: Apache-2.0
// The result file while it is written: NAME.part with its journal NAME.idx.part, one record a
// block, renamed when whole. Compressed files are one gzip member made of independently
// compressed blocks. This module owns the files and their order of writing; it knows no kernel.
#ifndef PPS_OUTPUT_H
#define PPS_OUTPUT_H

#include "codec.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPS_MAX_REASONS 48 // where rules and kernel reasons together

// A finished block as a worker hands it over. Block 0 holds the first points; the header line
// is written by pps_output_open itself.
struct pps_block {
    uint64_t index;      // which block of the experiment
    const void *data;    // compressed (or plain) bytes
    uint64_t data_bytes; // may be 0: a block without rows
    uint64_t text_bytes;
    uint32_t text_crc; // zlib's crc32 of the text
    bool is_hashed;    // data_xxh64 is there; otherwise the writer makes it
    uint64_t data_xxh64;
    uint64_t rows;
    uint64_t failed;                    // rows with empty results
    uint64_t infeasible;                // rows that say that the point cannot be done
    uint64_t left_out[PPS_MAX_REASONS]; // points without a row, by reason
};

// Fills text_bytes and text_crc from the block's text.
void pps_block_set_text(struct pps_block *block, const char *text, size_t n);

// Sets the data, with its checksum: by the worker that made them, so that writing is quick.
void pps_block_set_data(struct pps_block *block, const void *data, size_t n);

struct pps_output_plan {
    const char *path; // NAME.csv.gz or NAME.csv
    struct pps_codec_choice codec;
    const char *header;                   // the header line, with its newline
    const struct pps_block *header_block; // or the same as a block, made already
    uint64_t digest;                      // of the experiment; kept in the journal
    uint64_t n_points;                    // indices, left-out ones included
    uint64_t block_points;
    int n_reasons;            // used entries of left_out
    uint32_t shard, n_shards; // kept in the journal; n_shards 0: not sharded
    bool force;               // replace a result of this name, complete or interrupted
    bool resume;              // go on from an interrupted one, where there is one
    const char *manifest;     // what NAME.json.part says until the end; or NULL
    const char *resume_hint;  // the command that goes on from an interrupted one; or NULL
};

struct pps_output;
struct pps_prefix;

// Refuses (PPS_E_INPUT, one line that says what to do) when the result, or an index or manifest
// of its name, exists and !force; when a .part of it exists and !force; when another run is
// writing it; when the folder is missing or not writable; when the name is a folder, a device
// or a symbolic link. Creates nothing then, and leaves nothing behind after any other failure.
// With force a complete result stays whole until the new one is, and an interrupted one is
// dropped at once. With resume and a NAME.part, its longest whole prefix is kept and the next
// block to append is the one behind it; refused where that is of another plan, or has lost its
// journal. A run that ended between the last renames is taken back to where it can finish. With
// resume and no NAME.part it opens as without. Missing parents of the default folders are the caller's business. The plan
// and its strings need not outlive the call.
PPS_MUST_CHECK enum pps_status pps_output_open(struct pps_output **output,
                                               const struct pps_output_plan *plan,
                                               struct pps_error *err);

// Appends the next block; blocks come in ascending order, by one thread at a time. Data is
// written at once; about once a second the data is synced, then the records of its blocks are
// written and synced. After a failure (disk full) the file ends with its last whole block;
// nothing more can be appended, and pps_output_stop keeps what is there.
PPS_MUST_CHECK enum pps_status pps_output_append(struct pps_output *output,
                                                 const struct pps_block *block,
                                                 struct pps_error *err);

// What was kept of an interrupted run; n_records is 0 where the output began afresh.
const struct pps_prefix *pps_output_prefix(const struct pps_output *output);

// Bytes of data so far, header included.
uint64_t pps_output_bytes(const struct pps_output *output);

// Whether other runs are kept from this file; false where the file system has no locks.
bool pps_output_is_locked(const struct pps_output *output);

// Writes the trailer and syncs; then manifest_text to NAME.json; then renames index, manifest
// and, last, the data; syncs the folder. Frees output in every case; after a failure NAME.part
// is left as by pps_output_stop.
PPS_MUST_CHECK enum pps_status pps_output_finish(struct pps_output *output,
                                                 const char *manifest_text,
                                                 struct pps_error *err);

// Syncs what is whole, leaves NAME.part and its journal in place, frees output.
PPS_MUST_CHECK enum pps_status pps_output_stop(struct pps_output *output,
                                               struct pps_error *err);

// Removes all that was written; frees output. NULL is fine.
void pps_output_discard(struct pps_output *output);

// pps_output_stop where another error is being reported already. NULL is fine.
void pps_output_abandon(struct pps_output *output);

// ---- the journal, for those who read it -----------------------------------------------------

// NAME.idx begins with one of these (little endian, as in memory).
struct pps_index_head {
    char magic[8]; // "ppsidx2\n"
    uint32_t head_bytes, record_bytes;
    uint32_t codec_kind, codec_level;
    uint32_t n_reasons, shard, n_shards, reserved;
    uint64_t digest, n_points, block_points;
    uint64_t checksum; // XXH64 of the bytes before it
};

// Then one fixed-size record a block, the header line's first (index UINT64_MAX).
struct pps_index_record {
    uint64_t index;
    uint64_t offset; // of the data in the file
    uint64_t data_bytes;
    uint64_t text_bytes;
    uint64_t rows;
    uint64_t failed;
    uint64_t infeasible;
    uint64_t data_xxh64;
    uint64_t text_crc;
    // uint64_t left_out[n_reasons]; uint64_t checksum (XXH64 of the record before it)
};

size_t pps_index_record_bytes(int n_reasons);

// Whether magic, sizes and checksum are right.
bool pps_index_head_is_valid(const struct pps_index_head *head);

// Whether the checksum at the end of the record_bytes at record is right.
bool pps_index_record_is_valid(const void *record, size_t record_bytes);

#endif
