// SPDX-License-Identifier: Apache-2.0
// Proposes configurations of a training to measure, from whose peaks the memory of layers can be found
// (planner/balance/init/memory_fit.h): the fewest rounds, and of many draws the one whose equations are best conditioned.
#pragma once

#include "base/text/status.h"
#include "kernels/balance/model/strategy.h"

#include <stdatomic.h>

enum { GUIDE_STAGES_MAX = 1024 };

struct guide_task {
    int32_t stages, layers;
    bool has[BALANCE_KINDS]; // kinds to measure; BALANCE_NONE always is
    bool without_constant;   // of every stage: one unknown less
    uint64_t seed;
};

struct guide {
    int32_t stages, rounds;
    int32_t *
        lists; // [rounds][BALANCE_LISTS][stages], in YAML counting: offset, recompute ...; allocated
    double condition; // of the equations of the middle stages
};

// Returns what makes a task impossible, with the remedy; NULL: nothing.
const char *guide_misfit(const struct guide_task *task);

// Returns the number of unknowns, and the fewest rounds that can have as many equations.
int guide_unknowns(const struct guide_task *task);
int guide_least_rounds(const struct guide_task *task);

// Finds configurations. The caller frees the guide with guide_free. Returns PPS_E_INFEASIBLE if no draw can be solved,
// PPS_E_STOPPED if the stop flag (may be NULL) is up.
PPS_MUST_CHECK enum pps_status guide_find(const struct guide_task *task,
                                          const atomic_bool *stop, struct guide *guide,
                                          struct pps_error *err);
void guide_free(struct guide *guide);

// Returns the condition number of the equations of lists as a reader of configurations counts layers; INFINITY: some
// unknowns cannot be told apart, or the lists are wrong.
double guide_condition(const struct guide_task *task, const int32_t *lists, int rounds);
