// SPDX-License-Identifier: Apache-2.0
// Declares the parts of the solver, and the draft of a solution that the parts work on.
#pragma once

#include "kernels/common/search/time_limit.h"
#include "kernels/common/split/chunk.h"
#include "kernels/common/split/evaluator.h"

// The choice of a solution while it is made: chunks [chunks * stages].
struct nd_draft {
    struct nd_chunk_plan *chunks;
    double objective; // HUGE_VAL: none yet
    double bound;
    bool proven;
    bool timed_out;
    uint64_t nodes;
};

// Solves programs with one chunk per stage, one split and no transfers.
enum nd_outcome nd_solve_1f1b(const struct nd_program *program, const struct nd_effort *effort,
                              double started, struct nd_draft *draft,
                              struct nd_infeasible *why);

// Solves all other programs.
enum nd_outcome nd_solve_general(const struct nd_program *program,
                                 const struct nd_effort *effort, double started,
                                 struct nd_draft *draft, struct nd_infeasible *why);

// Makes a solution of a draft; only solution->started is set.
enum nd_outcome nd_solution_set(const struct nd_program *program, const struct nd_draft *draft,
                                const struct nd_effort *effort, struct nd_solution *solution);

// Solves a program at once, without its dialect.
enum nd_outcome nd_solve_plain(const struct nd_program *program, const struct nd_effort *effort,
                               struct nd_solution *solution);

// Solves programs with a dialect, and those with both kinds of recomputation: one after the other.
enum nd_outcome nd_solve_dialect(const struct nd_program *program,
                                 const struct nd_effort *effort, struct nd_solution *solution);

// Relative difference below which two values are the same, and a solution is optimal.
#define ND_SAME 1e-9

// ---- infeasible.c ----

// Set the reason of an infeasible program: the published bounds, or the memory of a stage.
void nd_why_layers(const struct nd_program *program, struct nd_infeasible *why);
void nd_why_again(const struct nd_program *program, struct nd_infeasible *why);
void nd_why_memory(const struct nd_program *program, int32_t stage, double missing_mb,
                   struct nd_infeasible *why);
