// SPDX-License-Identifier: Apache-2.0
// Moves the parameters of the networks of a policy against gradients that are summed over logged decisions,
// with Adam (Kingma, Ba 2015). The result does not depend on the number of threads: gradients are summed in
// blocks of a fixed size, in a fixed order.
#pragma once

#include "extras/learning/episode.h"

enum {
    DESCENT_BLOCK = 64,       // decisions whose gradients are summed in one piece
    DESCENT_MINIBATCH = 1024, // decisions of a step of Adam at most
    DESCENT_LOGS_MAX = 1024,
    DESCENT_SUMS = 4, // numbers that a loss adds up
};

// Parameters of the networks, moments of Adam, and the mean of the parameters after the last steps, [n] each.
struct descent_state {
    int n;
    uint64_t steps; // of Adam
    double *parameter, *first, *second, *average;
};

void descent_state_take(struct descent_state *state, const struct network_shape *shape,
                        struct room *room);

struct descent; // memory for steps on several threads

struct descent *descent_take(const struct network_shape *shape, int threads, struct room *room);

// What a step minimises: the mean of the losses of decisions.
struct descent_loss {
    const void *self;
    // Replaces the logarithms of the probabilities of the candidates by the gradient of the loss of a decision
    // with respect to the scores, and returns that with respect to the value. Adds to the sums. p: the
    // probabilities.
    double (*slope)(const void *self, const struct episode_decision *decision, const double *p,
                    double value, double *log_p, double sums[DESCENT_SUMS]);
    bool has_value;    // false: the value is 0, and its network stays as it is
    int32_t minibatch; // decisions of a step of Adam: at most DESCENT_MINIBATCH
    double rate;       // step size of Adam
    double norm;       // most of the length of a gradient
    double averaged;   // steps in the average; of the first ones, all
};

// Goes through all decisions of at most DESCENT_LOGS_MAX logs once, in an order drawn by seed and number. Sets the means of
// what the loss adds up. Returns false, with the state half-way, if the poll ended it.
bool descent_epoch(struct descent *descent, const struct descent_loss *loss,
                   const struct episode_log *logs, int n_logs, uint64_t seed, uint64_t number,
                   int threads, struct poll *poll, struct descent_state *state,
                   double means[DESCENT_SUMS]);
