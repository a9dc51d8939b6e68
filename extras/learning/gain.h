// SPDX-License-Identifier: Apache-2.0
// Improves the networks of a policy by measured gains of candidates: ascends the mean over decisions of
// sum_i p_i gain_i, the expected gain, as in policy iteration with rollouts (Tesauro, Galperin 1996; Lagoudakis,
// Parr 2003). The result does not depend on the number of threads.
#ifndef PPS_EXTRAS_LEARNING_GAIN_H
#define PPS_EXTRAS_LEARNING_GAIN_H

#include "extras/learning/descent.h"

struct gain_options {
    double rate; // step size of Adam
    double
        most; // of the size of a gain, in periods: rare, large ones would decide alone otherwise
    double weight;   // of the gains
    double entropy;  // weight
    double norm;     // most of the length of a gradient
    double averaged; // steps of Adam in the average of the parameters
    int epochs;
};

struct gain_report {
    double gain, entropy; // means of the last epoch
};

// Updates the state by the decisions of at most DESCENT_LOGS_MAX logs of rollouts_run. number: of the update,
// for the order of decisions. Returns false, with the state half-way, if the poll ended it.
bool gain_update(struct descent *descent,
                 const struct gain_options *options,
                 struct episode_log *logs,
                 int n_logs,
                 uint64_t seed,
                 uint64_t number,
                 int threads,
                 struct poll *poll,
                 struct descent_state *state,
                 struct gain_report *report);

#endif
