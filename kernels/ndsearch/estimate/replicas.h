// SPDX-License-Identifier: Apache-2.0
// Prices the exchange of gradients and parameters between data-parallel replicas.
#ifndef PPS_NDSEARCH_ESTIMATE_REPLICAS_H
#define PPS_NDSEARCH_ESTIMATE_REPLICAS_H

#include "kernels/ndsearch/estimate/estimate.h"

// Sets dp and dp_exposed of *time, which already holds the longest stage. held: parameters of one
// device. ZeRO level 0 or 1 exchanges once per step; level 2 scatters gradients in every
// micro-batch; level 3 also gathers the parameters twice in every micro-batch (model.md).
void nd_exchange_replicas(const struct nd_estimate *e,
                          const struct nd_strategy *s,
                          double held,
                          double micro_batches,
                          struct nd_time *time);

#endif
