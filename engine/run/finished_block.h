// SPDX-License-Identifier: Apache-2.0
// A finished block carries compressed rows and their counts from a worker to the file. Parts
// carry the rows of a block that several workers compute. No locks and no order: sweep_pool.c
// provides both.
#pragma once

#include "engine/pack/packer.h"
#include "engine/run/row_maker.h"
#include "engine/store/output.h"

// The rows of some points of a block, kept until all parts exist. Free with free().
struct pps_part {
    struct pps_part *next; // next part of the block, in any order
    uint32_t number;
    struct pps_rows rows; // its text is `text` below
    char text[];
};

// A complete block. Free with free().
struct pps_finished_block {
    struct pps_block block; // its data are `data` below
    uint64_t points;
    struct pps_rows rows; // counts only, without text
    unsigned char data[];
};

// Memory of a worker that grows as needed. A zeroed struct is empty.
struct pps_room {
    unsigned char *bytes;
    size_t cap;
};

void pps_room_free(struct pps_room *room);

// Returns a copy of the rows, or NULL if memory runs out.
struct pps_part *pps_part_keep(const struct pps_rows *rows, uint32_t number);

void pps_parts_free(struct pps_part *parts);

// Joins parts 0 ... n - 1 to the rows that one call of pps_rowmaker_make returns. The text is
// stored in the room. Returns PPS_E_MACHINE if memory runs out.
PPS_MUST_CHECK enum pps_status pps_parts_join(const struct pps_part *parts, uint32_t n,
                                              struct pps_room *room, struct pps_rows *rows,
                                              struct pps_error *err);

// Packs the rows of block `index`, which has `points` points. The caller frees *made with free().
PPS_MUST_CHECK enum pps_status pps_finished_block_pack(struct pps_finished_block **made,
                                                       uint64_t index, uint64_t points,
                                                       const struct pps_rows *rows,
                                                       struct pps_packer *packer,
                                                       struct pps_error *err);

// Returns the memory of a waiting block, in bytes.
uint64_t pps_finished_block_bytes(const struct pps_finished_block *made);
