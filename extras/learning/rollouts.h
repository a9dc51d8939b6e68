// SPDX-License-Identifier: Apache-2.0
// Measures what the candidates of a decision gain. A policy runs a step. At some of its decisions, each other
// candidate is taken in a copy of the step, and the policy runs the copy to the end, with the same times. The
// gain of a candidate is how much sooner its copy ends: an exact sample of its advantage under the policy, in
// which noise that meets both alike cancels.
#pragma once

#include "extras/learning/episode.h"

enum { ROLLOUTS_OF_STEP = 32 }; // decisions of a step whose candidates are measured, at most

struct rollouts; // memory of one thread

// `own`: of the same space and shape; runs the steps. NULL: the room only counts.
struct rollouts *rollouts_take(struct episode *own, const struct problem_space *space,
                               const struct network_shape *shape, struct room *room);

// Runs replicates number * EXECUTOR_LANES and following, EXECUTOR_LANES of them, of problem `number` of a seed. Appends
// decisions with their gains to the log, which has room for EXECUTOR_LANES * ROLLOUTS_OF_STEP more.
// rule->parameters NULL: the guide is the policy. Returns false if the poll ended it.
bool rollouts_run(struct rollouts *rollouts, const struct problem_space *space, uint64_t seed,
                  uint64_t number, const struct episode_rule *rule, struct poll *poll,
                  struct episode_log *log, struct episode_result *result);
