// SPDX-License-Identifier: Apache-2.0
// Splits the document of a whole run into the parts that describe the model, the cluster, the
// training and the strategy.
#pragma once

#include "base/document/fault.h"

#include <stdbool.h>

struct cJSON;

// Parts of the document, which owns them; NULL: the document has no such part.
struct rundoc {
    const struct cJSON *model;    // for modeldesc_read; text if the model is given by name
    const struct cJSON *cluster;  // for cluster_read
    const struct cJSON *training; // for training_read
    const struct cJSON *strategy; // the degrees to search: DP, TP, PP, EP, CP, FSDP
    const struct cJSON *baseline; // a strategy: dp, tp, pp, cp, ep, op, vp, mbs, sp
};

// Splits a document into its parts. Three forms are accepted, also mixed:
//   {"model": {...}, "cluster": {...}, "training": {...}, "strategy": {...},
//    "baseline": {...}}
//   {"hidden_size": 4096, "world_size": 8, "gbs": 32, "PP": true}: each key belongs to one part
//   {"model.hidden_size": 4096, "cluster.world_size": 8}
// A Hugging Face config.json is accepted as a model. Keys of the second and third form are moved
// into parts: the document changes, its items do not. An unknown key is refused and the nearest
// known key suggested.
bool rundoc_split(struct rundoc *run, struct cJSON *document, struct pps_fault *fault);
