// SPDX-License-Identifier: Apache-2.0
// The prefix of an interrupted result is the part that can be kept: the longest run of blocks,
// from the first, whose records are valid and whose data match their records. Only reads files.
#pragma once

#include "base/text/status.h"
#include "engine/space/shard.h"
#include "engine/store/index_write.h"

#include <stdatomic.h>
#include <stdbool.h>

// ---- checksums ----------------------------------------------------------------------------------

// Reads all of NAME.csv or NAME.csv.gz. Returns PPS_E_INPUT with the place of the first block
// that does not match its checksum, or if the index is damaged or belongs to another file. *any
// is false if there is no index.
PPS_MUST_CHECK enum pps_status pps_checksums_match(const char *path, bool *any,
                                                   struct pps_error *err);

// ---- whole prefix -------------------------------------------------------------------------------

#define PPS_NO_BLOCK UINT64_MAX

struct pps_whole_prefix {
    uint64_t n_records;                // header line's included; 0: nothing can be kept
    uint64_t data_bytes;               // position of the next block's data
    uint64_t text_bytes, header_bytes; // all text; its header line
    uint32_t text_crc;                 // of all text
    struct pps_counts counts;
    uint64_t first_failed; // the first block with failed points, or PPS_NO_BLOCK
    uint64_t first_left_out[PPS_MAX_REASONS];
};

// A data file and its index.
struct pps_whole_prefix_ask {
    const struct pps_index_reader *index; // open; its head determines the expected blocks
    int data_fd;
    const char *data_path;
    const atomic_bool *stop; // or NULL
};

// PPS_E_STOPPED if the stop flag went up and much is left to read.
PPS_MUST_CHECK enum pps_status pps_whole_prefix_find(const struct pps_whole_prefix_ask *ask,
                                                     struct pps_whole_prefix *prefix,
                                                     struct pps_error *err);

// pps_whole_prefix_begin makes an empty prefix; pps_whole_prefix_add appends one block. For callers that
// read an index themselves.
void pps_whole_prefix_begin(struct pps_whole_prefix *prefix);
void pps_whole_prefix_add(struct pps_whole_prefix *prefix,
                          const struct pps_index_record *record,
                          const uint64_t left_out[PPS_MAX_REASONS]);

// Returns the block that record i >= 1 must describe, or PPS_NO_BLOCK if the index must have
// ended.
uint64_t pps_whole_prefix_block(const struct pps_index_head *head, uint64_t i);
