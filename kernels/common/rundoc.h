// SPDX-License-Identifier: Apache-2.0
// A document of a whole run: which of its parts describe the model, the cluster, the training and
// the strategy.
#ifndef PPS_RUNDOC_H
#define PPS_RUNDOC_H

#include "docfault.h"

#include <stdbool.h>

struct cJSON;

// Parts of the document, which owns them; NULL: it has none.
struct rundoc {
    const struct cJSON *model;    // for modeldesc_read; text where the model is only named
    const struct cJSON *cluster;  // for cluster_read
    const struct cJSON *training; // for training_read
    const struct cJSON *strategy; // which degrees are searched, by DP, TP, PP, EP, CP, FSDP
};

// A document is sorted into its parts. Three forms are taken, also mixed:
//   {"model": {...}, "cluster": {...}, "training": {...}, "strategy": {...}}
//   {"hidden_size": 4096, "world_size": 8, "gbs": 32, "PP": true}: keys are known apart
//   {"model.hidden_size": 4096, "cluster.world_size": 8}
// and a Hugging Face config.json, which is a model as a whole. Keys of the second and third form
// are moved into parts, so that the document changes, but the items stay what they are. A key that
// is none of them is refused with the nearest that is.
bool rundoc_split(struct rundoc *run, struct cJSON *document, struct docfault *fault);

#endif
