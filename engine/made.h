// SPDX-License-Identifier: Apache-2.0
// A block between the worker that made it and the file: rows compressed, with their counts; and
// the parts of a block that several workers make. No locks, no order: sweep.c has these.
#ifndef PPS_MADE_H
#define PPS_MADE_H

#include "codec.h"
#include "output.h"
#include "rows.h"

// The rows of some of a block's points, kept until all parts are there. Freed by free().
struct pps_part {
    struct pps_part *next; // of the same block, in any order
    uint32_t number;
    struct pps_rows rows; // its text is the one here
    char text[];
};

// A whole block. Freed by free().
struct pps_made {
    struct pps_block block; // its data are the bytes here
    uint64_t points;
    struct pps_rows rows; // the counts, without text
    unsigned char data[];
};

// Memory of a worker that grows as needed; a zeroed one has none.
struct pps_room {
    unsigned char *bytes;
    size_t cap;
};

void pps_room_free(struct pps_room *room);

// A copy of the rows; NULL: no memory.
struct pps_part *pps_part_keep(const struct pps_rows *rows, uint32_t number);

void pps_parts_free(struct pps_part *parts);

// The rows of parts 0 ... n - 1 as one call of pps_rowmaker_make would have given them; the text
// is in the room. PPS_E_MACHINE without memory.
PPS_MUST_CHECK enum pps_status pps_parts_join(const struct pps_part *parts,
                                              uint32_t n,
                                              struct pps_room *room,
                                              struct pps_rows *rows,
                                              struct pps_error *err);

// Compresses the rows of block `index`, which has so many points; the room is for the codec.
PPS_MUST_CHECK enum pps_status pps_made_pack(struct pps_made **made,
                                             uint64_t index,
                                             uint64_t points,
                                             const struct pps_rows *rows,
                                             struct pps_codec *codec,
                                             struct pps_room *room,
                                             struct pps_error *err);

// Memory that it takes while it waits.
uint64_t pps_made_bytes(const struct pps_made *made);

#endif
