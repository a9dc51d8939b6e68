// SPDX-License-Identifier: Apache-2.0
// Builds an order by dispatch: operation by operation, the one that can start first. Keeps the memory
// limits and cannot deadlock: a forward leaves room for the later chunks of its micro-batch. For
// pipelines of one direction without slices.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"

struct greedy;

// NULL: the room only counts.
struct greedy *greedy_take(const struct pipeline_shape *most, struct room *room);

struct greedy_rule {
    bool whole_backward;
    bool forward_first; // of two operations that can start now, the forward first
    bool early_chunk;   // of two forwards, that of the earlier stage first
    // A W starts only if no other operation can start within this part of its time.
    double threshold;
    // The first chunk of a device has no more forwards while cap + slope * (P - 1 - device)
    // forwards of all its chunks wait for their backwards. cap >= 1; INFINITY: no such rule.
    double cap, slope;
};

enum greedy_status { GREEDY_DONE, GREEDY_NO_ROOM, GREEDY_STOPPED };

// Writes the order, which is empty. GREEDY_NO_ROOM: a device cannot hold a micro-batch.
enum greedy_status greedy_build(struct greedy *greedy, const struct pipeline *pipeline,
                                const struct greedy_rule *rule, struct poll *poll,
                                struct order *order);
