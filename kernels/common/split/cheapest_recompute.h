// SPDX-License-Identifier: Apache-2.0
// Finds the cheapest recompute with which a chunk keeps at most a given amount of memory. Recompute
// never makes a pass faster, so a more expensive recompute of one chunk never helps. Private to the
// solver.
#pragma once

#include "kernels/common/split/chunk.h"

// Fills full and part of a chunk whose layers are set. kept_most: MiB a micro-batch may leave in
// it; spare: by how much more if no layer is made again wholly. head: it is the last of the model.
// false: nothing will do.
bool nd_cheapest(const struct nd_program *program, double kept_most, double spare, bool head,
                 struct nd_chunk_plan *chunk);

// The same for the only chunk of a stage, from the budget of the stage.
bool nd_cheapest_1f1b(const struct nd_program *program, int32_t stage,
                      struct nd_chunk_plan *chunk);

// Returns whether the program leaves only one choice for every chunk.
bool nd_again_is_fixed(const struct nd_program *program);

// Where a chunk is on its stage.
struct nd_again_place {
    int32_t number; // of the chunk
    int32_t before; // layers in earlier chunks
};

// Fills full and part of a chunk as such a program demands.
void nd_again_set(const struct nd_program *program, struct nd_again_place place,
                  struct nd_chunk_plan *chunk);

// Returns whether the program allows to make these layers again.
bool nd_again_allows(const struct nd_program *program, struct nd_again_place place,
                     const struct nd_chunk_plan *chunk);

// The least that the chunk can keep, as far as recomputation is allowed.
double nd_least_kept(const struct nd_program *program, const struct nd_chunk_plan *chunk);

// Of layers first ... first + n - 1 of the model, how many are of which type.
struct nd_chunk_plan nd_segment(const struct nd_program *program, int32_t first, int32_t n);
