// SPDX-License-Identifier: Apache-2.0
// Solves a balance request, and replays the strategies that a report compares.
#ifndef PPS_PLANNER_BALANCE_SOLUTION_H
#define PPS_PLANNER_BALANCE_SOLUTION_H

#include "base/text/status.h"
#include "kernels/balance/search/balance_search.h"
#include "planner/balance/request.h"

#include <stdatomic.h>

enum { BALANCE_ROWS_MAX = 64 };

// A strategy of a report.
struct balance_row {
    char label[64];
    struct balance_shape shape;
    struct balance_strategy strategy; // count: allocated
    struct balance_result result;     // peak_mb: allocated
};

// A zeroed struct is empty.
struct balance_solution {
    struct balance_task task;
    char *memory;
    struct balance_search *search;
    enum balance_outcome outcome;
    struct balance_answer answer; // counts: allocated
    int n;
    struct balance_row
        rows[BALANCE_ROWS_MAX]; // the first is the best strategy, if one was found
};

// Solves the request; the stop flag ends the search early. The caller frees the solution in every case. The request
// outlives the solution.
PPS_MUST_CHECK enum pps_status balance_solve(struct balance_solution *solution,
                                             const struct balance_request *request,
                                             atomic_bool *stop,
                                             struct pps_error *err);

// Adds rows for the best strategy and the optimum of the proxy.
PPS_MUST_CHECK enum pps_status balance_add_found(struct balance_solution *solution,
                                                 struct pps_error *err);

// Adds rows for the even split without recomputation and with all of it.
PPS_MUST_CHECK enum pps_status balance_add_naive(struct balance_solution *solution,
                                                 struct pps_error *err);

void balance_solution_free(struct balance_solution *solution);

#endif
