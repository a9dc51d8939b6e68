// SPDX-License-Identifier: Apache-2.0
// Runs replicates of a step under a policy.
//
// Lies in a room and allocates nothing afterwards. One run serves one thread.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/schedule/policy/policy.h"

struct policy_run;

// Takes memory for pipelines of at most this shape, orders of at most `operations` per device (order_room),
// and policies whose networks are at most as wide as `widest`. widest NULL: for all kinds but learned. NULL:
// the room only counts.
struct policy_run *policy_run_take(const struct pipeline_shape *most, int32_t operations,
                                   const struct network_shape *widest, struct room *room);

// Returns why a policy cannot run an order, which runs and stays within the limits; NULL: it can.
const char *policy_misfit(const struct policy *policy, const struct pipeline *pipeline,
                          const struct order *order);

// Sets the policy, the pipeline, whose times are the nominal ones, and the order that the policy refers to.
// They must not change or end before the last call for them.
void policy_run_open(struct policy_run *run, const struct policy *policy,
                     const struct pipeline *pipeline, const struct order *order);

// Runs EXECUTOR_LANES replicates. makespan: [EXECUTOR_LANES]. Returns false if the poll ended it; poll may
// be NULL.
bool policy_run_lanes(struct policy_run *run, const struct executor_times *times,
                      struct poll *poll, double *makespan);

// Runs one replicate in the environment, which then has its order, times and peaks. times: NULL for the
// nominal times. Gives the makespan of policy_run_lanes, bit for bit.
struct online *policy_run_step(struct policy_run *run, const struct executor_times *times,
                               int lane);
