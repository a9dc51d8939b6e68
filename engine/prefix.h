// SPDX-License-Identifier: Apache-2.0
// What of an interrupted result can be kept: the longest row of blocks from the first on whose
// records are right and whose data are what the records say. Reads only.
#ifndef PPS_PREFIX_H
#define PPS_PREFIX_H

#include "blockindex.h"
#include "shard.h"

#define PPS_NO_BLOCK UINT64_MAX

struct pps_prefix {
    uint64_t n_records;                // the header line's among them; 0: nothing can be kept
    uint64_t data_bytes;               // where the data of the next block go
    uint64_t text_bytes, header_bytes; // all text; of it, the header line
    uint32_t text_crc;                 // of all text
    uint64_t rows, failed, infeasible;
    uint64_t left_out[PPS_MAX_REASONS];
    uint64_t first_failed; // the first block with failed points, or PPS_NO_BLOCK
    uint64_t first_left_out[PPS_MAX_REASONS];
};

// A file of data under its index.
struct pps_prefix_ask {
    const struct pps_blockindex *index; // open; its head says which blocks to expect
    int data_fd;
    const char *data_path;
};

PPS_MUST_CHECK enum pps_status pps_prefix_find(const struct pps_prefix_ask *ask,
                                               struct pps_prefix *prefix,
                                               struct pps_error *err);

// An empty prefix, and one longer by a block: for those who go through an index themselves.
void pps_prefix_begin(struct pps_prefix *prefix);
void pps_prefix_add(struct pps_prefix *prefix,
                    const struct pps_index_record *record,
                    const uint64_t left_out[PPS_MAX_REASONS]);

// The block that record i >= 1 must describe, or PPS_NO_BLOCK where the index must have ended.
uint64_t pps_prefix_block(const struct pps_index_head *head, uint64_t i);

#endif
