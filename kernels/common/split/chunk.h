// SPDX-License-Identifier: Apache-2.0
// Computes the time and memory of a chunk of the pipeline program, and its published bounds.
// Private to the program's modules.
#pragma once

#include "kernels/common/split/program.h"

// Bounds of the variables as published.
#define ND_ORIG_LAYERS   20    // of a type in a chunk; and of its forward
#define ND_ORIG_BACKWARD 60.0  // of a chunk
#define ND_ORIG_KEPT     6e4   // MiB of a micro-batch in a chunk
#define ND_ORIG_START    99999 // of any task, and of a period
#define ND_ORIG_PARTS    5     // laid out, of 6 and more

// Tolerances for rounding: MiB, and units of time.
#define ND_SLACK_MB   1e-6
#define ND_SLACK_TIME 1e-9

struct nd_chunk_plan {
    int32_t layers[2]; // of type 1, 2
    int32_t full[2];   // of these, recomputed wholly
    int32_t part[2];   // or selectively
};

struct nd_chunk_plan nd_choice_chunk(const struct nd_choice *choice, int32_t k);

// head: the chunk is the last of the model.
double nd_chunk_forward(const struct nd_program *program, const struct nd_chunk_plan *chunk,
                        bool head);
double nd_chunk_backward(const struct nd_program *program, const struct nd_chunk_plan *chunk,
                         bool head);
// Returns the part of the backward that is recompute.
double nd_chunk_growth(const struct nd_program *program, const struct nd_chunk_plan *chunk);

double nd_chunk_kept(const struct nd_program *program, const struct nd_chunk_plan *chunk);
double nd_chunk_layers_mb(const struct nd_program *program, const struct nd_chunk_plan *chunk);

// Within the bounds of its variables.
bool nd_chunk_within(const struct nd_program *program, const struct nd_chunk_plan *chunk,
                     bool head);

// The micro-batches that are laid out: all, but for the residue.
struct orders_shape nd_program_laid_out(const struct nd_program *program);

// Memory of a stage besides its layers, MiB. Peaks include this memory.
double nd_program_static(const struct nd_program *program, int32_t stage);

// Returns the part of this memory that the stage does not need, as it makes no layer again wholly.
double nd_choice_spare(const struct nd_program *program, const struct nd_choice *choice,
                       int32_t stage);

// Writes why a stage does not fit, in GiB with as many decimals as tell the figures apart. `where`
// is a phrase after the first figure, or "".
void nd_does_not_fit(char *text, size_t size, int32_t stage, const char *where,
                     double needed_mb, double limit_mb);

// Inline, unlike fmin and fmax: the solver's time goes into loops around these.
static inline double nd_lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double nd_greater(double a, double b)
{
    return a > b ? a : b;
}
