// SPDX-License-Identifier: Apache-2.0
// Replays a strategy: the makespan of a step, its bubble by cause, and the memory of every stage.
#pragma once

#include "kernels/balance/model/balance_order.h"
#include "kernels/common/executor/executor.h"

// What a chunk of a stage costs for one micro-batch. Memory is that of the activations that a forward leaves for
// its backward.
struct balance_chunk {
    double forward;  // layers f, the head on the first chunk of the model, the tail on the last
    double backward; // sum over kinds of count b[k], twice the forward of head and tail
    double recompute; // the part of the backward above b[none]
    double activation_mb;
};

struct balance_chunk balance_chunk_of(const struct balance_layers *layers,
                                      const struct balance_strategy *strategy, int32_t chunk,
                                      int32_t stage);

// Returns the memory that a stage holds during the whole step: c, parameters, head and tail, and what layers that
// are computed again need.
double balance_static_mb(const struct balance_layers *layers,
                         const struct balance_strategy *strategy, int32_t stage);

// Idle time by cause. W = M * sum over chunks of forward and backward without recomputation is the useful time of
// all stages; the parts are fractions of it:
//   real = (P makespan - W) / W = ideal + imbalance + recompute + transfer, ideal = (P - 1) / (V M)
// transfer: what the makespan without the time of messages is shorter, times P / W.
struct balance_bubble {
    double real, ideal, imbalance, recompute, transfer;
    bool recomputes; // some layer is recomputed; otherwise recompute is 0
};

struct balance_result {
    double makespan;
    struct balance_bubble bubble;
    double *peak_mb; // [stages]; of the caller
    int32_t worst;   // stage with the largest peak
};

struct balance_replay; // an order with its executor and its vectors in flight; one thread

// Takes a replay of a shape that has passed balance_shape_misfit. NULL: the room only counts.
struct balance_replay *balance_replay_take(const struct balance_shape *shape,
                                           struct room *room);

// Builds the order of the shape, once. Returns false if the poll (may be NULL) ended the loop.
bool balance_replay_open(struct balance_replay *replay, struct poll *poll);

// Returns the makespan of a step with these times of the chunks, [chunk * stages + stage] each: one pass over the
// operations.
double balance_makespan(struct balance_replay *replay, const double *forward,
                        const double *backward);

// Replays a strategy of the shape.
void balance_replay_run(struct balance_replay *replay, const struct balance_layers *layers,
                        const struct balance_strategy *strategy, struct balance_result *result);

// Returns the order, whose starts and ends after a replay are those of the executor.
const struct order *balance_replay_order(const struct balance_replay *replay);
const struct executor *balance_replay_executor(const struct balance_replay *replay);

// Sets *vectors to the numbers of pieces of each chunk whose activations a stage holds at once, [n][chunks]; no vector is
// at most another one in all chunks. The memory of a stage is at most its static part plus the largest sum of
// vector[chunk] * activation_mb of the chunk, and reaches it, whatever the times are. Returns n.
int32_t balance_in_flight(const struct balance_replay *replay, int32_t stage,
                          const int32_t **vectors);
