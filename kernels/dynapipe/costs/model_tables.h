// SPDX-License-Identifier: Apache-2.0
// Makes cost tables from models of the hardware, so that plans need no measurements.
#pragma once

#include "kernels/common/pipeline/layer_cost.h"
#include "kernels/dynapipe/costs/cost_tables.h"

enum { MODEL_TABLES_TOKENS = 1 << 20 }; // cells with more tokens are left out

// Allocates and fills the tables of one tensor-parallel degree over given axes; the caller frees them with
// cost_tables_free. Layers of different kinds are averaged. A forward needs what it stores without recomputation as its
// peak. Parameters count two bytes each. has_decoder: the layers of the model are those of an encoder, whose attention no mask
// hides, and of a decoder with cross attention, over inputs and targets of these lengths; the model has one kind of layers.
// Returns false if memory runs out.
bool model_tables_make(const struct layercost_model *model, bool has_decoder,
                       int32_t tensor_parallel, const int32_t *rows, int32_t n_rows,
                       const int32_t *lengths, int32_t n_lengths, struct cost_tables *tables);
