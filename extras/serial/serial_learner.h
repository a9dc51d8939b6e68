// SPDX-License-Identifier: Apache-2.0
// The learned scheduler of the published project: proximal policy optimization over the environment of
// serial_environment.h, with the faults of the project. model.md lists them.
#pragma once

#include "extras/serial/serial_environment.h"
#include "kernels/common/pipeline/poll.h"

struct serial_learner;

// Takes the memory of a learner. NULL: the room only counts.
struct serial_learner *serial_learner_take(const struct serial_problem *problem,
                                           struct room *room);

// Draws initial networks by the seed and trains them for a number of episodes, whose noise comes from the
// stream. An update follows episodes 0, 10, 20 ... Returns false if the poll ended the training.
bool serial_learner_train(struct serial_learner *learner, uint64_t seed, int32_t episodes,
                          struct serial_stream *stream, struct poll *poll);

// Runs a step in which the policy samples its actions. work, order: as in serial_greedy_run.
struct serial_result serial_learner_run(struct serial_learner *learner,
                                        struct serial_stream *stream, double *work,
                                        int32_t *order);

// Returns the sum of rewards of the last step that was run.
double serial_learner_reward(const struct serial_learner *learner);

// Returns the parameters of both networks, and their number.
const double *serial_learner_parameters(const struct serial_learner *learner, size_t *n);
