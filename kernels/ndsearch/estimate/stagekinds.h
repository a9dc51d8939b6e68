// SPDX-License-Identifier: Apache-2.0
// The kinds of stages that a pipeline has: those of which one needs most memory or takes longest,
// whatever a layer costs. Of two stages, one that has no less of everything (layers of each kind,
// layers of each kind alive at once, embedding, head) needs no less; so of hundreds of stages a few
// are left, and they depend on depth, chunks and number of micro-batches alone.
#ifndef PPS_NDSEARCH_STAGEKINDS_H
#define PPS_NDSEARCH_STAGEKINDS_H

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
    bool low_mem; // the interleaved order that warms up less
};

// What a stage has beside its layers.
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

// The fewest micro-batches that have the same peaks: most points share these.
int64_t nd_few_micro_batches(int64_t micro_batches, int32_t stages, int32_t chunks);

// Every stage's peaks, stage after stage, to `visit`. `begin` is scratch of ND_MAX_CHUNKS numbers;
// chunks <= ND_MAX_CHUNKS.
void nd_walk_kinds(const struct nd_pipeline *p,
                   int64_t *begin,
                   void (*visit)(void *self, const struct nd_kind *kind),
                   void *self);

void nd_find_kinds(const struct nd_pipeline *p, int64_t *begin, struct nd_kinds *kinds);

#endif
