// SPDX-License-Identifier: Apache-2.0
// Improves the networks of a policy by proximal policy optimisation (Schulman, Wolski, Dhariwal, Radford,
// Klimov 2017), with Adam. The result does not depend on the number of threads: gradients are summed in
// blocks of a fixed size, in a fixed order.
#ifndef PPS_SCHEDULE_LEARNING_PPO_H
#define PPS_SCHEDULE_LEARNING_PPO_H

#include "kernels/schedule/learning/episode.h"

enum {
    PPO_BLOCK = 64,       // decisions whose gradients are summed in one piece
    PPO_MINIBATCH = 1024, // decisions of a step of Adam
    PPO_LOGS_MAX = 1024,
};

struct ppo_options {
    double rate;       // step size of Adam
    double clip;       // of the ratio of probabilities
    double value_clip; // of the change of the value
    double entropy;    // weight
    double value;      // weight of the error of the value
    double norm;       // most of the length of a gradient
    double kl;         // an epoch with a larger mean divergence is the last one
    int epochs;
};

// Parameters of the networks and moments of Adam, [n] each.
struct ppo_state {
    int n;
    uint64_t steps; // of Adam
    double *parameter, *first, *second;
};

void ppo_state_take(struct ppo_state *state,
                    const struct network_shape *shape,
                    struct room *room);

struct ppo; // memory for an update on several threads

struct ppo *ppo_take(const struct network_shape *shape, int threads, struct room *room);

struct ppo_report {
    double kl, entropy, loss_value; // means of the last epoch
    double clipped;                 // part of the decisions at the clip
    int epochs;
};

// Updates the state by the decisions of at most PPO_LOGS_MAX logs. Normalises the advantages of each log, that is, of
// each problem. number: of the update,
// for the order of decisions. Returns false, with the state half-way, if the poll ended it.
bool ppo_update(struct ppo *ppo,
                const struct ppo_options *options,
                struct episode_log *logs,
                int n_logs,
                uint64_t seed,
                uint64_t number,
                int threads,
                struct poll *poll,
                struct ppo_state *state,
                struct ppo_report *report);

#endif
