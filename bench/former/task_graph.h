// SPDX-License-Identifier: Apache-2.0
// Times 1F1B as `nd` did before kernels/common/executor: a task graph, compiled once into a topological
// sequence and then timed for any durations. The baseline of bench_schedule.
#ifndef PPS_BENCH_FORMER_TASK_GRAPH_H
#define PPS_BENCH_FORMER_TASK_GRAPH_H

#include "kernels/common/interleaved/orders.h"

struct task_graph;

// The shape has one chunk and one split. The caller frees the graph with task_graph_free.
struct task_graph *task_graph_of_shape(const struct orders_shape *shape);
void task_graph_free(struct task_graph *graph); // NULL is allowed

// Computes the ends of all tasks, [stage][orders_length], and returns the makespan. durations: of the
// forwards of the stages, then of their backwards. delays[1]: of a transfer; NULL: 0.
double task_graph_run(const struct task_graph *graph, const double *durations,
                      const double *delays, double *ends);

#endif
