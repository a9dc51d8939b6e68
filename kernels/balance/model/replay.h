// SPDX-License-Identifier: Apache-2.0
// Replays a strategy: the makespan of a step, its bubble by cause, and the memory of every stage.
#ifndef PPS_BALANCE_MODEL_REPLAY_H
#define PPS_BALANCE_MODEL_REPLAY_H

#include "kernels/balance/model/strategy.h"
#include "kernels/common/plan/room.h"

// Durations of a chunk for one micro-batch, with head and tail: F = layers f (+ h) (+ t),
// B = sum over kinds of count b[k] (+ 2h) (+ 2t); memory of its activations and parameters, MiB.
double balance_chunk_forward(const struct balance_layers *,
                             const struct balance_strategy *,
                             int32_t chunk,
                             int32_t stage);
double balance_chunk_backward(const struct balance_layers *,
                              const struct balance_strategy *,
                              int32_t chunk,
                              int32_t stage);
double balance_chunk_recompute(const struct balance_layers *,
                               const struct balance_strategy *,
                               int32_t chunk,
                               int32_t stage);
double balance_chunk_activation_mb(const struct balance_layers *,
                                   const struct balance_strategy *,
                                   int32_t chunk,
                                   int32_t stage);
double balance_stage_static_mb(const struct balance_layers *,
                               const struct balance_strategy *,
                               int32_t stage); // c, parameters, head, tail

// Fractions of the useful time W / P, W = M * sum over chunks of F + B without recomputation:
// real = ideal + imbalance + recompute, real = (P end - W) / W, ideal = (P - 1) / (V M).
struct balance_bubble {
    double real, ideal, imbalance, recompute;
};

struct balance_result {
    double makespan;
    struct balance_bubble bubble;
    double *peak_mb; // [stages]; of the caller
    int32_t worst;   // stage with the largest peak
};

struct balance_replay; // memory for one shape; one thread

// Returns why a shape cannot run, one of a fixed set of texts; NULL: it can.
const char *balance_shape_misfit(const struct balance_shape *shape);

struct balance_replay *balance_replay_take(const struct balance_shape *shape,
                                           struct room *room);

// Prepares the order of a shape and its vectors of activations in flight.
void balance_replay_open(struct balance_replay *replay, const struct balance_shape *shape);

void balance_replay_run(struct balance_replay *replay,
                        const struct balance_layers *layers,
                        const struct balance_strategy *strategy,
                        struct balance_result *result);

// Micro-batches of each chunk whose activations a stage holds at once, [chunks]: vectors of which none is at
// most another one in all chunks. Peaks are maxima over them: exact, whatever the times are. Returns their number.
int32_t balance_in_flight(const struct balance_replay *replay,
                          int32_t stage,
                          const int32_t **vectors);

#endif
