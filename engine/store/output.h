// SPDX-License-Identifier: Apache-2.0
// The output module writes a result file: NAME.part and its journal NAME.idx.part, one record
// per block. Both are renamed when the result is complete. A compressed file is one gzip member
// of independently compressed blocks. This module owns the files and the order of writes; it
// does not use the kernel. Not thread-safe: one thread at a time uses an output.
#pragma once

#include "base/system/codec.h"
#include "base/text/status.h"
#include "engine/store/block.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_output_plan {
    const char *path; // NAME.csv.gz or NAME.csv
    struct pps_codec_choice codec;
    const char *header;                   // with its newline
    const struct pps_block *header_block; // the header line as a finished block; or NULL
    uint64_t digest;                      // of the experiment; stored in the journal
    uint64_t n_points;                    // all point numbers, skipped points included
    uint64_t block_points;
    int n_reasons;            // used entries of block.left_out
    uint32_t shard, n_shards; // stored in the journal; n_shards 0: not sharded
    bool force;               // replace a complete or interrupted result of this name
    bool resume;              // resume an interrupted result of this name, if there is one
    bool drop_blocks; // resume keeps the header line only: the run writes its rows at the end
    const atomic_bool *stop; // ends the reading of an interrupted result; or NULL
    const char *manifest;    // text of NAME.json.part while the run lasts; or NULL
    const char *resume_hint; // the command that resumes an interrupted run; or NULL
};

struct pps_output;
struct pps_whole_prefix;

// Opens the output. Returns PPS_E_INPUT, with one line that names the remedy, in these cases: -
// the result, or an index or manifest of its name, exists and force is not set; - NAME.part
// exists and neither force nor resume is set; - another run is writing the result; - the folder
// is missing or not writable; - the name is a folder, a device or a symbolic link. It then
// creates nothing. After any other failure it leaves nothing behind. With force, a complete
// result stays until the new result is complete; an interrupted result is removed at once. With
// resume and an existing NAME.part, the longest prefix of whole blocks is kept, and the next
// block to append is the one behind the prefix. PPS_E_INPUT if NAME.part belongs to another
// plan or has lost its journal. If an earlier run ended between the last renames, these renames
// are undone so that the run can finish. With resume and no NAME.part, a new result begins.
// PPS_E_STOPPED if the stop flag went up while an interrupted result was read; the result is
// unchanged. The caller creates missing parents of the default folders. The caller may free the
// plan and its strings after the call. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_output_open(struct pps_output **output,
                                               const struct pps_output_plan *plan,
                                               struct pps_error *err);

// Appends the next block. Blocks come in ascending order, from one thread at a time. Data is
// written at once. About once a second the data is synced, and then the records of its blocks
// are written and synced. After a failure (disk full) the file ends with its last whole block,
// nothing more can be appended, and pps_output_stop keeps the file.
PPS_MUST_CHECK enum pps_status pps_output_append(struct pps_output *output,
                                                 const struct pps_block *block,
                                                 struct pps_error *err);

// Returns the part of an interrupted run that was kept; n_records is 0 in a new output.
const struct pps_whole_prefix *pps_output_prefix(const struct pps_output *output);

// Returns the bytes of data so far, header line included.
uint64_t pps_output_bytes(const struct pps_output *output);

// Returns whether the file is locked against other runs; false if the file system has no locks.
bool pps_output_is_locked(const struct pps_output *output);

// Completes the result: writes the trailer and syncs, writes manifest_text to NAME.json,
// renames the index, the manifest and, last, the data, and syncs the folder. Frees output in
// every case. After a failure NAME.part is left as by pps_output_stop.
PPS_MUST_CHECK enum pps_status pps_output_finish(struct pps_output *output,
                                                 const char *manifest_text,
                                                 struct pps_error *err);

// Syncs all whole blocks, leaves NAME.part and its journal in place, and frees output.
PPS_MUST_CHECK enum pps_status pps_output_stop(struct pps_output *output,
                                               struct pps_error *err);

// Removes all files written so far and frees output. NULL is fine.
void pps_output_discard(struct pps_output *output);

// Like pps_output_stop, for callers that already report another error. NULL is fine.
void pps_output_abandon(struct pps_output *output);

// ---- journal format -------------------------------------------------------------------------

// The head of NAME.idx (little endian, as in memory).
struct pps_index_head {
    char magic[8]; // "ppsidx2\n"
    uint32_t head_bytes, record_bytes;
    uint32_t codec_kind, codec_level;
    uint32_t n_reasons, shard, n_shards, reserved;
    uint64_t digest, n_points, block_points;
    uint64_t checksum; // XXH64 of the bytes before this field
};

// The head is followed by one record of fixed size per block. The first record describes the
// header line (index UINT64_MAX).
struct pps_index_record {
    uint64_t index;
    uint64_t offset; // position of the data in the file
    uint64_t data_bytes;
    uint64_t text_bytes;
    uint64_t rows;
    uint64_t failed;
    uint64_t infeasible;
    uint64_t data_xxh64;
    uint64_t text_crc;
    // The record continues: uint64_t left_out[n_reasons]; uint64_t checksum (XXH64 of all bytes
    // of the record before it).
};

size_t pps_index_record_bytes(int n_reasons);

// Returns whether magic, sizes and checksum are valid.
bool pps_index_head_is_valid(const struct pps_index_head *head);

// Returns whether the checksum at the end of a record of record_bytes bytes is valid.
bool pps_index_record_is_valid(const void *record, size_t record_bytes);
