// SPDX-License-Identifier: Apache-2.0
// Makes naive strategies: the even split with all recomputation or none.
#ifndef PPS_BALANCE_MODEL_NAIVE_H
#define PPS_BALANCE_MODEL_NAIVE_H

#include "kernels/balance/model/strategy.h"

// Returns the kind of a layer that recomputes all that the considered kinds can: full, otherwise both, otherwise the
// last one; BALANCE_NONE: no other kind is considered.
enum balance_kind balance_strongest_kind(const struct balance_layers *layers);

// Gives every chunk floor(L / (P V)) layers of a kind. Layers that remain go one each to the first chunks.
void balance_naive(const struct balance_layers *layers, enum balance_kind kind,
                   struct balance_strategy *strategy);

#endif
