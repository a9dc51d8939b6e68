// SPDX-License-Identifier: Apache-2.0
// Plays a choice of the pipeline program: when every pass of every stage runs, the memory of the
// stage after each pass, and the causes of idle time. For pictures and reports.
#pragma once

#include "kernels/common/interleaved/passes.h"
#include "kernels/common/pipeline/poll.h"
#include "kernels/common/split/program.h"

// Fills the passes, in forwards of a type-2 layer and MiB. The shape is the shape of the program, or
// of its micro-batches that are laid out; orders_check allows the shape. The caller frees the passes
// with passes_free, also after ND_NO_MEMORY.
enum nd_outcome nd_play(const struct nd_program *program, const struct nd_choice *choice,
                        const struct orders_shape *shape, struct passes *passes);

// Idle device time over useful device time, and its parts, which add up to `total`.
struct bubble {
    double total;     // (P makespan - useful) / useful
    double ideal;     // (P - 1) / (V M): the bubble of a perfectly balanced pipeline
    double recompute; // recomputed work / useful
    double transfer;  // increase of the makespan by transfers
    double imbalance; // the rest: stages wait for a slower stage
};

struct bubble_work {
    int32_t stages, chunks, micro_batches;
    double useful;           // device time of all forwards and backwards without recompute
    double done;             // the same, with recompute
    double makespan;         // with transfers
    double makespan_no_hops; // with transfers that take no time
};

struct bubble bubble_split(const struct bubble_work *work);

// Computes the overhead as a fraction of useful time, by cause. If the poll (may be NULL) ends the
// computation, bubble->total is NAN.
enum nd_outcome nd_bubble(const struct nd_program *program, const struct nd_choice *choice,
                          struct poll *poll, struct bubble *bubble);
