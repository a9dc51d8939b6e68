// SPDX-License-Identifier: Apache-2.0
// Finds the kinds of stages of a pipeline that can need the most memory or take the longest, for
// any cost of a layer. A stage that has at least as much of everything as another (layers of each
// kind, live layers of each kind, embedding, head) needs at least as much. Therefore a few of
// hundreds of stages remain; they depend only on depth, chunks and number of micro-batches.
#pragma once

#include "kernels/common/pipeline/layer_cost.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ND_KINDS = 8,         // kept of each sort; pipelines with more are walked each time
    ND_MAX_CHUNKS = 4104, // a stage: no model has more layers
};

struct nd_pipeline {
    int64_t layers, dense; // of the model; the leading ones that are dense
    // With a table of kinds of layers; NULL: dense layers first, then all others.
    const struct modeldesc *model;
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

// Which kinds of layer it has: bit k for kind k.
enum {
    ND_HAS_DENSE = 1,
    ND_HAS_MOE = 2,
    ND_HOLDS = 16, // combinations of up to four kinds
};

// A stage at the moment of one of its peaks.
struct nd_kind {
    int32_t dense, moe;           // layers of kinds 0 and 1
    int32_t live_dense, live_moe; // layers times micro-batches alive
    int32_t stage;
    uint16_t ends, holds;
};

// Its layers of further kinds.
enum { ND_TWO = 2 };
struct nd_more {
    struct {
        int32_t layers, live;
    } of[MODELDESC_KINDS - ND_TWO];
};

struct nd_peak {
    struct nd_kind kind;
    struct nd_more more; // zero without a table of kinds
};

struct nd_more_kinds {
    struct nd_more memory[ND_KINDS], time[ND_KINDS];
};

struct nd_kinds {
    struct nd_kind memory[ND_KINDS]; // none has less of everything than another
    struct nd_kind time[ND_KINDS];   // the same without regard to what is alive
    int n_memory, n_time;            // ND_KINDS + 1: there are more
    struct nd_more_kinds
        *more; // set where there are more than two kinds of layers; the caller's
};

static inline int32_t *nd_peak_layers(struct nd_peak *peak, int k)
{
    return k == 0   ? &peak->kind.dense
           : k == 1 ? &peak->kind.moe
                    : &peak->more.of[k - ND_TWO].layers;
}

static inline int32_t *nd_peak_live(struct nd_peak *peak, int k)
{
    return k == 0   ? &peak->kind.live_dense
           : k == 1 ? &peak->kind.live_moe
                    : &peak->more.of[k - ND_TWO].live;
}

// Returns the number of kinds of layers: two without a table.
static inline int nd_layer_kinds(const struct nd_pipeline *p)
{
    return p->model != NULL ? p->model->n_kinds : 2;
}

// Sets n to the layers of each kind among `layers` layers from `begin`.
void nd_count_layers(const struct nd_pipeline *p, int64_t begin, int64_t layers,
                     int64_t n[MODELDESC_KINDS]);

// Returns the smallest number of micro-batches with equal peaks; most points share that number.
// Forwards are never as many as two parts of the largest size ahead of backwards. The first part may be longer than the
// others; while backwards go through the second, forwards reach the fourth, and from then on all repeats itself.
static inline int64_t nd_few_micro_batches(int64_t micro_batches, const struct nd_pipeline *p)
{
    enum { PARTS = 4 };
    const int64_t stages = p->stages;
    if (micro_batches <= stages)
        return micro_batches;
    if (p->chunks == 1)
        return stages + p->dualpipe;
    return micro_batches < (PARTS + 1) * stages ? micro_batches
                                                : PARTS * stages + micro_batches % stages;
}

// Every stage's peaks, stage after stage, to `visit`. `begin` is scratch of ND_MAX_CHUNKS numbers;
// chunks <= ND_MAX_CHUNKS.
void nd_walk_kinds(const struct nd_pipeline *p, int64_t *begin,
                   void (*visit)(void *self, const struct nd_peak *peak), void *self);

void nd_find_kinds(const struct nd_pipeline *p, int64_t *begin, struct nd_kinds *kinds);
