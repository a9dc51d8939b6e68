// SPDX-License-Identifier: Apache-2.0
// Computes static memory as the published search does: parameters, gradients and optimizer of one
// layer of each kind and of the vocabulary, and of the worst stage. Its errors are kept (no
// activations, no router, the vocabulary twice for pp = 1; search.md lists them): it serves
// comparison with published figures only.
#ifndef PPS_PLANNER_ND_STRATEGIES_PUBLISHED_MEMORY_H
#define PPS_PLANNER_ND_STRATEGIES_PUBLISHED_MEMORY_H

#include "kernels/common/description/model.h"
#include "kernels/ndsearch/estimate/strategy.h"

#include <stdbool.h>

#define ND_ORIGMEM_LIMIT_MB (58.0 * 1024.0) // whatever the devices have

// A model as these formulas take it.
struct nd_origmem {
    const struct modeldesc *model;
    int64_t layers;       // as given, MTP layers not added
    int64_t dense_layers; // kd
    int64_t shared_ffn;   // msh
    bool distributed_optimizer;
};

// What the model's document did not say is as published, not as in modeldesc: no leading dense
// layers even of a dense model, shared experts as wide as a routed one. The model stays the
// caller's.
void nd_origmem_init(struct nd_origmem *origmem,
                     const struct modeldesc *model,
                     bool distributed_optimizer);

// MiB of one rank.
struct nd_origmem_layers {
    double dense_mb;
    double moe_mb;
    double vocab_mb;
};

// op -1 is taken as dp.
void nd_origmem_layers(const struct nd_origmem *origmem,
                       const struct nd_strategy *strategy,
                       struct nd_origmem_layers *layers);

// MiB of the worst stage.
double nd_origmem_estimate(const struct nd_origmem *origmem,
                           const struct nd_strategy *strategy);

#endif
