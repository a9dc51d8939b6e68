// SPDX-License-Identifier: Apache-2.0
// The environment in which the published project trains its policy. An operation starts when all others
// have ended, on whatever device, and counts as done at once: a policy chooses the order of the operations,
// and the total is the sum of their durations in every order.
#pragma once

#include "extras/serial/serial.h"

struct serial_environment {
    struct serial_problem problem;
    uint8_t *done, *ready; // [operations], by serial_index
    double *load;          // [devices]: busy time
    double clock;
    int32_t n_ready, n_done, done_of[SERIAL_TYPES];
};

void serial_environment_take(struct serial_environment *environment,
                             const struct serial_problem *problem, struct room *room);
void serial_environment_start(struct serial_environment *environment);

// Runs operation `action`, which takes `duration`. Returns the reward: 1 + 0.5 / (duration + 0.1) +
// 0.3 / (|load - mean load| + 0.1) + 0.2 min(1, ready / 10), with the load of its device, and the
// operations that are ready, after the operation. An action that is not ready does nothing and has the
// reward -1.
double serial_environment_step(struct serial_environment *environment, int32_t action,
                               double duration);

// The state vector: of every operation whether it is done, ready, scheduled (the same as done); of every
// device min(1, load / 100); min(1, clock / 1000); of every type the scheduled operations / all operations.
static inline int32_t serial_state_length(const struct serial_problem *problem)
{
    return 3 * serial_operations(problem) + problem->devices + 1 + SERIAL_TYPES;
}

void serial_environment_state(const struct serial_environment *environment, double *state);
