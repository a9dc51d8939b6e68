// SPDX-License-Identifier: Apache-2.0
// Improves the networks of a policy by proximal policy optimisation (Schulman, Wolski, Dhariwal, Radford,
// Klimov 2017). The result does not depend on the number of threads.
#pragma once

#include "extras/learning/descent.h"

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

struct ppo_report {
    double kl, entropy; // means of the last epoch
    double clipped;     // part of the decisions at the clip
};

// Updates the state by the decisions of at most DESCENT_LOGS_MAX logs. Normalises the advantages of each log,
// that is, of each problem. number: of the update, for the order of decisions. Returns false, with the state
// half-way, if the poll ended it.
bool ppo_update(struct descent *descent, const struct ppo_options *options,
                struct episode_log *logs, int n_logs, uint64_t seed, uint64_t number,
                int threads, struct poll *poll, struct descent_state *state,
                struct ppo_report *report);
