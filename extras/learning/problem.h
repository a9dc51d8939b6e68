// SPDX-License-Identifier: Apache-2.0
// Draws training problems: a pipeline, an order that policies refer to, and the noise of its times. A
// problem is a function of the distribution, the seed and its number.
#pragma once

#include "kernels/common/plan/order.h"
#include "kernels/schedule/noise/noise.h"

// Least and greatest value. Integers are uniform within both ends.
struct problem_range {
    double least, most;
};

// The time of a forward is 1; all other times refer to it.
struct problem_space {
    struct problem_range devices;       // P
    struct problem_range rounds;        // M / P
    struct problem_range chunks;        // v: 1, or 2 in placement V
    struct problem_range b, w;          // of a backward, by f
    struct problem_range latency;       // of a message, by f
    struct problem_range level;         // of the noise of operations
    struct problem_range message_level; // of messages
    struct problem_range outlier_p;     // 0 in half of the problems
    double outlier_k;
    struct problem_range straggler_p; // 0 in half of the problems
    struct problem_range straggler_k;
    struct problem_range
        limit; // of memory, in units of P forwards; the least in half of the problems
};

// The distribution of model.md, Learning.
struct problem_space problem_default(void);

// Returns what is wrong with a distribution, as a sentence without a full stop; NULL if nothing is.
const char *problem_misfit(const struct problem_space *space);

// Returns the largest shape of the problems.
struct pipeline_shape problem_largest(const struct problem_space *space);

struct problem {
    struct pipeline pipeline;
    struct order order; // of the guide
    struct noise noise;
    void *memory; // for the families
};

// Takes the memory of a problem of the space. problem->memory is NULL if the room only counts.
void problem_take(struct problem *problem, const struct problem_space *space,
                  struct room *room);

// Draws problem number `number`. Returns false if the poll ended a scheduler.
bool problem_draw(struct problem *problem, const struct problem_space *space, uint64_t seed,
                  uint64_t number, struct poll *poll);
