// SPDX-License-Identifier: Apache-2.0
// What the parts of the solver hand each other. Private to the solver.
#ifndef PPS_NDSEARCH_SOLVE_H
#define PPS_NDSEARCH_SOLVE_H

#include "chunk.h"
#include "clockwatch.h"
#include "evaluator.h"

// The choice of a solution while it is made: chunks [chunks * stages].
struct nd_draft {
    struct nd_chunk_plan *chunks;
    double objective; // HUGE_VAL: none yet
    double bound;
    bool proven;
    bool timed_out;
    uint64_t nodes;
};

// Of one chunk a stage, one split, no transfers.
enum nd_outcome nd_solve_1f1b(const struct nd_program *program,
                              const struct nd_effort *effort,
                              double started,
                              struct nd_draft *draft,
                              struct nd_infeasible *why);

// Of all others.
enum nd_outcome nd_solve_general(const struct nd_program *program,
                                 const struct nd_effort *effort,
                                 double started,
                                 struct nd_draft *draft,
                                 struct nd_infeasible *why);

// No choice is worth less: the slowest stage is no faster than the average.
double nd_average_bound(const struct nd_program *program);

// Relative difference below which two values are the same, and a solution is optimal.
#define ND_SAME 1e-9

// What the text of an infeasible program says.
void nd_why_layers(const struct nd_program *program, struct nd_infeasible *why);
void nd_why_memory(const struct nd_program *program,
                   int32_t stage,
                   double missing_mb,
                   struct nd_infeasible *why);

#endif
