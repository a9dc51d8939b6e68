// SPDX-License-Identifier: Apache-2.0
// Solves a balance request, and replays the strategies that a report compares.
#pragma once

#include "base/text/status.h"
#include "kernels/balance/documents/manual_read.h"
#include "kernels/balance/search/balance_search.h"
#include "planner/balance/request.h"

#include <stdatomic.h>

enum { BALANCE_ROWS_MAX = 64 };

enum balance_row_kind {
    BALANCE_ROW_FOUND,
    BALANCE_ROW_PROXY,
    BALANCE_ROW_NAIVE_NONE,
    BALANCE_ROW_NAIVE_ALL,
    BALANCE_ROW_MANUAL,
    BALANCE_ROW_MINE, // of the plan or training that gives the layers
};

// A strategy of a report.
struct balance_row {
    enum balance_row_kind kind;
    char label[64];
    const struct balance_manual_entry *entry; // of BALANCE_ROW_MANUAL; belongs to its file
    struct balance_shape shape;
    struct balance_strategy strategy; // count: allocated
    struct balance_result result;     // peak_mb: allocated
    struct balance_replay *replay;    // of the shape, open
    char *memory;                     // of a replay of its own; NULL: that of the search
};

// A zeroed struct is empty.
struct balance_solution {
    struct balance_task task;
    const struct balance_strategy *mine; // of the request; NULL: none
    char *memory;
    struct balance_search *search;
    enum balance_outcome outcome;
    struct balance_answer answer; // counts: allocated
    bool by_proxy;                // the optimum of the proxy is the first row
    double margin_mb;             // that the limit of the task leaves unused
    int n;
    struct balance_row
        rows[BALANCE_ROWS_MAX]; // the first is the best strategy, if one was found
};

// Takes the memory of a solution. The caller frees the solution in every case. The request
// outlives the solution.
PPS_MUST_CHECK enum pps_status balance_solution_open(struct balance_solution *solution,
                                                     const struct balance_request *request,
                                                     struct pps_error *err);

// Opens the replay without a search: for strategies of the user alone.
PPS_MUST_CHECK enum pps_status balance_solution_replay(struct balance_solution *solution,
                                                       atomic_bool *stop,
                                                       struct pps_error *err);

// Solves the request; the stop flag ends the search early. The answer is not worse than a right strategy of the user
// that fits. manual: may have no entries.
PPS_MUST_CHECK enum pps_status balance_solve(struct balance_solution *solution,
                                             const struct balance_request *request,
                                             const struct balance_manual *manual,
                                             atomic_bool *stop, struct pps_error *err);

// Adds rows for the best strategy and the optimum of the proxy.
PPS_MUST_CHECK enum pps_status balance_add_found(struct balance_solution *solution,
                                                 struct pps_error *err);

// Adds a row for the strategy of the plan or training, if there is one.
PPS_MUST_CHECK enum pps_status balance_add_mine(struct balance_solution *solution,
                                                struct pps_error *err);

// Adds rows for the even split without recomputation and with all of it.
PPS_MUST_CHECK enum pps_status balance_add_naive(struct balance_solution *solution,
                                                 struct pps_error *err);

// Adds rows for the right strategies of the user, with their own numbers of chunks. Those that no order runs are an
// error.
PPS_MUST_CHECK enum pps_status balance_add_manual(struct balance_solution *solution,
                                                  const struct balance_manual *manual,
                                                  struct pps_error *err);

void balance_solution_free(struct balance_solution *solution);
