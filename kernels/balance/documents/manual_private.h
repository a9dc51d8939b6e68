// SPDX-License-Identifier: Apache-2.0
// The parts of the reader of strategies: entries and their lists.
#pragma once

#include "base/document/fields.h"
#include "kernels/balance/documents/manual_read.h"

enum manual_field {
    // The lists come first, as in enum balance_list.
    MANUAL_LAYOUT = BALANCE_LISTS,
    MANUAL_CHUNKS,
    MANUAL_SHOW,
    MANUAL_FILE,
    MANUAL_INTERLEAVES,
    MANUAL_FIELDS,
};

enum { MANUAL_CHUNKS_MOST = 16384 }; // stages times chunks

struct manual_reader {
    const struct balance_layers *layers;
    int32_t stages, chunks; // of the entry
    struct docitems items;
    int64_t *layout;              // [chunks * stages]: layers that a layout sets; NULL: offset
    int32_t *list[BALANCE_LISTS]; // [chunks * stages] each
    struct pps_fault *fault;
};

// Reads the layout of the entry, if it has one, and sets the chunks. `chunks`: those that the entry sets besides; 0:
// none. Returns false with a fault; an empty text means out of memory. The caller frees r->layout.
bool manual_read_layout(struct manual_reader *r, int64_t chunks);

// Reads the lists into the counts of a strategy with r->chunks chunks.
bool manual_read_lists(struct manual_reader *r, struct balance_strategy *strategy);
