// SPDX-License-Identifier: Apache-2.0
// Where the idle time of a pipeline comes from.
#ifndef PPS_BUBBLE_H
#define PPS_BUBBLE_H

#include <stdint.h>

// Idle device time over useful device time, and its parts, which add up to `total`.
struct bubble {
    double total;     // (P makespan - useful) / useful
    double ideal;     // (P - 1) / (V M): filling and emptying of a perfectly balanced pipeline
    double recompute; // work done a second time, / useful
    double transfer;  // what transfers add to the makespan
    double imbalance; // the rest: stages that wait for a slower one
};

struct bubble_work {
    int32_t stages, chunks, micro_batches;
    double useful;           // device time of all forwards and backwards without recompute
    double done;             // with recompute
    double makespan;         // as it is
    double makespan_no_hops; // were transfers free
};

struct bubble bubble_split(const struct bubble_work *work);

#endif
