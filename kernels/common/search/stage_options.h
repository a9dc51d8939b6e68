// SPDX-License-Identifier: Apache-2.0
// Lists the options of a stage with several chunks: its layers and, for each way to spread them
// over its chunks, the undominated ways to recompute within its memory. Private to the solver.
//
// Layers of type 1 come first in the model, so that they fill the first chunks. A pattern is
// the number of these layers in every chunk; then stages only share the number of layers of
// type 2.
#pragma once

#include "kernels/common/options/split_options.h"
#include "kernels/common/search/time_limit.h"
#include "kernels/common/split/chunk.h"

// Micro-batches in flight, as in memory_line.h: vectors of stage i from start[i] on, [chunk] each.
struct nd_flights {
    int32_t *start; // [stages + 1]
    int32_t *vectors;
};

// Returns false when out of memory, or if the poll (may be NULL) ended the computation.
bool nd_flights_make(const struct nd_program *program, struct poll *poll,
                     struct nd_flights *flights);
void nd_flights_free(struct nd_flights *flights);

// Returns the memory of a stage, MiB, without its static part; a micro-batch leaves
// kept[chunk].
double nd_stage_mb(const struct nd_program *program, const struct nd_flights *flights,
                   int32_t stage, const double *kept, double layers_mb);

struct nd_pattern {
    int32_t *dense; // [chunks * stages]: layers of type 1
    int32_t n;      // chunks that have layers of type 1: the first of the model
};

// Return the least and the largest number of layers of type 2 in a chunk: 0 before the last
// chunk with layers of type 1.
int32_t nd_pattern_least(const struct nd_pattern *pattern, int32_t chunk);
int32_t nd_pattern_most(const struct nd_program *program, const struct nd_pattern *pattern,
                        int32_t chunk);

struct nd_options {
    struct split_options split;  // layers of type 2; an id is the index of a plan below
    struct nd_chunk_plan *chunk; // [room][chunks]
    int32_t room;
    bool cut_short; // too many options: some uneven spreads are skipped
    uint64_t tries; // ways to recompute that were examined
};

// A value of `spread`: only the even way, with the remaining layers in the last chunks.
#define ND_EVEN_WAY (-1)

// The options to generate.
struct nd_wanted {
    int32_t most;   // layers of type 2 of a stage
    int32_t spread; // greatest difference between two chunks; INT32_MAX: any
    double slowest; // forwards and backwards of a stage take less than this
    uint64_t tries; // ways to recompute that may be examined; 0: no limit
};

// Generates the options of all stages; some are missing if the watch ended the function. false:
// out of memory.
bool nd_options_make(const struct nd_program *program, const struct nd_flights *flights,
                     const struct nd_pattern *pattern, const struct nd_wanted *wanted,
                     struct nd_watch *watch, struct nd_options *options);
void nd_options_free(struct nd_options *options);

// Returns the least memory, MiB, of a stage with this number of layers of type 2, over all ways
// to spread the layers, what it spares by making no layer again wholly subtracted; a lower bound if the
// program fixes the layers that are made again. HUGE_VAL: there is no way.
double nd_stage_least_mb(const struct nd_program *program, const struct nd_flights *flights,
                         const struct nd_pattern *pattern, int32_t stage, int32_t layers);
