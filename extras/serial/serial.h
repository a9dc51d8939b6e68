// SPDX-License-Identifier: Apache-2.0
// Reproduces the model of a published project that compares "zero bubble" with a learned scheduler: its
// time model, its greedy scheduler and what both measure. All devices share one clock, so an operation
// starts when the operation before it ends, on whatever device: the total is the sum of all durations,
// and no order can change it. model.md, The published project, says what differs.
#pragma once

#include "kernels/common/plan/room.h"

#include <stdbool.h>

enum serial_type { SERIAL_F, SERIAL_B, SERIAL_W, SERIAL_TYPES };

// Stage s runs on device s.
struct serial_problem {
    int32_t devices, micro_batches; // at least 1
    double size;                    // samples of a micro-batch
    double base;                    // time of a forward per sample, > 0
    double base_comm;               // time of a message per sample, > 0
    double level;                   // standard deviation of the noise, within [0, 1)
};

// Least durations of an operation and of a message.
#define SERIAL_FLOOR         0.1
#define SERIAL_MESSAGE_FLOOR 0.05

// The published sizes: 4 devices, 6 micro-batches of 32 samples, base 1, base_comm 0.5, no noise.
struct serial_problem serial_defaults(void);

// Operations in the order of their creation: by micro-batch, then stage, then F, B, W.
static inline int32_t serial_operations(const struct serial_problem *problem)
{
    return SERIAL_TYPES * problem->devices * problem->micro_batches;
}

static inline int32_t serial_index(const struct serial_problem *problem, int32_t item,
                                   int32_t stage, enum serial_type type)
{
    return (item * problem->devices + stage) * SERIAL_TYPES + (int32_t)type;
}

// The generator that both schedulers of a trial use one after the other: its n-th number depends on the
// seed and on n.
struct serial_stream {
    uint64_t seed;
    uint64_t used; // numbers
};

// Returns the duration of an operation, its message included, with the next numbers of the stream.
double serial_draw(const struct serial_problem *problem, enum serial_type type,
                   struct serial_stream *stream);

// Returns the sum of all durations without noise, and the standard deviation of the sum with noise if no
// duration meets its floor.
double serial_nominal_total(const struct serial_problem *problem);
double serial_deviation(const struct serial_problem *problem);

struct serial_result {
    double total;       // time of the step
    double bubble_time; // devices * total - work
    double bubble;      // bubble_time / (devices * total)
    double throughput;  // micro-batches per unit of time
};

// Computes the result of a step from the total and the work of each device, [devices].
struct serial_result serial_result_of(const struct serial_problem *problem, double total,
                                      const double *work);

// Memory of the greedy scheduler. NULL: the room only counts.
struct serial_greedy;
struct serial_greedy *serial_greedy_take(const struct serial_problem *most, struct room *room);

// Runs the greedy scheduler. In each round every device chooses one of the operations that are ready at the
// start of the round: the one with the least earliest start (the end of its last dependency), then with the
// least duration, drawn for this comparison only, then the one created first. The chosen operations then
// run one after the other. `work`: [devices], the busy time; `order`: NULL, or [operations], their indices
// in the order in which they ran. Takes O(N + M^2) time: only forwards of stage 0 are ever compared.
struct serial_result serial_greedy_run(struct serial_greedy *greedy,
                                       const struct serial_problem *problem,
                                       struct serial_stream *stream, double *work,
                                       int32_t *order);
