// SPDX-License-Identifier: Apache-2.0
// Finds the kinds of stages of a pipeline that can need the most memory or take the longest, for
// any cost of a layer. A stage that has at least as much of everything as another (layers of each
// kind, live layers of each kind, embedding, head) needs at least as much. Therefore a few of
// hundreds of stages remain; they depend only on depth, chunks and number of micro-batches.
#ifndef PPS_COMMON_ESTIMATE_STAGE_KINDS_H
#define PPS_COMMON_ESTIMATE_STAGE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ND_KINDS = 8,         // kept of each sort; pipelines with more are walked each time
    ND_MAX_CHUNKS = 4104, // a stage: no model has more layers
};

struct nd_pipeline {
    int64_t layers, dense; // of the model; the leading ones that are dense
    int64_t micro_batches; // see nd_few_micro_batches
    int32_t stages, chunks;
    bool low_mem;  // the interleaved order that warms up less
    bool dualpipe; // micro-batches from both ends: stages + 1 are alive on every stage
};

// The parts of a stage besides its layers.
enum {
    ND_FIRST = 1, // the embedding
    ND_LAST = 2,  // the head
    ND_ENDS = 4,  // number of combinations
};

// Which kinds of layer it has.
enum {
    ND_HAS_DENSE = 1,
    ND_HAS_MOE = 2,
    ND_HOLDS = 4,
};

// A stage at the moment of one of its peaks.
struct nd_kind {
    int32_t dense, moe;           // layers
    int32_t live_dense, live_moe; // layers times micro-batches alive
    int32_t stage;
    uint16_t ends, holds;
};

struct nd_kinds {
    struct nd_kind memory[ND_KINDS]; // none has less of everything than another
    struct nd_kind time[ND_KINDS];   // the same without regard to what is alive
    int n_memory, n_time;            // ND_KINDS + 1: there are more
};

// Returns the smallest number of micro-batches with equal peaks; most points share that number.
int64_t nd_few_micro_batches(int64_t micro_batches, const struct nd_pipeline *p);

// Every stage's peaks, stage after stage, to `visit`. `begin` is scratch of ND_MAX_CHUNKS numbers;
// chunks <= ND_MAX_CHUNKS.
void nd_walk_kinds(const struct nd_pipeline *p,
                   int64_t *begin,
                   void (*visit)(void *self, const struct nd_kind *kind),
                   void *self);

void nd_find_kinds(const struct nd_pipeline *p, int64_t *begin, struct nd_kinds *kinds);

#endif
