// SPDX-License-Identifier: Apache-2.0
// Runs steps in which every device keeps the F and B of a static order, and moves its W while the step
// runs: into waits for messages, and back where messages are early. Static orders are a special case.
// Works for every order without pairs; the memory stays within the limits, or, on a device without a
// limit, within the peak of the order.
#pragma once

#include "kernels/schedule/online/online.h"

enum { PULL_UNLIMITED = INT32_MAX };

// What a device does when it is free and a W is pending; x is the next F or B of the order (or BW, R).
// 1. x has arrived: x, if its memory fits and at most `lag` W's that the order places before x are
//    pending; otherwise the oldest W.
// 2. x has not arrived: a W that the order places before x; another W if fewer than `ahead` W's have run
//    before their place and x is expected after at least `threshold` times the nominal time of the W. If
//    the operation that sends the input of x has not started, x is expected at infinity. Otherwise the
//    device waits for x.
struct pull_rule {
    double threshold; // >= 0; INFINITY: W's move only because of `lag` and unknown arrivals
    int32_t lag;      // >= 0; PULL_UNLIMITED
    int32_t ahead;    // >= 0; 0: W's never run early; PULL_UNLIMITED
};

// Named rules: {INFINITY, 0, 0} is the static order; {0.5, 0, PULL_UNLIMITED} is PULL(0.5, 0);
// {0, lag, ahead} needs no estimate of arrivals: "W floats, F and B fixed".

// Returns why a rule cannot run an order, one of a fixed set of texts; NULL: it can.
const char *pull_misfit(const struct pipeline *pipeline, const struct order *order);

struct pull;

// Takes memory for pipelines of at most this shape and orders of at most `operations` per device. NULL: the
// room only counts.
struct pull *pull_take(const struct pipeline_shape *most, int32_t operations,
                       struct room *room);

// Sets the pipeline, whose times are the nominal ones, and an order that runs and stays within the limits.
// Both must not change or end before the last call for them.
void pull_open(struct pull *pull, const struct pipeline *pipeline, const struct order *order);

// Runs EXECUTOR_LANES replicates. makespan: [EXECUTOR_LANES].
void pull_run(struct pull *pull, const struct pull_rule *rule,
              const struct executor_times *times, double *makespan);

// Chooses the action of the rule in the environment, whose reference order is the order, after
// online_let_wait(online, true). Gives the steps of pull_run bit for bit. `waits`: [devices], 0 at the
// start of a step.
int32_t pull_choose(const struct pull_rule *rule, struct online *online,
                    const struct online_decision *decision, uint8_t *waits);
