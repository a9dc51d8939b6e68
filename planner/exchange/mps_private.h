// SPDX-License-Identifier: Apache-2.0
// Holds an exported program under construction. Private to the files that write it.
#ifndef PPS_PLANNER_EXCHANGE_MPS_PRIVATE_H
#define PPS_PLANNER_EXCHANGE_MPS_PRIVATE_H

#include "planner/exchange/mps_rows.h"

// Groups of rows.
enum {
    ND_ROW_FORWARD_TIME,
    ND_ROW_BACKWARD_TIME,
    ND_ROW_KEPT,
    ND_ROW_SOME,
    ND_ROW_NONE,
    ND_ROW_RECOMPUTED,
    ND_ROW_SELECTIVE,
    ND_ROW_FULL,
    ND_ROW_ALL_TYPE,
    ND_ROW_MIXED,
    ND_ROW_LEADING,
    ND_ROW_TRAILING,
    ND_ROW_LANE,
    ND_ROW_FORTH,
    ND_ROW_BACK,
    ND_ROW_TURN,
    ND_ROW_MEMORY,
    ND_ROW_STABLE,
    ND_ROW_OBJECTIVE,
    ND_ROW_GROUPS,
};

struct nd_mps_writing {
    const struct nd_program *program;
    struct nd_mps_layout layout;
    struct nd_mps_rows rows;
    struct operation *tasks; // of one stage
};

// Adds the rows that define a chunk (durations, memory, recompute) and the split of layers.
void nd_mps_add_chunks(struct nd_mps_writing *writing);

// Adds the rows that limit the start of tasks and the memory of stages.
void nd_mps_add_tasks(struct nd_mps_writing *writing);

static inline int32_t nd_mps_chunk(const struct nd_mps_writing *writing,
                                   int kind,
                                   int32_t chunk,
                                   int32_t stage)
{
    return nd_mps_of_chunk(&writing->layout, kind, chunk, stage);
}

#endif
