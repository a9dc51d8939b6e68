// SPDX-License-Identifier: Apache-2.0
// Turns a decision of the online environment into the inputs of the networks of a learned policy. All
// features are ratios without units, of a size around 1, and do not depend on P, M or v.
#pragma once

#include "kernels/schedule/online/pull.h"
#include "kernels/schedule/policy/network.h"

// Numbers of features; model.md, Learning, lists them. A change of a feature is a new version of policy
// documents.
enum { FEATURES_CANDIDATE = 22, FEATURES_STATE = 29 };

// What the features need of a problem. Set by features_open for the whole step.
struct features {
    struct online *online;
    const struct pipeline *pipeline;
    const double *tails; // of the reference order, [order_at]
    double makespan;     // of the reference order
    double work;         // nominal work of the device with the most work
    double period;       // the same for one micro-batch
    int32_t room;        // of the reference order
};

// online_open has set the problem.
void features_open(struct features *features, struct online *online,
                   const struct pipeline *pipeline, const struct order *reference);

// Returns the candidate that the guide of a learned policy would choose: that of the rule (pull_choose), but
// where the rule waits for memory, the first candidate in the reference order. The rule itself never has to
// wait for memory; a policy that has left its path can.
int32_t features_guide(const struct features *features, const struct pull_rule *rule,
                       const struct online_decision *decision, uint8_t *waits);

// Returns whether nothing unexpected has happened as far as the device knows: its operations had their nominal
// times within 1 %, and its next F or B is not later than in the reference order. A learned policy follows
// its guide then.
bool features_quiet(const struct features *features, const struct online_decision *decision);

// Returns the candidates that the networks choose from: all, but without WAIT, which is the last one, if the
// guide does not wait and no arrival is expected.
int32_t features_candidates(const struct features *features,
                            const struct online_decision *decision, int32_t guide);

// Writes the features of all candidates, [n][FEATURES_CANDIDATE], and of the state, [FEATURES_STATE], in
// single precision, in which a training remembers them.
void features_of(const struct features *features, const struct online_decision *decision,
                 double *candidate, double *state);
