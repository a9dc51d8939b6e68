// SPDX-License-Identifier: Apache-2.0
// What a pipeline cannot be faster than, and where its idle time comes from.
#ifndef PPS_BOUNDS_H
#define PPS_BOUNDS_H

#include <stdint.h>

// Idle device time over useful device time, and its parts, which add up to `total`.
struct bounds_bubble {
    double total;     // (P makespan - useful) / useful
    double ideal;     // (P - 1) / (V M): filling and emptying of a perfectly balanced pipeline
    double recompute; // work done a second time, / useful
    double transfer;  // what transfers add to the makespan
    double imbalance; // the rest: stages that wait for a slower one
};

struct bounds_work {
    int32_t stages, chunks, micro_batches;
    double useful;           // device time of all forwards and backwards without recompute
    double done;             // with recompute
    double makespan;         // as it is
    double makespan_no_hops; // were transfers free
};

struct bounds_bubble bounds_split(const struct bounds_work *work);

// Lower bounds of the makespan of 1F1B, M >= P micro-batches, hop: a transfer between neighbours.
// forward, backward: [stages].

// Of stage i: its first forward cannot start before the ones before it have, its work, and the
// way back from its last backward.
double bounds_stage(int32_t stages,
                    int32_t micro_batches,
                    const double *forward,
                    const double *backward,
                    double hop,
                    int32_t stage);

// The same with the round trip of the first micro-batch through the stages behind, before the
// first backward, and of the last one after the last forward, where that is longer than what the
// stage itself has to do meanwhile.
double bounds_round_trip(int32_t stages,
                         int32_t micro_batches,
                         const double *forward,
                         const double *backward,
                         double hop,
                         int32_t stage);

#endif
