// SPDX-License-Identifier: Apache-2.0
// The solver finds the choice of a pipeline program that takes the least time, and proves it.
#pragma once

#include "kernels/common/split/program.h"

#include <stdatomic.h>

enum nd_status {
    ND_OPTIMAL,  // proven
    ND_FEASIBLE, // a solution; the bound was not closed within max_nodes, or when told to stop
    ND_INFEASIBLE, // proven
    ND_TIME_LIMIT, // seconds are over; there may be a solution
};

// "Optimal", "Feasible", "Infeasible", "Time limit reached"
const char *nd_status_name(enum nd_status status);

// What a solver tells while it works, in its own thread.
struct nd_news {
    double best; // objective of the best choice so far; HUGE_VAL: none yet
    void (*look)(struct nd_news *news); // called many times a second
    bool over;                          // set by look: no more time is worth while
    void *self;
};

// When to stop without a proof. Only max_nodes gives the same answer on every machine.
struct nd_effort {
    uint64_t max_nodes;      // 0: no limit
    double max_seconds;      // by the clock `seconds`; 0: no limit
    double (*seconds)(void); // needed for max_seconds only
    const atomic_bool *stop; // or NULL
    double below;            // only smaller values need to be found; 0: any
    struct nd_news *news;    // or NULL
};

enum nd_limit {
    ND_LIMIT_NONE,
    ND_LIMIT_MICRO_BATCHES, // fewer than stages
    ND_LIMIT_FEW_LAYERS,    // fewer than chunks: every chunk must have one
    ND_LIMIT_LAYERS,        // more than stages can have: bounds as published
    ND_LIMIT_MEMORY,
    ND_LIMIT_SPLITS, // of a sequence: as published there must be one
    ND_LIMIT_TIME,   // starts of tasks, as published
};

// Why no choice is feasible, and what is missing.
struct nd_infeasible {
    enum nd_limit limit;
    int32_t stage;     // that lacks memory even so; -1: no single one
    double needed_mb;  // least budget of that stage (all of them, by as much, where -1)
    double missing_mb; // how much more than there is
    char text[256];    // one sentence
};

// Returns whether the program is infeasible without a search: fewer micro-batches than stages, or
// fewer layers than chunks.
bool nd_never_feasible(const struct nd_program *program, struct nd_infeasible *why);

struct nd_solution {
    enum nd_status status;
    bool found; // there is a choice: everything down to peaks
    double objective;
    double
        makespan;   // of all micro-batches: the objective unless ND_ORIG; NAN: no time was left
    double started; // s by the clock of the effort, with a time limit
    struct nd_choice choice;
    const struct nd_peak *peaks; // [stages]
    double bound;                // proven: no choice is better
    double gap;                  // (objective - bound) / objective; 0 where optimal
    uint64_t nodes;
    struct nd_infeasible why; // where infeasible
    void *room;               // holds the arrays, the peaks first
};

// Solves the program. The caller frees the solution with nd_solution_free() in every case.
enum nd_outcome nd_solve(const struct nd_program *program,
                         const struct nd_effort *effort, // NULL: no limits
                         struct nd_solution *solution);
void nd_solution_free(struct nd_solution *solution);
