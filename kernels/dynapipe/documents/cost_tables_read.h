// SPDX-License-Identifier: Apache-2.0
// Reads cost tables from JSON or CSV.
//
//   {"tensor_parallel": 1, "micro_batch_sizes": [1, 2], "sequence_lengths": [64, 128],
//    "recompute": {"none": {"encoder_fw": [[0.1, 0.2], [0.2, 0.4]], ..., "model_state_params_mb":
//      {"embedding": 60, "encoder": 24}}, "full": {...}, "selective": {...}}}
//
// Values are arrays in the order of the axes: size, length, and target length for a decoder; null is not measured. Several
// degrees: {"tables": [{...}, {...}]}. CSV: one value a row, with the columns tensor_parallel, recompute, quantity,
// micro_batch_size, length, target_length and value; repeated measurements are averaged. kernels/dynapipe/model.md lists
// all keys.
#pragma once

#include "kernels/dynapipe/costs/cost_tables.h"
#include "ppsweep/fault.h"

#include <stddef.h>

struct cJSON;

// Both functions read the tables of one tensor-parallel degree; the caller frees them with cost_tables_free. Return false
// with a fault; an empty fault->text means out of memory. There is nothing to free then.
bool cost_tables_read(const struct cJSON *root, int32_t tensor_parallel,
                      struct cost_tables *tables, struct pps_fault *fault);
bool cost_tables_read_csv(const char *text, size_t n, int32_t tensor_parallel,
                          struct cost_tables *tables, struct pps_fault *fault);

// Return how many tensor-parallel degrees a document has, at most `most`, and write them. What is wrong is left out.
int cost_tables_degrees(const struct cJSON *root, int32_t *degrees, int most);
int cost_tables_degrees_csv(const char *text, size_t n, int32_t *degrees, int most);
