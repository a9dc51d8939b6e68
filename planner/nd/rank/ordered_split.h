// SPDX-License-Identifier: Apache-2.0
// Splits of a configuration whose placement or order no exact solver knows: moves single layers from part to part
// and evaluates every split in the order of the configuration.
#pragma once

#include "kernels/common/split/program.h"
#include "kernels/configuration/step.h"

struct nd_ordered {
    const struct configuration *mine; // all but its parts is kept
    const struct nd_choice *loop; // a split for a loop, in the order of the model; NULL: none
    enum nd_dialect dialect;
    bool allow_select, allow_full;
    bool keep_layers;       // only what is made again may change
    double operations_most; // that are executed; 0: the usual number
    struct poll *poll;      // or NULL
};

// Sets the parts of *best, a copy of `mine`, to the fastest split that was found, and evaluates it. *found: one
// fits in memory. The caller frees *best and *step in any case.
enum configuration_status nd_ordered_solve(const struct nd_ordered *ordered,
                                           struct configuration *best,
                                           struct configuration_step *step, bool *found);

// Makes the training `mine` with another strategy, in its order; the layers are even where the pipeline is another one.
// The caller frees *c with configuration_free in any case. Returns false if the order does not have this
// pipeline, if a replica has no whole micro-batches, or when out of memory.
bool nd_ordered_like(struct configuration *c, const struct configuration *mine,
                     const struct nd_strategy *strategy, bool *no_memory);

// Takes the lists of a configuration, in the order of the model. room: [6][n_parts].
struct nd_choice nd_choice_of_configuration(const struct configuration *configuration,
                                            int32_t *room);
