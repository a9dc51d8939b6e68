// SPDX-License-Identifier: Apache-2.0
// Bounds a partial schedule of the exact search from below.
//
// A partial schedule is the number of operations done, the time at which each device is free, and the
// arrivals of messages that are sent but not used. The order in which it was made does not matter for
// what follows.
#pragma once

#include "kernels/schedule/exact/instance.h"

struct exact_state {
    int32_t *f, *b; // [S]: done
    int32_t *w;     // [P]: done
    int32_t *held;  // [S]: 1: the next F of the stage is not the next operation of its device
    double *clock;  // [P]
    // [stage * M + micro-batch]: of the messages sent and not used, of forwards and of gradients.
    double *arrival[2];
};

void exact_state_take(struct exact_state *state, const struct pipeline_shape *shape,
                      struct room *room);
void exact_state_clear(struct exact_state *state, const struct exact_instance *instance);

// Loads of what precedes the next F and the next B of a stage.
struct exact_ahead {
    struct exact_load f, b;
    int32_t b_added, w_added; // because memory forces them before the forward
};

// The ends of the B's of a device that are not done, ascending, and of the W's that follow.
struct exact_ends {
    int32_t n, known; // B's; W's whose end is up to date
    double *b_end, *w_end;
};

struct exact_bound {
    const struct exact_instance *instance;
    double *f,
        *b; // [S * M]: the least start of every operation that is not done, after exact_bound_of
    struct exact_ahead *ahead; // [S]
    struct exact_ends *ends;   // [P]
};

void exact_bound_take(struct exact_bound *bound, const struct pipeline_shape *shape,
                      struct room *room);

// Sets the starts and returns a lower bound of the objective of every completion. *sum: the sum of the
// bounds of the devices, a measure of how good the state is among those with the same bound.
double exact_bound_of(struct exact_bound *bound, const struct exact_state *state, double *sum);
