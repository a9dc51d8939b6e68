// SPDX-License-Identifier: Apache-2.0
// Times 1F1B and interleaved pipelines: builds the order of a shape once, and executes it with any times.
#pragma once

#include "kernels/common/executor/executor.h"
#include "kernels/common/executor/longest_path.h"
#include "kernels/common/interleaved/orders.h"

// A zero structure is an order that is not built.
struct timed_order {
    char *memory; // of all arrays; NULL: not built
    // Placed as PIPELINE_LOOP. The caller sets times, a whole backward as b, memory, and links.latency
    // before the first run.
    struct pipeline pipeline;
    struct order order;
    struct executor *executor;
    struct longest_path paths; // if asked for; see timed_order_paths
    bool is_executed;
    bool has_paths;
};

// Builds the order of a shape that has passed orders_check; all times are 0. with_paths:
// timed_order_paths will be called. Returns false when out of memory or if the poll (may be NULL) ended
// the loop. The caller frees the order with timed_order_free in any case.
bool timed_order_build(struct timed_order *timed, const struct orders_shape *shape,
                       bool with_paths, struct poll *poll);
void timed_order_free(struct timed_order *timed);

// Sets the times of a split of a micro-batch: those of all splits, [chunk * stages + stage], divided by
// their number. Returns whether a time has changed.
bool timed_order_set(struct timed_order *timed, const double *forward, const double *backward);

// Executes the order with the present times; starts and ends are those of the executor. Returns the
// makespan; NAN: the poll (may be NULL) ended the execution.
double timed_order_run(struct timed_order *timed, struct poll *poll);

// Prepares `paths` after a run. Returns false if the poll (may be NULL) ended the loop.
bool timed_order_paths(struct timed_order *timed, struct poll *poll);
