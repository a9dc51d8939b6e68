// SPDX-License-Identifier: Apache-2.0
// Holds what each stage of a pipeline can be: a number of layers, and the times of its chunks. A solver takes one
// option for every stage.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Options are in the order of their stages, then of their layers. The arrays belong to the caller.
struct split_options {
    int32_t stages, chunks, most; // most: layers of a stage
    int32_t n;
    int32_t *start;  // [stages][most + 2]: first option with this number of layers
    int32_t *end;    // [stages][most + 2]: after the last one; NULL: at the next start
    int32_t *layers; // [n]
    int32_t *id;     // [n]: a number of the caller
    double *forward, *backward; // [n][chunks]
};

// Returns the first option of a stage with this number of layers, 0 to most + 1.
static inline int32_t split_options_first(const struct split_options *options, int32_t stage,
                                          int32_t layers)
{
    return options->start[stage * (options->most + 2) + layers];
}

// Returns the end of the options of a stage with this number of layers, 0 to most.
static inline int32_t split_options_end(const struct split_options *options, int32_t stage,
                                        int32_t layers)
{
    return options->end != NULL ? options->end[stage * (options->most + 2) + layers]
                                : split_options_first(options, stage, layers + 1);
}

// Moves the options of a stage with dropped[option] behind the end of those with as many layers; larger ends bring them
// back. The marks move with their options.
void split_options_hide(struct split_options *options, int32_t stage, bool *dropped);

// Drops the options with dropped[option]; the others keep their ids. No option is hidden.
void split_options_drop(struct split_options *options, const bool *dropped);
