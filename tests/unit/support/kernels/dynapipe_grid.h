// SPDX-License-Identifier: Apache-2.0
// Costs of layers from a golden grid, interpolated by definition.
#pragma once

#include "kernels/dynapipe/split/group_cost.h"
#include "tests/unit/support/kernels/golden.h"

enum { GRID_AXIS_MAX = 16 };

// One quantity over (rows, input) or (rows, input, target).
struct dynapipe_quantity {
    bool is_present;
    double values[GRID_AXIS_MAX][GRID_AXIS_MAX][GRID_AXIS_MAX];
};

enum grid_quantity {
    GRID_ENCODER_FORWARD,
    GRID_ENCODER_BACKWARD,
    GRID_POSTPROCESS_FORWARD,
    GRID_POSTPROCESS_BACKWARD,
    GRID_ENCODER_STORED,
    GRID_ENCODER_PEAK,
    GRID_DECODER_FORWARD,
    GRID_DECODER_BACKWARD,
    GRID_DECODER_STORED,
    GRID_DECODER_PEAK,
    GRID_QUANTITIES,
};

struct dynapipe_grid {
    int32_t rows, lengths; // sizes of the axes
    double row_axis[GRID_AXIS_MAX], length_axis[GRID_AXIS_MAX];
    bool has_decoder;
    double embedding, encoder, decoder; // parameters in MB
    struct dynapipe_quantity quantities[DYNAPIPE_RECOMPUTE_TYPES][GRID_QUANTITIES];
    int64_t calls; // of the costs
};

// Reads tests/golden/dynapipe/<name>.json; the caller frees the grid.
struct dynapipe_grid *dynapipe_grid_load(const char *name);

// The grid as a source of costs.
struct split_costs dynapipe_grid_costs(struct dynapipe_grid *grid);
