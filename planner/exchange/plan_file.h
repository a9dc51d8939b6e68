// SPDX-License-Identifier: Apache-2.0
// Writes a split of the pipeline program as a plan of the training step, which the commands of
// schedules read.
#pragma once

#include "kernels/common/plan/plan.h"
#include "kernels/common/split/program.h"

// What the program does not contain.
struct nd_plan_units {
    double layer_s; // the program's unit of time
    // The gradients of the weights over the backward without recompute, and the bytes that wait for
    // them over those that a forward stores. 0 ... 1
    double weights_time, weights_memory;
    const char *times; // where times come from
};

// Sets the layers of which a program consists; its unit of time takes `layer_s`. Returns false if its layers differ,
// its sequences are split, or it is as published.
bool nd_plan_layers_of(const struct nd_program *program, double layer_s,
                       struct plan_layers *layers);

// Returns the plan of a choice: seconds and bytes, the order of the program, its makespan. The program
// has passed nd_program_check, the choice nd_choice_check. Recomputed forwards are part of B. The
// caller frees the plan with plan_free. NULL: out of memory.
struct plan *nd_plan_of_choice(const struct nd_program *program, const struct nd_choice *choice,
                               const struct nd_plan_units *units);
