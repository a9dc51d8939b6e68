// SPDX-License-Identifier: Apache-2.0
// Solves the published optimisation problem of `balance` exactly: body layers and their recomputation over the
// chunks of a pipeline, so that a proxy of the step time is minimal within the memory of every stage. The
// forms of the proxy and the proofs are in kernels/balance/model.md.
#pragma once

#include "kernels/balance/model/strategy.h"
#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/room.h"

#define PROXY_TOLERANCE_MB 1e-6 // a stage fits if its memory is at most the limit and this

struct proxy_program {
    const struct balance_layers *layers;
    struct balance_shape shape; // micro-batches M; the proxy counts M * pieces
    int32_t level;    // published -O: 0 largest stage, 1 two terms where M = P, 2 with filling
    bool allow_empty; // chunks without body layers
    double limit_mb;  // C
    // Micro-batches in flight: stage s holds at most the largest of n_vectors[s] sums over its chunks of
    // vector[chunk] * activations of the chunk; vectors[s]: [n_vectors[s] * chunks], >= 0: those of
    // balance_in_flight.
    const int32_t *const *vectors; // [stages]
    const int32_t *n_vectors;      // [stages]
};

// The parts of the proxy of one strategy; every time is in the unit of the layers.
struct proxy_value {
    double value; // what the program minimises
    double
        stage; // Tmax: the largest forward and backward of a stage, or backward before the last chunk
    double last;    // Tlast; 0: the form has no such term
    double filling; // X of level 2: work and filling of the pipeline; 0 in other levels
};

// Evaluates the proxy of a strategy of L layers, whatever its memory is.
struct proxy_value proxy_evaluate(const struct proxy_program *program,
                                  const struct balance_strategy *strategy);

// Returns the memory of a stage, MiB.
double proxy_stage_mb(const struct proxy_program *program,
                      const struct balance_strategy *strategy, int32_t stage);

enum proxy_outcome {
    PROXY_DONE,       // the strategy is optimal; in level 2 the bound may be below its value
    PROXY_STOPPED,    // the poll ended the search; the best strategy so far, if has_strategy
    PROXY_INFEASIBLE, // see `lack`
    PROXY_TOO_LARGE, // more contents of chunks than the room holds; the best strategy so far, if has_strategy
};

// Why no strategy fits, even if all layers have the kind with the least activations.
struct proxy_lack {
    int32_t stage;         // that cannot fit
    int32_t layers;        // with this number of layers, the least that the stage must take
    double needs_mb;       // of memory, its least
    double lacks_mb;       // above the limit
    double least_limit_mb; // with which the program is feasible
};

struct proxy_answer {
    struct balance_strategy strategy; // count: [BALANCE_KINDS * chunks * stages], of the caller
    bool has_strategy;
    struct proxy_value value; // of the strategy
    double bound;             // no strategy has a smaller value; equal to the value: proven
    uint64_t tests;           // decisions whether limits of time are feasible
    struct proxy_lack lack;   // of PROXY_INFEASIBLE
};

struct proxy; // memory for one shape; one thread

// Takes the memory for programs of these layers and this shape; NULL if the room only counts. Memory for empty
// chunks serves all shapes with at most as many stages and chunks.
struct proxy *proxy_take(const struct balance_layers *layers, const struct balance_shape *shape,
                         bool allow_empty, struct room *room);

// Solves a program; poll may be NULL. The same program has the same answer, whatever was solved before.
enum proxy_outcome proxy_solve(struct proxy *proxy, const struct proxy_program *program,
                               struct poll *poll, struct proxy_answer *answer);
