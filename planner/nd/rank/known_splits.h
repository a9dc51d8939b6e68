// SPDX-License-Identifier: Apache-2.0
// Solutions of programs that are the same but for memory. Strategies that only differ in how the optimizer is divided
// have the same times: what is found with most memory holds for the others where it fits.
#pragma once

#include "kernels/common/search/solve.h"

struct nd_known_split {
    struct nd_program program;
    struct nd_solution solution;
    double below; // of the effort
};

struct nd_known_splits {
    struct nd_known_split *rows;
    int64_t n;
};

// Solves the program as nd_solve does, unless the answer is known. The answer is kept. *splits starts as {0}.
enum nd_outcome nd_known_solve(struct nd_known_splits *splits, const struct nd_program *program,
                               const struct nd_effort *effort, struct nd_solution *solution);
void nd_known_free(struct nd_known_splits *splits);

// Sets a solution to a choice that is given, without its peaks. Returns false when out of memory.
bool nd_solution_of_choice(struct nd_solution *solution, const struct nd_program *program,
                           const struct nd_choice *choice);
