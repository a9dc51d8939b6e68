// SPDX-License-Identifier: Apache-2.0
// The in-flight factors of the published proxy, with which its published solutions are compared.
#pragma once

#include "kernels/balance/model/strategy.h"

// Writes the published in-flight factors of a stage as vectors: the factors and, where M differs from P, the
// factors with the published growth after the warm-up. vectors: [2 * chunks]. Returns their number, 1 or 2.
// Whole activations give the published memory; otherwise the published model rounds the growth up by < 1 MiB.
int32_t proxy_published_vectors(const struct balance_shape *shape, int32_t stage,
                                int32_t *vectors);
