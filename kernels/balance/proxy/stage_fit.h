// SPDX-License-Identifier: Apache-2.0
// Finds the largest number of body layers that one stage holds in its memory, if the layers of every chunk have
// given least activations.
#pragma once

#include "kernels/common/pipeline/poll.h"

#include <stdbool.h>
#include <stdint.h>

struct stage_fit {
    int32_t chunks;
    int32_t least;   // layers of a chunk
    int32_t columns; // entries of a column: layers 0 .. columns - 1
    int32_t n_vectors;
    const int32_t *vectors;     // [n_vectors * chunks]: micro-batches in flight
    double memory_mb;           // for layers and their activations
    double parameter_mb;        // of a layer, >= 0
    double least_activation_mb; // of a layer: no column is below this times its layers
    struct poll *poll;

    double *activation_mb; // [chunks * columns]: of a chunk by its number of layers, increasing
    int32_t *most;         // [chunks]: layers; below `least`: no number of layers is possible
    int32_t *layers;       // [chunks]: the result
    int32_t *now;          // [chunks]: of the function

    int32_t sum, found; // layers placed so far; in the best way so far, -1: none
    int32_t hint;       // vector that was exceeded last
    bool is_over;       // the poll ended the search; the result is no maximum then
};

// Returns the largest number of layers and writes the layers of every chunk; -1: not even the least fits.
int32_t stage_fit_find(struct stage_fit *fit);

// Returns the memory of layers and activations, MiB, by the largest vector.
double stage_fit_mb(const struct stage_fit *fit, const int32_t *layers);
