// SPDX-License-Identifier: Apache-2.0
// Makes naive strategies.
#include "kernels/balance/model/naive.h"

#include <string.h>

enum balance_kind balance_strongest_kind(const struct balance_layers *layers)
{
    int kind = BALANCE_FULL;
    while (!layers->has[kind])
        kind--;
    return (enum balance_kind)kind;
}

void balance_naive(const struct balance_layers *layers, enum balance_kind kind,
                   struct balance_strategy *strategy)
{
    const int32_t all = strategy->stages * strategy->chunks, base = layers->layers / all,
                  more = layers->layers % all;
    memset(strategy->count, 0, (size_t)all * BALANCE_KINDS * sizeof *strategy->count);
    for (int32_t k = 0; k < all; k++)
        strategy->count[(size_t)kind * (size_t)all + (size_t)k] = base + (k < more ? 1 : 0);
}
