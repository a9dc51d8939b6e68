// SPDX-License-Identifier: Apache-2.0
// The networks of a learned policy: one scores the candidates of a decision, the other estimates the
// remaining time. The size does not depend on the pipeline: the same parameters serve every P, M and v.
//
//   score_i = w3 . tanh(W2 tanh(W1 (candidate_i, mean of all candidates, state))) + beta guide_i
//   value   = v3 . tanh(V2 tanh(V1 (mean of all candidates, state)))
//
// with a bias in every layer; guide_i is 1 for the candidate that the guide of the policy would choose,
// otherwise 0. The policy chooses candidate i with probability softmax(score)_i.
#pragma once

#include "kernels/common/plan/room.h"

enum { NETWORK_CANDIDATES_MAX = 256, NETWORK_WIDTH_MAX = 256, NETWORK_FEATURES_MAX = 256 };

struct network_shape {
    int candidate; // features of a candidate
    int state;     // features of the state
    int width[2];  // of the hidden layers, multiples of 8
};

// What the networks see of a decision.
struct network_input {
    int n;                   // candidates
    int guide;               // the candidate that the guide would choose
    const double *candidate; // [n][shape.candidate]
    const double *state;     // [shape.state]
};

// Returns the number of parameters, a multiple of 8. Unused ones are 0 and stay 0.
int network_parameters(const struct network_shape *shape);

// Sets initial parameters, drawn by the seed (Glorot, Bengio 2010); the last layers are 0, so that the
// scores are those of the guide: beta at first.
void network_start(const struct network_shape *shape, uint64_t seed, double beta,
                   double *parameters);

// Makes the value 0 for every decision: for a training that does not need it.
void network_clear_value(const struct network_shape *shape, double *parameters);

// Returns beta, which is one of the parameters.
double network_beta(const struct network_shape *shape, const double *parameters);

void network_set_beta(const struct network_shape *shape, double *parameters, double beta);

// Returns the weights of the last layer of the scores, [width[1]].
double *network_last(const struct network_shape *shape, double *parameters);

struct network; // memory of one thread

// Takes the memory for decisions with at most n candidates. NULL: the room only counts.
struct network *network_take(const struct network_shape *shape, int n, struct room *room);

// Computes the scores of all candidates, [n].
void network_scores(struct network *network, const double *parameters,
                    const struct network_input *input, double *score);

// Returns the value.
double network_value(struct network *network, const double *parameters,
                     const struct network_input *input);

// Adds to `gradient` the gradient of sum(dscore[i] score[i]) + dvalue value with respect to the parameters,
// for the input of the last network_scores and, unless dvalue is 0, network_value.
void network_gradient(struct network *network, const double *parameters,
                      const struct network_input *input, const double *dscore, double dvalue,
                      double *gradient);
