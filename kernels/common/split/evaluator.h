// SPDX-License-Identifier: Apache-2.0
// Computes the objective of a pipeline program from the durations of its chunks, repeatedly for one
// program. Private to the program's modules.
#ifndef PPS_NDSEARCH_EVALUATOR_H
#define PPS_NDSEARCH_EVALUATOR_H

#include "kernels/common/split/program.h"

struct nd_evaluator;

// NULL: no memory. The program must outlive it; one thread at a time.
struct nd_evaluator *nd_evaluator_new(const struct nd_program *program);
void nd_evaluator_free(struct nd_evaluator *evaluator);

// forward, backward: [chunks * stages]. HUGE_VAL where the program as published has no solution
// with any, since sequences are split.
double nd_evaluator_objective(struct nd_evaluator *evaluator,
                              const double *forward,
                              const double *backward);
double nd_evaluator_makespan(struct nd_evaluator *evaluator,
                             const double *forward,
                             const double *backward);

// The objective by the graph, even where there is a closed form; for tests. NAN: no memory.
double nd_evaluator_by_graph(struct nd_evaluator *evaluator,
                             const double *forward,
                             const double *backward);

// The longest path of what is laid out, as a sum: how often it goes through the forward and
// backward of every chunk (splits count 1 / S), [chunks * stages] each, and *constant of transfers.
// For any durations the end is no earlier than that sum.
enum nd_outcome nd_evaluator_path(struct nd_evaluator *evaluator,
                                  const double *forward,
                                  const double *backward,
                                  double *forwards,
                                  double *backwards,
                                  double *constant);

#endif
