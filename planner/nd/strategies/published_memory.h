// SPDX-License-Identifier: Apache-2.0
// Computes static memory as the published search does: parameters, gradients and optimizer of one
// layer of each kind and of the vocabulary, and of the worst stage. Its errors are kept (no
// activations, no router, the vocabulary twice for pp = 1; search.md lists them): it serves
// comparison with published figures only.
#pragma once

#include "kernels/common/description/model.h"
#include "kernels/common/estimate/strategy.h"

#include <stdbool.h>

#define ND_ORIGMEM_LIMIT_MB (58.0 * 1024.0) // for any device

// A model with the values that the published formulas use.
struct nd_origmem {
    const struct modeldesc *model;
    int64_t layers;       // as given, MTP layers not added
    int64_t dense_layers; // kd
    int64_t shared_ffn;   // msh
    bool distributed_optimizer;
};

// Prepares the formulas for a model. Values missing in the model's document have the published
// defaults, not the defaults of modeldesc: no leading dense layers even in a dense model, and shared
// experts as wide as a routed expert. The caller keeps ownership of the model.
void nd_origmem_init(struct nd_origmem *origmem, const struct modeldesc *model,
                     bool distributed_optimizer);

// MiB of one rank.
struct nd_origmem_layers {
    double dense_mb;
    double moe_mb;
    double vocab_mb;
};

// op -1 is taken as dp.
void nd_origmem_layers(const struct nd_origmem *origmem, const struct nd_strategy *strategy,
                       struct nd_origmem_layers *layers);

// MiB of the worst stage.
double nd_origmem_estimate(const struct nd_origmem *origmem,
                           const struct nd_strategy *strategy);
