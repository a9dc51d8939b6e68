// SPDX-License-Identifier: Apache-2.0
// The stages of a configured training, priced for micro-batches of any shape as `ppsweep check` prices those of the
// training itself: times of all parts, messages, states of devices, and activations with what the allocator adds.
#pragma once

#include "kernels/configuration/configuration.h"
#include "kernels/dynapipe/step/step.h"

struct training_stages {
    const struct configuration *configuration;
    // The layers of its stages: as they are, and all of them with one type of recomputation.
    struct configuration_part *mine, *parts[DYNAPIPE_RECOMPUTE_TYPES];
    struct network network;
    struct network_stages stages;
    struct cost_tables tables; // of average layers, for the division of samples
    struct cost_tables
        mine_costs; // the same, with the recomputation of the training as the only type
    double state[DYNAPIPE_DEVICES_MAX]; // without what depends on micro-batches
    double limit;
};

// Returns why dynapipe cannot run the training, as one clause; NULL: it can.
const char *training_stages_misfit(const struct configuration *configuration);

// Prices a training without misfit, which outlives the stages. Returns false if memory runs out; the caller frees the stages in
// any case.
bool training_stages_open(struct training_stages *stages,
                          const struct configuration *configuration);
void training_stages_free(struct training_stages *stages); // a zeroed struct is allowed

// Sets everything of a setup but links. mine: the only type is DYNAPIPE_KEEP, with the recomputation of the training. The caller
// opens the setup.
void training_stages_setup(struct training_stages *stages, bool mine, struct step_setup *setup);
