// SPDX-License-Identifier: Apache-2.0
// Reads the layers of a model from a JSON document:
//
//   {"name": "demo", "stage_const_mem": 1206, "layers_description": [
//     {"name": "HEAD", "type": "HEAD", "time": 0.05, "nb_layer": 1, "memory_parameter": 4614},
//     {"name": "BODY", "type": "BODY", "time": 3.134, "nb_layer": 96, "memory_parameter": 2217,
//      "memory_activation": 1002, "memory_select_rec": 783},
//     {"name": "TAIL", "type": "TAIL", "time": 3.55, "nb_layer": 1, "memory_parameter": 5885}]}
//
// kernels/balance/model.md lists all keys. Several heads add up, and so do several tails. "transfer_time" beside
// "stage_const_mem" is the time of a message between neighbouring stages.
#pragma once

#include "kernels/balance/model/layers.h"
#include "ppsweep/fault.h"

struct cJSON;

// Returns false with a fault.
bool balance_layers_read(const struct cJSON *root, struct balance_layers *layers,
                         struct pps_fault *fault);

// Finds what deserves a warning: keys without a meaning, a kind of recomputation whose backward is shorter than that
// without, or that keeps more memory. Returns the number of doubts, at most `most`. The layers are those that the document says.
int balance_layers_doubts(const struct cJSON *root, const struct balance_layers *layers,
                          struct pps_fault *doubts, int most);
