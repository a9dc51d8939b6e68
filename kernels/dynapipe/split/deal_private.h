// SPDX-License-Identifier: Apache-2.0
// The parts of a deal: the first deal and the exact search.
#pragma once

#include "kernels/dynapipe/split/deal.h"

enum { DEAL_FAILED_BITS = 14 };

// Micro-batches that go to the same replica.
struct deal_bin {
    double sum;
    int32_t first, last; // micro-batches, linked by `next`
    int32_t next;        // bin of the same tuple, with a smaller or equal sum; -1: none
};

// Bins for all replicas; those that are not listed are empty.
struct deal_tuple {
    double spread;   // the largest less the smallest sum of a bin
    int64_t age;     // tuples that were made earlier
    int32_t largest; // bin
};

struct split_dealer {
    int32_t n, k;
    const double *times;
    int32_t *sorted;         // [n]: micro-batches by descending time
    int32_t *replica;        // [n]
    double *load;            // [k]
    struct deal_bin *bins;   // [n]
    struct deal_tuple *heap; // [n]
    int32_t *next;           // [n]: the next micro-batch of the bin; -1: none
    int32_t *left, *right;   // [k]: bins of two tuples
    int32_t *numbers;        // [k]
    uint32_t
        *failed; // [1 << DEAL_FAILED_BITS]: sets of micro-batches that do not fit into bins
};

// Deals by multiway largest differencing.
bool deal_by_differences(struct split_dealer *d, struct poll *poll);

// Finds the optimal deal of at most SPLIT_EXACT_DEALS micro-batches. slowest: of the present deal. Returns false if
// the poll ended the search; the deal is then the best so far.
bool deal_exactly(struct split_dealer *d, double slowest, double bound, struct poll *poll);
