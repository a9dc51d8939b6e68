// SPDX-License-Identifier: Apache-2.0
// Makes a sweep with a heavy tail for the model of many cores: one point in a thousand takes
// 1.3 s, the other points take 0.4 ms.
#pragma once

#include "engine/measure/core_model.h"

struct pps_coretail {
    bool is_foretold; // `cost` of the kernel knows which points take long
    uint64_t n_points, block_points;
};

// Returns a sweep with blocks that are expected to take 20 ms.
struct pps_coretail pps_coretail(uint64_t n_points, bool is_foretold);

uint64_t pps_coretail_blocks(const struct pps_coretail *tail);

// Returns the costs of the sweep; the tail must outlive the costs.
struct pps_corecosts pps_coretail_costs(const struct pps_coretail *tail);
