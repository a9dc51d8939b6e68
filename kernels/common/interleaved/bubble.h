// SPDX-License-Identifier: Apache-2.0
// Splits the idle time of a pipeline into its causes.
#ifndef PPS_COMMON_INTERLEAVED_BUBBLE_H
#define PPS_COMMON_INTERLEAVED_BUBBLE_H

#include <stdint.h>

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

#endif
