// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the makespans of all strategies of a task. For any weights of the paths through the
// operations, whose sum is 1, the makespan of a strategy is at least the weighted mean of the lengths of the paths;
// that is a linear function of the layers, and its minimum over all strategies within memory, with fractions of
// layers allowed, is a bound. The weights come from fictitious play (Brown 1951): in every round the longest path for
// the mean of the strategies so far, then the best strategy against the mean of the paths so far.
#pragma once

#include "kernels/balance/search/balance_task.h"

struct balance_bound; // one thread

// Takes the memory for tasks of a shape; NULL if the room only counts.
struct balance_bound *balance_bound_take(const struct balance_layers *layers,
                                         const struct balance_shape *shape, struct room *room);

// Returns the bound after `rounds` rounds, each an evaluation of the replay; less if it no longer grows, or the poll (may be NULL) ended
// the loop; 0: there is none yet. INFINITY: no strategy fits. The replay has been opened for the shape of the task.
double balance_bound_find(struct balance_bound *bound, const struct balance_task *task,
                          struct balance_replay *replay, int rounds, struct poll *poll);

// What remains of the last call that returned a bound above 0 and below INFINITY: weights of the times of the chunks,
// [chunk * stages + stage]. For every strategy within memory, the makespan is at least the sum of forward[k] times the
// forward time of chunk k and of backward[k] times its backward time.
struct balance_weights {
    const double *forward, *backward;
};
struct balance_weights balance_bound_weights(const struct balance_bound *bound);

// Counts how often the longest path of the last run of the replay contains each chunk, [chunk * stages + stage]: for any
// times, the sum of the counts times the times is at most the makespan. balance_bound_find has been called for the task.
// Returns false if the poll (may be NULL) ended the loop.
bool balance_bound_path(struct balance_bound *bound, double *forwards, double *backwards,
                        struct poll *poll);

// Returns the least weighted sum of n layers on a stage, head and tail included, with fractions of layers allowed: at most that of any
// contents of the stage that fit. INFINITY: they do not fit. n: 0 or more.
double balance_bound_of_stage(const struct balance_bound *bound, int32_t stage, int32_t n);
