// SPDX-License-Identifier: Apache-2.0
// Evaluates a point: one search for a strategy.
#pragma once

#include "kernels/balance/documents.h"
#include "kernels/balance/search/balance_search.h"

// A point as a task. task.layers points to `layers`: do not copy.
struct balance_point {
    struct balance_layers layers; // with the kinds that the point allows
    struct balance_task task;
    const struct balance_strategy *starts; // [n_starts]: strategies of the user with this shape
    int32_t n_starts;
    int objective;
    int32_t level;
};

void balance_point_set(struct balance_point *point, const double *value,
                       const struct balance_shared *shared);

// What a point takes of the scratch.
struct balance_scratch {
    struct balance_search *search;
    struct balance_answer answer;
    double *peak_mb; // [stages]
    int32_t *lists;  // [4 * chunks * stages]
};

// Takes the memory of a point; the room may only count.
void balance_scratch_take(struct balance_scratch *scratch, const struct balance_point *point,
                          struct room *room);

struct balance_figures {
    const struct balance_candidate *chosen; // by the objective
    struct balance_result result;           // of its replay
    double manual_time;                     // the fastest strategy of the user; NAN: none
};

// Searches, and replays the strategy that the objective chooses. PPS_INFEASIBLE: answer.lack says why.
enum pps_outcome balance_evaluate(struct balance_scratch *scratch,
                                  const struct balance_point *point, struct poll *poll,
                                  struct balance_figures *figures);
