// SPDX-License-Identifier: Apache-2.0
// Computes the objective of a pipeline program from the durations of its chunks, repeatedly for one
// program. Private to the program's modules.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/split/program.h"

struct nd_evaluator;

// The program and the poll (may be NULL) must outlive the evaluator; one thread at a time. If the
// program needs an order, the poll can end each function early. NULL: out of memory, or the poll ended
// the construction of the order.
struct nd_evaluator *nd_evaluator_new(const struct nd_program *program, struct poll *poll);
void nd_evaluator_free(struct nd_evaluator *evaluator);

// forward, backward: [chunks * stages]. HUGE_VAL where the program as published has no solution
// with any durations, since sequences are split. NAN: the poll ended the evaluation; for the
// makespan also: out of memory.
double nd_evaluator_objective(struct nd_evaluator *evaluator, const double *forward,
                              const double *backward);
double nd_evaluator_makespan(struct nd_evaluator *evaluator, const double *forward,
                             const double *backward);

// Returns the objective by executing the order, even where a closed form exists; for tests. NAN: out of memory.
double nd_evaluator_by_order(struct nd_evaluator *evaluator, const double *forward,
                             const double *backward);

// Computes the longest path through the order as a sum: how often the path contains the forward and
// the backward of each chunk (a split counts 1 / S), [chunks * stages] each, and the total of its
// transfers, *constant. For any durations this sum is a lower bound of the makespan of the order.
// ND_NO_MEMORY: out of memory, or the poll ended the evaluation.
enum nd_outcome nd_evaluator_path(struct nd_evaluator *evaluator, const double *forward,
                                  const double *backward, double *forwards, double *backwards,
                                  double *constant);

// Like nd_evaluate, but the poll (may be NULL) can end the evaluation: the makespan is then NAN, and
// without ND_ORIG the objective, too. (With ND_ORIG the objective has a small order.)
enum nd_outcome nd_evaluate_within(const struct nd_program *program,
                                   const struct nd_choice *choice, struct poll *poll,
                                   struct nd_value *value);
