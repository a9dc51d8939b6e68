// SPDX-License-Identifier: Apache-2.0
// A parallel strategy defines how devices share one training step.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum nd_recompute {
    ND_RECOMPUTE_NONE,
    ND_RECOMPUTE_SELECT, // cheap parts of each layer
    ND_RECOMPUTE_FULL,   // only a layer's input is kept
};

// dp * tp * cp * pp devices; every degree >= 1.
struct nd_strategy {
    int32_t dp;  // data
    int32_t tp;  // tensor
    int32_t cp;  // context
    int32_t pp;  // pipeline stages
    int32_t ep;  // expert
    int32_t op;  // optimizer shards; -1: not searched, as many as dp
    int32_t vp;  // virtual chunks a stage
    int32_t mbs; // sequences a micro-batch
    bool sp;     // sequence parallel
    enum nd_recompute recompute;
};
