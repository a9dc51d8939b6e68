// SPDX-License-Identifier: Apache-2.0
// Deals micro-batches to replicas so that the replica with the most work has little: multiway largest differencing,
// improved by moves and swaps, and exact for few micro-batches.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/room.h"

#include <stdbool.h>
#include <stdint.h>

// Up to so many micro-batches the deal is exact.
enum { SPLIT_EXACT_DEALS = 20 };

struct split_deal {
    int32_t *
        replica; // [micro-batches], of the caller; replicas are numbered by their lowest micro-batch
    double slowest; // the work of the replica with the most
    double bound;   // no deal has a smaller one
    bool is_proven; // the deal is optimal
};

struct split_dealer; // memory for one thread

// Takes the memory for at most so many micro-batches and replicas; NULL if the room only counts.
struct split_dealer *split_dealer_take(int32_t micro_batches, int32_t replicas,
                                       struct room *room);

// Deals n micro-batches with these times (finite, >= 0) to k >= 1 replicas. Returns false if the poll (may be NULL)
// ended the loop; then the deal is whole, but may be improved.
bool split_deal(struct split_dealer *dealer, const double *times, int32_t n, int32_t k,
                struct poll *poll, struct split_deal *deal);
